"""The page where candidates are judged: the spectrum, with docks around it and verdicts below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from app.core.statistics.repeats import plan_repeats
from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.comparison.comparison_control import ComparisonControl
from app.ui.judge.comparison.overlay_curves import OverlayCurves
from app.ui.judge.comparison.ratio import RatioPanel
from app.ui.judge.controls.tool_row import ToolRow
from app.ui.judge.docks.dock_area import DockArea
from app.ui.judge.docks.dock_table import AGENT, QUEUE, DockSite
from app.ui.judge.docks.plot_room import PlotRoom
from app.ui.judge.plot.line_fit.fit_tool import FitTool
from app.ui.judge.plot.measure_tool import MeasureTool
from app.ui.judge.plot.plot_actions import PlotActions
from app.ui.judge.plot.plot_menu import PlotMenu
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.queue.columns import ColumnStore
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.verdict.fields.fields_row import ExtraKeys, FieldsRow
from app.ui.judge.verdict.key_strip import KeyStrip, SubclassKeys
from app.ui.judge.verdict.status_line import KnownAnswerNote
from app.ui.judge.verdict.verdict_bar import VerdictBar
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import column, row, wrapped_label


class JudgingPage(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.dock_area = DockArea(context, self)
        self._middle = QWidget(self.dock_area.dock_window)
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
        self.plot.top_row.addWidget(self.tools)
        column(self.repeat_line, (self.plot, 1), spacing=0, parent=self._middle)
        self.dock_area.fill(
            self._middle, DockSite(context, self.plot, self.comparison, self.focus_plot)
        )
        self.docks = self.dock_area.docks
        self.room = PlotRoom(self, self.plot, self.dock_area, self.tools)
        column((self.dock_area, 1), self.fields, self.verdicts, spacing=0, parent=self)
        self.plot.template.set_source(self.tools.templates.load)
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


class RepeatLine(QFrame):
    """Also handles the command "show_again"."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._current, self._runner = context.current, context.runner
        self._was_on = False
        self.text = wrapped_label("", parent=self)
        self.stop = QPushButton(self.tr("Stop"), self)
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.setToolTip(self.tr("Back to the candidate you came from"))
        row((self.text, 1), self.stop, spacing=12, margins=(12, 4, 8, 4), parent=self)
        self.stop.clicked.connect(self._stop)
        context.commands.add("show_again", self._start_or_stop)
        self._current.repeat_round.changed.connect(self._show)
        self.hide()

    def _start_or_stop(self) -> None:
        if self._current.repeat_round.is_on:
            self._stop()
        elif self._current.session.is_read_only:
            text = self.tr("This session is read-only: verdicts cannot be saved")
            self._current.message.emit(text)
        else:
            plan = partial(plan_repeats, self._current.session)
            self._runner.run(plan, self._begin, self._current.report_error, owner=self)

    def _begin(self, plan: tuple[int, ...]) -> None:
        here = self._current.candidate
        chosen = [number for number in plan if here is None or number != here.id]
        if here is None or not chosen:
            text = self.tr(
                "Nothing to repeat yet: one in twenty of your verdicts is repeated, "
                "after at least fifty others"
            )
            self._current.message.emit(text)
        elif not self._current.repeat_round.is_on:
            self._current.repeat_round.begin(chosen, here.id)
            self._current.go_to(chosen[0])

    def _stop(self) -> None:
        if (home := self._current.repeat_round.home) is not None:
            self._current.go_to(home)

    def _show(self) -> None:
        repeats = self._current.repeat_round
        self.setVisible(repeats.is_on)
        if repeats.is_on:
            text = self.tr(
                "Repeat {n} of {count}: judge it as if you had never seen it. "
                "Your first verdict stays."
            )
            text = text.replace("{n}", str(repeats.index + 1))
            self.text.setText(text.replace("{count}", str(len(repeats.plan))))
        elif self._was_on:
            about = self.tr("The agreement page shows how consistent your verdicts are")
            self._current.message.emit(about)
        self._was_on = repeats.is_on
