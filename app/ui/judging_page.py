"""The page where candidates are judged: the spectrum, with docks around it and verdicts below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.ui.comparison.compared_spectra import ComparedSpectra
from app.ui.comparison.comparison_control import ComparisonControl
from app.ui.comparison.overlay_curves import OverlayCurves
from app.ui.comparison.ratio import RatioPanel
from app.ui.controls.tool_row import ToolRow
from app.ui.docks.dock_area import DockArea
from app.ui.docks.dock_table import AGENT, QUEUE, DockSite
from app.ui.judging.fields.fields_row import ExtraKeys, FieldsRow
from app.ui.judging.key_strip import KeyStrip
from app.ui.judging.known_answer_note import KnownAnswerNote
from app.ui.judging.repeat_line import RepeatLine
from app.ui.judging.subclass_keys import SubclassKeys
from app.ui.judging.verdict_bar import VerdictBar
from app.ui.plot.line_fit.fit_tool import FitTool
from app.ui.plot.measure_tool import MeasureTool
from app.ui.plot.plot_actions import PlotActions
from app.ui.plot.plot_menu import PlotMenu
from app.ui.plot.spectrum_panel import SpectrumPanel
from app.ui.queue.column_store import ColumnStore
from app.ui.queue.queue_panel import QueuePanel
from app.ui.session_context import SessionContext


class JudgingPage(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.dock_area = DockArea(context, self)
        self._middle = QWidget(self.dock_area.desk)
        self.plot = SpectrumPanel(context, self._middle)
        self.plot_actions = PlotActions(self.plot, context)
        self.measure = MeasureTool(self.plot, context)
        self.fit_tool = FitTool(self.plot, context, self.measure)
        self.plot_menu = PlotMenu(self.plot, context, self.measure, self.fit_tool)
        self.tools = ToolRow(context, self.plot)
        self._add_comparison()
        self.verdicts = VerdictBar(context, self)
        self.strip = KeyStrip(context.current_theme, self.plot)
        self.subclasses = SubclassKeys(context, self.strip, self)
        self.fields = FieldsRow(context, self.strip, self)
        context.commands.key_taker = ExtraKeys(self.strip, self.fields)
        self.repeat_line = RepeatLine(context, self._middle)
        self.known_answers = KnownAnswerNote(context, self)
        self._fill_middle()
        self.dock_area.fill(
            self._middle,
            DockSite(
                context=context,
                plot=self.plot,
                comparison=self.comparison,
                focus_plot=self.focus_plot,
            ),
        )
        self.docks = self.dock_area.docks
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.dock_area, 1)
        whole.addWidget(self.fields)
        whole.addWidget(self.verdicts)
        self.plot.use_templates(self.tools.templates)
        self.plot_menu.look_chosen.connect(self._show_agent)

    @property
    def is_at_agent(self) -> bool:
        """Whether the mouse or the focus is in the agent's panel."""
        return self.dock_area.is_at(AGENT.name)

    @property
    def column_store(self) -> ColumnStore:
        """Which columns the queue has, which the overview shares."""
        queue = self.docks[QUEUE.name].part
        assert isinstance(queue, QueuePanel)
        return queue.store

    def focus_plot(self) -> None:
        self.plot.setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.dock_area.page_resized()

    def _show_agent(self) -> None:
        self.dock_area.show_dock(AGENT.name)

    def _add_comparison(self) -> None:
        self.comparison = ComparedSpectra(self._context, self)
        self.overlays = OverlayCurves(self.comparison, self.plot, self._context)
        self.ratio = RatioPanel(self.comparison, self.plot, self._context)
        self.compare = ComparisonControl(self.comparison, self.ratio, self._context)
        self.plot.add_below(self.ratio)
        compare, title = self.compare, self.tr("Compare with other spectra")
        self.tools.add("compare", title, compare, compare.button_text, compare.is_on)
        self.comparison.changed.connect(self.tools.refresh)
        self.ratio.mode_changed.connect(self.tools.refresh)

    def _fill_middle(self) -> None:
        layout = QVBoxLayout(self._middle)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.plot.top_row.addWidget(self.tools)
        layout.addWidget(self.repeat_line)
        layout.addWidget(self.plot, 1)
