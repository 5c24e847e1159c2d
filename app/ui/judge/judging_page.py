"""The page where candidates are judged: the spectrum, with docks around it and verdicts below."""

from functools import partial

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton, QWidget

from app.core.statistics.repeats import plan_repeats
from app.ui.base.actions.actions import ACTIONS
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.comparison.compared_spectra import ComparedSpectra, OverlayCurves, text_of
from app.ui.judge.comparison.ratio import DIFFERENCE, OFF, RATIO, RatioPanel
from app.ui.judge.controls.tool_row import ToolRow
from app.ui.judge.docks.dock_area import DockArea
from app.ui.judge.docks.dock_table import AGENT, QUEUE, DockSite
from app.ui.judge.plot.line_fit.fit_tool import FitTool
from app.ui.judge.plot.mark_menu import Entry, mark_entries
from app.ui.judge.plot.measure_tool import MeasureTool
from app.ui.judge.plot.plot_actions import PlotActions
from app.ui.judge.plot.readout import readout_text
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.queue.columns import ColumnStore
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.judge.verdict.fields.fields_row import ExtraKeys, FieldsRow
from app.ui.judge.verdict.key_strip import KeyStrip, SubclassKeys
from app.ui.judge.verdict.status_line import KnownAnswerNote
from app.ui.judge.verdict.verdict_bar import VerdictBar
from app.ui.session.session_context import SessionContext
from app.ui.widgets import labels
from app.ui.widgets.text_width import OnEvent


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
        self.strip = KeyStrip(context.current_theme, self.plot, self.plot.numbers_below)
        self.subclasses = SubclassKeys(context, self.strip, self)
        self.fields = FieldsRow(context, self.strip, self)
        context.commands.key_taker = ExtraKeys(self.strip, self.fields)
        self.repeat_line = RepeatLine(context, self._middle)
        self.known_answers = KnownAnswerNote(context, self)
        self.plot.top_row.addWidget(self.tools)
        labels.column(self.repeat_line, (self.plot, 1), spacing=0, parent=self._middle)
        self.dock_area.fill(
            self._middle, DockSite(context, self.plot, self.comparison, self.focus_plot)
        )
        self.docks = self.dock_area.docks
        self.room = PlotRoom(self, self.plot, self.dock_area, self.tools)
        labels.column((self.dock_area, 1), self.fields, self.verdicts, spacing=0, parent=self)
        self.plot.template.set_source(self.tools.templates.load)
        self.plot_menu.look_chosen.connect(partial(self.dock_area.show_dock, AGENT.name))

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
        self._was_on = self._was_in_study = False
        self.text = labels.wrapped_label("", parent=self)
        self.stop = QPushButton(self.tr("Stop"), self)
        self.stop.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.stop.setToolTip(self.tr("Back to the candidate you came from"))
        labels.row((self.text, 1), self.stop, spacing=12, margins=(12, 4, 8, 4), parent=self)
        self.stop.clicked.connect(self._stop)
        context.commands.add("show_again", self._start_or_stop)
        self._current.repeat_round.changed.connect(self._show)
        self._current.candidate_changed.connect(self._show)
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
        self.stop.setHidden(repeats.is_study)
        if repeats.is_study:
            self.text.setText(self._study_text())
        elif self._was_in_study:
            self._current.message.emit(self.tr("Your part of the study is done. Thank you"))
        elif repeats.is_on:
            text = self.tr(
                "Repeat {n} of {count}: judge it as if you had never seen it. "
                "Your first verdict stays."
            )
            text = text.replace("{n}", str(repeats.index + 1))
            self.text.setText(text.replace("{count}", str(len(repeats.plan))))
        elif self._was_on:
            about = self.tr("The agreement page shows how consistent your verdicts are")
            self._current.message.emit(about)
        self._was_on = repeats.is_on and not repeats.is_study
        self._was_in_study = repeats.is_study

    def _study_text(self) -> str:
        repeats, row = self._current.repeat_round, self._current.row
        turn = self._current.blind_mode.turn
        assert turn is not None
        text = self.tr("Study, {n} of {count}:").replace("{n}", f"{repeats.index + 1:,}")
        words = [text.replace("{count}", f"{repeats.total:,}")]
        if turn.arm == "unaided":
            words.append(self.tr("judge it without the agent."))
        elif turn.arm == "advice":
            words.append(self.tr("judge it with what the agent says."))
        elif row is not None and self._current.blind_mode.shows_verdict_alone(row):
            verdict = str(row.candidate.agent_verdict)
            words.append(self.tr("the agent says {verdict}.").replace("{verdict}", verdict))
        if turn.reading == 2:
            words.append(self.tr("You have judged it before: your verdict now may be another."))
        return " ".join(words)


