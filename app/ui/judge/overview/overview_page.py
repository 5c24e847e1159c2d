"""The overview: the queue as a contact sheet, to look and judge one by one or in groups."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QSlider, QWidget

from app.core.queue import QueueRow, row_of
from app.core.session.group_acts import MAX_CANDIDATES
from app.core.session.records import Change, Verdict
from app.ui.base.settings.settings_check import MAX_SHEET, MIN_SHEET
from app.ui.base.translation.data_texts import task_text
from app.ui.judge.comparison.compared_spectra import MOST
from app.ui.judge.overview.act_strip import ActStrip, ConfirmLine
from app.ui.judge.overview.cell_picture import SIMBAD
from app.ui.judge.overview.group_acts import GroupActs, Question
from app.ui.judge.overview.reject_below import RejectBelow
from app.ui.judge.overview.selected_rows import WantedSelection, block_parts, read_rows
from app.ui.judge.overview.sheet_view import STEP, SheetView
from app.ui.judge.queue.columns import ColumnStore
from app.ui.judge.queue.filter_bar import FilterBar
from app.ui.judge.queue.queue_loader import QueueLoader
from app.ui.judge.queue.queue_model import QueueModel
from app.ui.judge.queue.table_parts import FilterAndOrder, RowMenu, why_empty
from app.ui.judge.verdict.flag_row import STAR
from app.ui.judge.verdict.verdict_text import NAMES
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import add_action, column, flow, keep_current, one_line, row, short_label
from app.ui.widgets.painted_button import quiet_button

UPDATE_DELAY_MS = 10  # a verdict is seen at once, as no other spectrum is painted before
QUICK_FILTERS = 6  # in one row
SLIDER_PX = 84

Act = Callable[[list[QueueRow]], None]


class OverviewPage(QWidget):
    """Shows the same filter and order as the queue; loads nothing while it is hidden."""

    compare_requested = Signal(object)  # the candidates to compare, in their order
    export_requested = Signal(object)  # the ids of the candidates to export, in their order
    send_requested = Signal(object)  # the ids of the candidates to select in other programs

    def __init__(self, store: ColumnStore, context: SessionContext) -> None:
        super().__init__()
        self._context = context
        self._current, self._session = context.current, context.bridge.session
        self._is_outdated = True
        self._queue: Queue | None = None
        self.filters = FilterBar(context, self, columns=QUICK_FILTERS)
        self.model = QueueModel(context.current_theme, self)
        self.loader = QueueLoader(
            self._session, context.runner, self.model, self, delay_ms=UPDATE_DELAY_MS
        )
        self.sheet = SheetView(context, self.model, self)
        self.sheet.setAccessibleName(self.tr("Overview"))
        self.setFocusProxy(self.sheet)
        self.filter_and_order = FilterAndOrder(self.filters, None, store, self._current)
        self.row_menu = RowMenu(context, self.sheet, self.model)
        self.below = RejectBelow(context, self)
        self.bar = SheetBar(context, self.sheet, self)
        self.message = short_label("", "dim")
        self.acts = GroupActs(context, self)
        self.strip = ActStrip(context, self)
        self.tools = GroupTools(context, self)
        self.confirm = ConfirmLine(self)
        self.wanted = WantedSelection(context, self.sheet, self.loader, self)
        self._lay_out()
        self._connect(context)

    def _lay_out(self) -> None:
        left, top = QWidget(self), FlowLayout(spacing=8)
        left.setLayout(row((self.filters, 1), 1))
        left.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for part in (left, self.bar, self.tools):
            top.addWidget(part)
            top.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        parts = (top, self.below, self.message, (self.sheet, 1))
        whole = column(*parts, spacing=None, margins=(16, 12, 16, 8))
        column((whole, 1), self.confirm, self.strip, spacing=0, parent=self)

    def _connect(self, context: SessionContext) -> None:
        self.sheet.row_activated.connect(self._open)
        self.sheet.selection_changed.connect(self._show_count)
        self.loader.counted.connect(self._counted)
        self.loader.filled.connect(self._show_count)
        self.loader.failed.connect(self._current.report_error)
        self._current.reordered.connect(self.loader.reordered)
        self._current.beside = self.sheet.ids_in_sight
        self.acts.asked.connect(self.confirm.ask)
        self.acts.judged.connect(self.strip.comment.clear)
        self.below.asked.connect(self.confirm.ask)
        self.confirm.confirmed.connect(self._confirmed)
        self.confirm.closed.connect(self.sheet.setFocus)
        self.strip.verdict_requested.connect(self._judge)
        self.strip.flag_requested.connect(partial(self._change, self.acts.toggle_flag))
        self.strip.comment_given.connect(self._comment)
        finer = self.strip.subclass_menu
        finer.subclass_chosen.connect(partial(self._change, self.acts.set_subclass))
        finer.field_given.connect(partial(self._change, self.acts.set_field))
        finer.refused.connect(self._say)
        self.strip.undo.clicked.connect(self.acts.undo)
        self.tools.run_requested.connect(partial(self._pass_on, context.agent.inspect_selected))
        self.tools.stop_requested.connect(context.agent.list_run.stop)
        self.tools.compare_requested.connect(self._compare)
        self.tools.export_requested.connect(partial(self._pass_on, self.export_requested.emit))
        self.row_menu.opening.connect(self.tools.fill)
        self.sheet.painted.connect(self._note_painted)
        self.bar.rest.clicked.connect(self._reject_rest)
        self.bar.below.clicked.connect(self._reject_below)
        elsewhere = partial(self._say, self.tr("Open the overview first"))
        for name in ("reject_rest", "reject_below"):
            context.commands.add(name, elsewhere)
        self._current.queue_changed.connect(self._show_queue)
        self._current.repeat_round.changed.connect(self._show_count)
        context.bridge.changed.connect(self._session_changed)
        context.bridge.evidence_changed.connect(self._evidence_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_outdated:
            self._show_queue(self._current.queue)
        self.sheet.draw()
        self._context.commands.override(
            {
                **{name: partial(self._judge, each) for each, name in NAMES.items()},
                "star": partial(self._change, self.acts.toggle_flag, STAR),
                "flags": self.strip.open_flags,
                "comment": self._start_comment,
                "subclass": self.strip.open_subclasses,
                "undo": self.acts.undo,
                "redo": self.acts.redo,
                "reject_rest": self._reject_rest,
                "reject_below": self._reject_below,
                "next_window": partial(self.bar.step, 1),
                "previous_window": partial(self.bar.step, -1),
                "whole": partial(self.bar.show_window, None),
                "filter": self.filters.start_editing,
                "samp_selected": partial(self._pass_on, self.send_requested.emit),
            }
        )
        self.sheet.setFocus(Qt.FocusReason.OtherFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._context.commands.override({})
        self.confirm.close_question()

    def _evidence_changed(self, change: Change) -> None:
        self.sheet.pictures.forget(change.candidate_ids)
        self.sheet.draw()

    def _session_changed(self, change: Change) -> None:
        self.sheet.pictures.forget(change.candidate_ids)
        if change.aspect in ("list", "spectrum"):
            self.sheet.pictures.retry()
        if self.isVisible():
            self.loader.session_changed(change)
        else:
            self._is_outdated = True

    def _show_queue(self, queue: Queue) -> None:
        self._is_outdated = not self.isVisible()
        if self._is_outdated:
            return
        if queue != self._queue:
            self.sheet.start_over()
        self._queue = queue
        self.filter_and_order.show_queue(queue)
        self.loader.show(queue)
        self._show_count()

    def _counted(self) -> None:
        if not self.loader.is_counting:
            self.sheet.restore_place()
        self._show_count()

    def _note_painted(self, rows: list[QueueRow], tells_class: bool) -> None:
        """Keep what is on screen in the turn that puts it there: a verdict may come next."""
        notes = self.sheet.pictures.notes
        self._current.painted_ids.update(each.candidate.id for each in rows)
        told = [each for each in rows if each.candidate.id in notes] if tells_class else []
        seen = {each.candidate.id: notes[each.candidate.id].seen for each in told}
        self._current.blind_mode.note_listed(told, seen)
        for number in seen:
            if shown := notes[number].simbad_shown:
                self._current.evidence[number][SIMBAD] = shown

    def _reject_rest(self) -> None:
        """Those on the sheet that are not judged."""
        found = [self.model.blocks.row(number) for number in self.sheet.sheet_rows]
        if not self._can_act() or None in found:
            return
        rest = [each for each in found if each is not None and each.opinion.verdict is None]
        if rest:
            self.acts.judge(Verdict.REJECT, self.strip.comment.text(), rest, keeps=True)
        else:
            self._say(self.tr("All on this sheet are judged"))

    def _reject_below(self) -> None:
        here = self.model.blocks.row(self.sheet.currentIndex().row())
        if self._can_act():
            self.below.start(None if here is None else here.candidate.agent_p_yes)

    def _confirmed(self, question: Question) -> None:
        if question.told:
            self.below.end()
        self.acts.confirm(question)

    def _change(self, act: Callable[..., None], *values: object) -> None:
        self._with_selected(partial(act, *values))

    def _judge(self, verdict: Verdict) -> None:
        spans, reason = self.sheet.selected_spans(), self.strip.comment.text()
        is_one = len(spans) == 1 and spans[0].count == 1
        here = self.model.blocks.row(spans[0].first) if is_one else None
        if here is None or here.candidate.id not in self._current.painted_ids:
            self._change(self.acts.judge, verdict, reason)
        elif self._can_act():  # at once, so that verdicts come in the order of the keys
            with self._current.reporting():
                self.acts.judge(verdict, reason, [row_of(self._session, here.candidate.id)])
                self._go_on(spans[0].first)

    def _go_on(self, judged: int) -> None:
        """To the next cell; to the next sheet only from one on which nothing is left to judge."""
        others = (self.model.blocks.row(n) for n in self.sheet.sheet_rows if n != judged)
        is_left = any(each is None or each.opinion.verdict is None for each in others)
        if judged + 1 in self.sheet.sheet_rows or not is_left:
            self.sheet.go_to_row(judged + 1)

    def _comment(self, text: str) -> None:
        self._change(self.acts.add_comment, text)
        self.sheet.setFocus()

    def _compare(self) -> None:
        emit = self.compare_requested.emit
        self._with_selected(lambda rows: emit([each.candidate for each in rows]))

    def _pass_on(self, take_ids: Callable[[list[int]], None]) -> None:
        self._with_selected(lambda rows: take_ids([each.candidate.id for each in rows]))

    def _with_selected(self, act: Act) -> None:
        """Read the selected rows and act on them."""
        count = self.sheet.selected_count
        if not count:
            self._say(self.tr("Select one or several candidates first"))
        elif count > MAX_CANDIDATES:
            most = self.tr("At most {n} candidates at once")
            self._say(most.replace("{n}", f"{MAX_CANDIDATES:,}"))
        elif self._can_act():
            parts = block_parts(self.model.blocks, self.sheet.selected_spans())
            work = partial(read_rows, self._session, self._current.queue, parts)
            self._context.runner.run(work, act, self._current.report_error, owner=self)

    def _can_act(self) -> bool:
        if self._current.repeat_round.is_on:
            self._say(self.tr("Hidden during the repeat round"))
        return not self._current.repeat_round.is_on and not self.confirm.isVisible()

    def _open(self, row_index: int) -> None:
        if (found := self.model.blocks.row(row_index)) is not None:
            self._current.go_to(found.candidate.id)
            self._context.commands.run("judging_page")

    def _start_comment(self) -> None:
        if self.strip.comment.isEnabled():
            self.strip.comment.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_count(self) -> None:
        is_repeat, total = self._current.repeat_round.is_on, self.model.blocks.total
        self.sheet.setHidden(is_repeat)
        self.filters.setDisabled(is_repeat)
        self.message.setVisible(is_repeat or (not total and not self.loader.is_counting))
        self.message.setText(why_empty(self._current))
        can_write = not self._session.is_read_only and not is_repeat
        selected = self.sheet.selected_count
        self.strip.show_count(selected, total, can_write=can_write)
        self.tools.show_count(0 if is_repeat else selected)

    def _say(self, text: str) -> None:
        self._current.message.emit(text)

    def close_session(self) -> None:
        self.sheet.pictures.close()


class SheetBar(QWidget):
    """How large the cells are, what of the spectra they show, and what is done with a sheet."""

    def __init__(self, context: SessionContext, sheet: SheetView, parent: QWidget) -> None:
        super().__init__(parent)
        self._sheet, self._settings, self._keymap = sheet, context.settings, context.keymap
        self._windows = context.bridge.session.task.windows
        theme = context.current_theme
        self._number = 0  # of the window that is shown, from 1
        self.window_button, self.rest, self.below = (quiet_button(theme, self) for _ in range(3))
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.slider.setPageStep(1)
        self.slider.setRange(MIN_SHEET // STEP, MAX_SHEET // STEP)
        self.slider.setFixedWidth(SLIDER_PX)
        self.slider.setInvertedAppearance(True)  # to the right cells are larger
        self.slider.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.slider.setAccessibleName(self.tr("Size of the cells"))
        self.slider.setToolTip(self.tr("Size of the cells"))
        self.place = short_label("", "dim")
        parts = self.place, self.slider, self.window_button, self.rest, self.below
        flow(*parts, parent=self)
        self.slider.setValue(context.settings.settings.sheet_size // STEP)
        sheet.set_size(self.slider.value() * STEP)
        self.slider.valueChanged.connect(self._set_size)
        self.window_button.clicked.connect(partial(self.step, 1))
        sheet.sheet_changed.connect(self._show_place)
        keep_current(self._show_labels, context.keymap.changed)

    def step(self, by: int, *_: object) -> None:
        """Show the next diagnostic window in all cells; after the last one all of the spectrum."""
        self.show_window((self._number + by) % (len(self._windows) + 1))

    def show_window(self, number: int | None) -> None:
        self._number = number or 0
        window = self._windows[self._number - 1].range if self._number else None
        self._sheet.show_window(window)
        self._show_labels()

    def _set_size(self, value: int) -> None:
        self._sheet.set_size(value * STEP)
        self._settings.change(sheet_size=value * STEP)

    def _show_place(self) -> None:
        text = self.tr("Sheet {n} of {count}").replace("{n}", f"{self._sheet.sheet + 1:,}")
        self.place.setText(text.replace("{count}", f"{self._sheet.sheets:,}"))

    def _show_labels(self) -> None:
        label = self._keymap.label
        shown = self._windows[self._number - 1].label if self._number else ""
        text = task_text(shown) if shown else self.tr("Whole spectrum")
        about = self.tr("Show the next diagnostic window in all cells")
        self.window_button.set_label(one_line(text, 28), label("next_window"), about)
        about = self.tr("Reject all on this sheet that are not judged")
        self.rest.set_label(self.tr("Reject the rest"), label("reject_rest"), about)
        about = self.tr(
            "Reject all whose p(YES) is below that of the chosen one, after you have judged 5 % of"
            " them blind"
        )
        self.below.set_label(self.tr("Reject below…"), label("reject_below"), about)
        self._show_place()


class GroupTools(QWidget):
    """Only requests; the same requests are in the menu of the selected rows."""

    run_requested = Signal()
    stop_requested = Signal()
    compare_requested = Signal()
    export_requested = Signal()

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._list_run = context.agent.list_run
        self._is_read_only = context.bridge.session.is_read_only
        self._has_question = context.agent.has_question
        self._count = 0
        theme = context.current_theme
        self.run, self.compare, self.export = (quiet_button(theme, self) for _ in range(3))
        about = self.tr("Open the first of 2 to {n} selected spectra with the others over it")
        self.compare.set_label(self.tr("Compare"), hint=about.replace("{n}", str(MOST)))
        self.export.set_label(self.tr("Export"), hint=self.tr("Export the selected candidates"))
        row(self.run, self.compare, self.export, spacing=None, parent=self)
        self.run.clicked.connect(self._press_run)
        self.compare.clicked.connect(self.compare_requested)
        self.export.clicked.connect(self.export_requested)
        self._list_run.changed.connect(self._show_run)
        self.show_count(0)

    def show_count(self, selected: int) -> None:
        self._count = selected
        self.compare.setEnabled(2 <= selected <= MOST)
        self.export.setEnabled(selected > 1)
        self._show_run()

    def fill(self, menu: QMenu) -> None:
        """Add to the menu of a row what can be done with all selected ones."""
        if self._count < 2:
            return
        for button, text, signal in (
            (self.run, self.tr("Run the agent on the {n} selected"), self.run_requested),
            (self.compare, self.tr("Compare the {n} selected"), self.compare_requested),
            (self.export, self.tr("Export the {n} selected"), self.export_requested),
        ):
            is_run = button is self.run
            if button.isEnabled() and not (is_run and self._list_run.state.is_running):
                add_action(menu, text.replace("{n}", f"{self._count:,}"), signal.emit)
        menu.addSeparator()

    def _show_run(self, _: object = None) -> None:
        state, can_run = self._list_run.state, self._has_question and not self._is_read_only
        text, hint = self.tr("Run the agent"), self.tr("Run the agent on the selected candidates")
        if state.is_running:
            text, hint = self.tr("Stop the agent"), self.tr("Stop the run of the agent")
        self.run.set_label(text, hint=hint)
        is_useful = not state.is_stopping if state.is_running else can_run and self._count > 1
        self.run.setEnabled(is_useful)

    def _press_run(self) -> None:
        is_running = self._list_run.state.is_running
        (self.stop_requested if is_running else self.run_requested).emit()
