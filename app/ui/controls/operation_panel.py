"""The right column: the diagnostic windows, the guideline, and the display controls."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.controls.guideline_card import GuidelineCard
from app.ui.controls.line_choice import LineChoice
from app.ui.controls.links import Links
from app.ui.controls.range_control import RangeControl
from app.ui.controls.smoothing_control import SmoothingControl
from app.ui.controls.template_choice import TemplateChoice
from app.ui.controls.template_library import TemplateLibrary
from app.ui.controls.velocity_control import VelocityControl
from app.ui.controls.window_buttons import WindowButtons
from app.ui.session_context import SessionContext
from app.ui.translation.data_texts import task_text
from app.ui.widgets.labels import wrapped_label
from app.ui.widgets.section import Section


class OperationPanel(QFrame):
    """A scrolling card of sections; a folded section shows its state beside its title.

    `templates` is the source of templates for the plot.
    """

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current_theme = context.current_theme
        keymap = context.keymap
        self.templates = TemplateLibrary(context.settings.settings.templates)
        self.windows = WindowButtons(context, keymap)
        self.guideline = GuidelineCard(context)
        self.lines = LineChoice(context, keymap)
        self.smoothing = SmoothingControl(context, keymap)
        self.velocity = VelocityControl(context, keymap)
        self.range = RangeControl(context, keymap)
        self.template = TemplateChoice(context, keymap, self.templates)
        self.links = Links(context, keymap)
        self.sections: dict[str, Section] = {}
        column = QWidget()
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 0, 4, 0)
        self._column.setSpacing(6)
        self._column.addWidget(
            wrapped_label(task_text(context.current.session.task.question), "title")
        )
        self._column.addWidget(self.windows)
        self._add("guideline", self.tr("Guideline"), self.guideline)
        self._add("smoothing", self.tr("Smoothing"), self.smoothing)
        self._add("velocity", self.tr("Velocity and redshift"), self.velocity)
        self._add("range", self.tr("Wavelength range"), self.range)
        self._add("template", self.tr("Template"), self.template)
        self._add("lines", self.tr("Lines and bands"), self.lines, is_open=False)
        self._add("links", self.tr("Picture and web pages"), self.links)
        self._column.addStretch(1)
        area = QScrollArea()
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(column)
        area.viewport().setAutoFillBackground(False)
        column.setAutoFillBackground(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.addWidget(area)
        context.view.changed.connect(self._update_notes)
        context.view.window_changed.connect(self._update_notes)
        context.current.spectrum_changed.connect(self._update_notes)
        self._update_notes()

    def _add(self, name: str, title: str, part: QWidget, *, is_open: bool = True) -> None:
        self.sections[name] = Section(title, self._current_theme, is_open=is_open)
        self.sections[name].body.addWidget(part)
        self._column.addWidget(self.sections[name])

    def _update_notes(self, *_: object) -> None:
        """Update what the folded sections show."""
        for name, part in (
            ("smoothing", self.smoothing),
            ("velocity", self.velocity),
            ("range", self.range),
            ("template", self.template),
        ):
            self.sections[name].set_note(part.text)
        drawn = self.tr("{count} sets").replace("{count}", str(len(self.lines.chosen)))
        is_drawn = self.lines.lines.isChecked()
        self.sections["lines"].set_note(drawn if is_drawn else self.tr("none"))
