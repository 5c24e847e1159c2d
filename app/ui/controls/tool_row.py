"""Buttons beside the plot's title that say how the spectrum is shown; each opens its control."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.ui.controls.axis_control import AxisControl
from app.ui.controls.line_choice import LineChoice
from app.ui.controls.links import Links
from app.ui.controls.range_control import RangeControl
from app.ui.controls.smoothing_control import SmoothingControl
from app.ui.controls.template_choice import TemplateChoice
from app.ui.controls.template_library import TemplateLibrary
from app.ui.controls.velocity_control import VelocityControl
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import column, flow
from app.ui.widgets.painted_button import PaintedButton, quiet_button

HEIGHT = 24
POPOVER_PX = 330
"""Least width."""
MAX_WORDS = 2
"""Of what is not as usual on the axes, on their button; the badges on the plot say all of it."""


class ToolRow(QWidget):
    """`templates` is the source of templates for the plot."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view, self._context = context.view, context
        self.templates = TemplateLibrary(context.settings.settings.templates)
        self.smoothing = SmoothingControl(context)
        self.velocity = VelocityControl(context, self.templates)
        self.axes = AxisControl(context)
        self.range = RangeControl(context)
        self.template = TemplateChoice(context, self.templates)
        self.lines = LineChoice(context)
        self.links = Links(context)
        self.popovers: dict[str, Popover] = {}
        self.buttons: dict[str, PaintedButton] = {}
        self._texts: dict[str, Callable[[], str]] = {}
        self._is_on: dict[str, Callable[[], bool]] = {}
        self._row = flow(spacing=4, parent=self)
        self._add("smoothing", self.tr("Smoothing"), self.smoothing, self._smoothing_text)
        self._add("velocity", self.tr("Velocity and redshift"), self.velocity, self._speed_text)
        self._add("template", self.tr("Template"), self.template, self._template_text)
        self._add("lines", self.tr("Lines and bands"), self.lines, self._lines_text)
        self._add("axes", self.tr("Axes of the plot"), self.axes, self._axes_text)
        self._add("range", self.tr("Wavelength range"), self.range, self._range_text)
        self._add("links", self.tr("Picture and web pages"), self.links, self._links_text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        context.view.changed.connect(self._show)
        context.view.window_changed.connect(self._show)
        context.current.spectrum_changed.connect(self._show)
        self._show()

    def add(
        self,
        name: str,
        title: str,
        control: QWidget,
        text: Callable[[], str],
        is_on: Callable[[], bool],
    ) -> None:
        """Add the button of another part's control; call `refresh` when its text changes."""
        self._is_on[name] = is_on
        self._add(name, title, control, text)
        self.refresh()

    def refresh(self) -> None:
        self._show()

    def _add(self, name: str, title: str, control: QWidget, text: Callable[[], str]) -> None:
        button = quiet_button(self._context.current_theme, self, height=HEIGHT)
        button.setCheckable(True)
        popover = Popover(control, title, button)
        button.clicked.connect(self._show)  # whether it is on is not for the click to say
        button.clicked.connect(popover.open_below)
        self.buttons[name], self.popovers[name], self._texts[name] = button, popover, text
        self._row.addWidget(button)

    def _show(self, *_: object) -> None:
        options = self._view.options
        states = {
            "smoothing": bool(options.smoothing_px),
            "velocity": options.z != 0.0,
            "template": bool(options.template),
            "axes": bool(self.axes.words),
        }
        states |= {name: is_on() for name, is_on in self._is_on.items()}
        for name, button in self.buttons.items():
            button.set_label(f"{self._texts[name]()} ▾", hint=self.popovers[name].title)
            button.setAccessibleName(f"{self.popovers[name].title}: {self._texts[name]()}")
            button.setChecked(states.get(name, False))

    def _smoothing_text(self) -> str:
        width = self._view.options.smoothing_px
        if not width:
            return self.tr("Smooth")
        return self.tr("Smooth {width} px").replace("{width}", f"{width:g}")

    def _speed_text(self) -> str:
        if not self._view.options.z:
            return self.tr("RV 0")
        return self.tr("RV {speed}").replace("{speed}", self.velocity.text)

    def _template_text(self) -> str:
        name = self.template.text if self._view.options.template else "–"
        return self.tr("Template {name}").replace("{name}", name)

    def _lines_text(self) -> str:
        count = len(self.lines.chosen) if self._view.options.lines else 0
        return self.tr("Lines {count}").replace("{count}", str(count))

    def _axes_text(self) -> str:
        words = self.axes.words
        more = f" +{len(words) - MAX_WORDS}" if len(words) > MAX_WORDS else ""
        return " ".join([self.tr("Axes"), " · ".join(words[:MAX_WORDS]) + more]).strip()

    def _range_text(self) -> str:
        return self.range.text

    def _links_text(self) -> str:
        return self.tr("More")


class Popover(QFrame):
    """A control under its button; a press elsewhere closes it."""

    def __init__(self, control: QWidget, title: str, button: PaintedButton) -> None:
        super().__init__(button, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.title = title
        self._button, self._corner = button, QPoint()
        self.setAccessibleName(title)
        self._layout = column(control, spacing=None, margins=(12, 10, 12, 12), parent=self)
        # Only then are the heights of new lines and of texts that wrap known.
        self._placing = QTimer(self, singleShot=True, interval=0)
        self._placing.timeout.connect(self._place)
        control.installEventFilter(self)

    def open_below(self) -> None:
        # Kept while it is open: a longer text moves the button, but not what is being used.
        self._corner = self._button.mapToGlobal(QPoint(0, self._button.height() + 2))
        self.show()
        self._place()

    def _place(self) -> None:
        corner = self._corner
        screen = self._button.screen().availableGeometry()
        # Wrapped texts and rows are higher in the fixed width than `adjustSize` takes them for.
        width = min(max(POPOVER_PX, self._layout.totalMinimumSize().width()), screen.width())
        height = self._layout.totalHeightForWidth(width)
        self.setFixedWidth(width)
        self.resize(width, height if height >= 0 else self.sizeHint().height())
        x = min(corner.x(), screen.right() - self.width())
        y = min(corner.y(), screen.bottom() - self.height())
        self.move(max(x, screen.left()), max(y, screen.top()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and self.isVisible():
            self._placing.start()
        return False