# Keeps the plot high enough: where large text leaves it too little, strips around it give way.
LEAST_SHARE = 0.4  # of the height of the window, for the plot


class PlotRoom(QObject):
    """The minimap goes first, then the row of windows, then the row of tools.

    They are hidden one by one, and all come back before a new size of window or text is looked at.
    """

    def __init__(
        self, page: QWidget, panel: SpectrumPanel, docks: DockArea, tools: QWidget
    ) -> None:
        super().__init__(page)
        self._page, self._panel, self._docks, self._tools = page, panel, docks, tools
        self._fitted_for: tuple[QSize, float] | None = None
        # Widgets are not hidden while Qt lays them out.
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit)
        kinds = QEvent.Type.Resize, QEvent.Type.FontChange, QEvent.Type.Show
        for each in (page, panel, panel.plot):
            OnEvent(each, self._fitting.start, *kinds)

    def _fit(self) -> None:
        if not self._page.isVisible():
            return
        window = self._page.window()
        self._panel.least_px = round(LEAST_SHARE * window.height())
        asked = window.size(), self._page.font().pointSizeF()
        if asked != self._fitted_for:
            self._fitted_for = asked
            self._tools.show()
            self._docks.set_windows_aside(False)
            self._fitting.start()  # once they are laid out
        elif self._panel.height_left < 0 and not self._docks.set_windows_aside(True):
            self._tools.hide()


# The menu of the plot: copy what is under the mouse, measure, go to a window, save.
COMMANDS = (
    *("measure", "withdraw_measurement", "fit_velocity", "overlay_epochs", "more_like_this", ""),
    *("whole", "autoscale", ""),
)
AFTER_WINDOWS = ("snapshot", "save_spectrum", "copy_range", "", "open_simbad", "open_aladin")
MAX_LOOKS, MAX_LABEL = 6, 50


class PlotMenu(QObject):
    look_chosen = Signal()  # a look of the agent is on the plot; its answer is in the agent's panel

    def __init__(
        self, panel: SpectrumPanel, context: SessionContext, measure: MeasureTool, fit_tool: FitTool
    ) -> None:
        super().__init__(panel)
        self._panel, self._context, self._measure = panel, context, measure
        self._fit_tool = fit_tool
        self.menu = QMenu(panel)
        self.windows = QMenu(self.tr("Go to window"), self.menu)
        for number, window in enumerate(context.bridge.session.task.windows, 1):
            name = task_text(window.label)
            labels.add_action(self.windows, name, partial(context.commands.run, f"window_{number}"))
        panel.plot.stage.menu_requested.connect(self.open_at)

    def open_at(self, wavelength: float) -> None:
        panel, spectrum = self._panel, self._panel.spectrum
        if spectrum is None:
            return
        self.menu.clear()
        mark = panel.plot.marks.at(panel.plot.stage.scale_now.x(wavelength))
        of_mark = [] if mark is None else mark_entries(mark, panel, self._context, self._measure)
        fits = self._fit_tool.entries_at(wavelength)
        text = readout_text(spectrum, wavelength, panel.frame, drawn=panel.plot.trace)
        copy = self.tr("Copy {text}").replace("{text}", text)
        copies = [(copy, partial(QGuiApplication.clipboard().setText, text))]
        for entries in (of_mark, fits, self._looks_at(wavelength), copies):
            for title, call in entries:
                labels.add_action(self.menu, title, call)
            if entries:
                self.menu.addSeparator()
        self._add_commands(COMMANDS)
        self.menu.addMenu(self.windows)
        self._add_commands(AFTER_WINDOWS)
        self.menu.popup(QCursor.pos())

    def _looks_at(self, wavelength: float) -> list[Entry]:
        """The agent's looks whose windows hold this wavelength."""
        shown, view = self._context.agent.shown, self._context.view
        entries: list[Entry] = []
        look, label = self._panel.plot.look.look, self._panel.plot.look.label
        if look is not None and look[0] <= wavelength <= look[1]:
            go = partial(view.set_window, look, label)
            entries.append((self.tr("Go to the window the agent looks at"), go))
        looks = [(index, step) for index, step in enumerate(shown.steps) if step.is_look]
        for number, (index, step) in enumerate(looks, 1):
            window = shown.observed(step)
            if window is None or not window[0] <= wavelength <= window[1]:
                continue
            text = self.tr("Show look {number} and its answer: {label}")
            text = text.replace("{number}", str(number))
            label = labels.one_line(task_text(" ".join(step.label.split())), MAX_LABEL)
            entries.append((text.replace("{label}", label), partial(self._show_look, index)))
        return entries[:MAX_LOOKS]

    def _show_look(self, index: int) -> None:
        self.look_chosen.emit()
        self._context.agent.shown.replay(index)

    def _add_commands(self, names: tuple[str, ...]) -> None:
        commands, keymap = self._context.commands, self._context.keymap
        for name in names:
            if not name:
                self.menu.addSeparator()
                continue
            title, key = ACTIONS[name].title, keymap.label(name)
            labels.add_action(
                self.menu, f"{title}\t{key}" if key else title, partial(commands.run, name)
            )


# The popover of the comparison: what is overlaid, whether it is kept, and the ratio below.
REMOVE_PX = 30


class ComparisonControl(QWidget):
    def __init__(
        self, comparison: ComparedSpectra, ratio: RatioPanel, context: SessionContext
    ) -> None:
        super().__init__()
        self._comparison, self._ratio, self._keymap = comparison, ratio, context.keymap
        self.epochs = labels.button("", call=comparison.overlay_epochs)
        about = self.tr("Any other row of the queue is compared from its menu (right click).")
        self.note = labels.wrapped_label(about, "dim")
        self.kept = labels.check_box(self.tr("Keep over candidates"))
        self.clear = labels.button(self.tr("Remove all"), call=comparison.clear)
        self.modes = {
            OFF: labels.button(self.tr("Off"), "key"),
            RATIO: labels.button(self.tr("Ratio"), "key"),
            DIFFERENCE: labels.button(self.tr("Difference"), "key"),
        }
        self.lines: list[tuple[QWidget, QPushButton]] = []
        self._list = labels.column(spacing=2)
        epochs = self.epochs, 0, Qt.AlignmentFlag.AlignLeft
        below = labels.short_label(self.tr("Below the plot"), "dim")
        modes = labels.row(*((each, 1) for each in self.modes.values()), spacing=4)
        parts = (
            epochs,
            self.note,
            self._list,
            labels.row((self.kept, 1), self.clear),
            below,
            modes,
        )
        labels.column(*parts, spacing=6, parent=self)
        for mode, each in self.modes.items():
            each.setCheckable(True)
            each.clicked.connect(partial(self._choose_mode, mode))
        self.kept.clicked.connect(comparison.keep)
        labels.keep_current(
            self._show, comparison.changed, ratio.mode_changed, context.keymap.changed
        )

    def button_text(self) -> str:
        count = len(self._comparison.compared)
        return f"{self.tr('Compare')} {count}" if count else self.tr("Compare")

    def is_on(self) -> bool:
        return bool(self._comparison.compared) or self._ratio.mode != OFF

    def _choose_mode(self, mode: str, *_: object) -> None:
        self._ratio.set_mode(mode)
        self._show()

    def _show(self, *_: object) -> None:
        compared = self._comparison.compared
        key = self._keymap.label("overlay_epochs")
        self.epochs.setText(labels.with_key(self.tr("Overlay the epochs of this source"), key))
        self.kept.setChecked(self._comparison.is_kept)
        self.clear.setEnabled(bool(compared))
        self.note.setVisible(not compared)
        for mode, choice in self.modes.items():
            choice.setChecked(mode == self._ratio.mode)
        labels.clear_layout(self._list)
        self.lines.clear()
        for each in compared:
            name = labels.ElidedLabel("")
            name.show_text(text_of(each))
            remove = labels.button("×")
            remove.setFixedWidth(REMOVE_PX)
            remove.setAccessibleName(
                self.tr("Remove {name}").replace("{name}", each.candidate.name)
            )
            remove.clicked.connect(partial(self._comparison.remove, each.candidate.id))
            line = QWidget()
            line.setLayout(labels.row((name, 1), remove, spacing=4))
            self.lines.append((line, remove))
            self._list.addWidget(line)
