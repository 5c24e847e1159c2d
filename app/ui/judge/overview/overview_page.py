"""The overview: the queue over the whole width, with small spectra, to look and judge in groups."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from app.core.queue import QueueRow
from app.core.session.group_acts import MAX_CANDIDATES
from app.core.session.records import Verdict
from app.ui.judge.comparison.compared_spectra import MOST
from app.ui.judge.overview.act_strip import ActStrip, ConfirmLine
from app.ui.judge.overview.group_acts import GroupActs
from app.ui.judge.overview.selected_rows import (
    OverviewTable,
    WantedSelection,
    block_parts,
    read_rows,
)
from app.ui.judge.queue.columns import ColumnStore
from app.ui.judge.queue.filter_bar import FilterBar
from app.ui.judge.queue.table_parts import TableParts
from app.ui.judge.verdict.flag_row import STAR
from app.ui.judge.verdict.verdict_text import NAMES
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from app.ui.widgets.flow_layout import FlowLayout
from app.ui.widgets.labels import add_action, column, row, short_label
from app.ui.widgets.painted_button import quiet_button

TABLE = "overview"
LINES_HIGH = 2.4  # height of a row, in lines of text, so that the small spectrum can be read
QUICK_FILTERS = 6  # in one row

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
        self.filters = FilterBar(context, self, columns=QUICK_FILTERS)
        self.table = OverviewTable(context.current_theme, self)
        self.table.setAccessibleName(self.tr("Overview"))
        self.setFocusProxy(self.table)
        if "spectrum" not in store.choice(TABLE).shown:
            store.show(TABLE, "spectrum", True)
        table, filters = self.table, self.filters
        self.parts = TableParts(context, table, filters, store, TABLE, LINES_HIGH, is_wide=True)
        self.model, self.loader = self.parts.model, self.parts.loader
        self.columns, self.row_menu = self.parts.columns, self.parts.row_menu
        self.choose = quiet_button(context.current_theme, self)
        self.choose.set_label(self.tr("Columns ▾"), hint=self.tr("Choose the columns"))
        self.message = short_label("", "dim")
        self.acts = GroupActs(context, self)
        self.strip = ActStrip(context, self)
        self.tools = GroupTools(context, self)
        self.confirm = ConfirmLine(self)
        self.wanted = WantedSelection(context, self.table, self.loader, self)
        self._lay_out()
        self._connect(context)

    def _lay_out(self) -> None:
        left, right, top = QWidget(self), QWidget(self), FlowLayout(spacing=8)
        left.setLayout(row((self.filters, 1), 1))
        left.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        right.setLayout(row(self.tools, self.choose))
        for part in (left, right):
            top.addWidget(part)
            top.setAlignment(part, Qt.AlignmentFlag.AlignTop)
        parts = (top, self.message, (self.table, 1))
        whole = column(*parts, spacing=None, margins=(16, 12, 16, 8))
        column((whole, 1), self.confirm, self.strip, spacing=0, parent=self)

    def _connect(self, context: SessionContext) -> None:
        self.choose.clicked.connect(partial(self.parts.open_columns_below, self.choose))
        self.table.row_activated.connect(self._open)
        self.table.selection_changed.connect(self._show_count)
        self.loader.counted.connect(self._show_count)
        self.loader.filled.connect(self._show_count)
        self.loader.failed.connect(self._current.report_error)
        self.acts.asked.connect(self.confirm.ask)
        self.acts.judged.connect(self.strip.comment.clear)
        self.confirm.confirmed.connect(self.acts.confirm)
        self.confirm.closed.connect(self.table.setFocus)
        self.strip.verdict_requested.connect(self._judge)
        self.strip.flag_requested.connect(partial(self._change, self.acts.toggle_flag))
        self.strip.comment_given.connect(self._comment)
        finer = self.strip.subclass_menu
        finer.subclass_chosen.connect(partial(self._change, self.acts.set_subclass))
        finer.field_given.connect(partial(self._change, self.acts.set_field))
        finer.refused.connect(self._say)
        self.strip.undo_requested.connect(self.acts.undo)
        self.tools.run_requested.connect(partial(self._pass_on, context.agent.inspect_selected))
        self.tools.stop_requested.connect(context.agent.list_run.stop)
        self.tools.compare_requested.connect(self._compare)
        self.tools.export_requested.connect(partial(self._pass_on, self.export_requested.emit))
        self.row_menu.opening.connect(self.tools.fill)
        self._current.candidate_changed.connect(self.model.show_current)
        self._current.queue_changed.connect(self._show_queue)
        self._current.repeat_round.changed.connect(self._show_count)
        context.bridge.changed.connect(self._session_changed)
        context.bridge.evidence_changed.connect(self._evidence_changed)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_outdated:
            self._show_queue(self._current.queue)
        self.model.show_current(self._current.row)
        self._context.commands.override(
            {
                **{name: partial(self._judge, each) for each, name in NAMES.items()},
                "star": partial(self._change, self.acts.toggle_flag, STAR),
                "flags": self.strip.open_flags,
                "comment": self._start_comment,
                "subclass": self.strip.open_subclasses,
                "undo": self.acts.undo,
                "redo": self.acts.redo,
                "filter": self.filters.start_editing,
                "samp_selected": partial(self._pass_on, self.send_requested.emit),
            }
        )
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._context.commands.override({})
        self.confirm.close_question()

    def _evidence_changed(self, change: object) -> None:
        if self.columns.shows_evidence:  # else no row looks different
            self._session_changed(change)

    def _session_changed(self, change: object) -> None:
        if self.isVisible():
            self.loader.session_changed(change)  # type: ignore[arg-type]
            self.parts.sparklines.session_changed(change)  # type: ignore[arg-type]
        else:
            self._is_outdated = True

    def _show_queue(self, queue: Queue) -> None:
        self._is_outdated = not self.isVisible()
        if self._is_outdated:
            return
        self.parts.filter_and_order.show_queue(queue)
        self.loader.show(queue)
        self.columns.show()
        self._show_count()

    def _change(self, act: Callable[..., None], *values: object) -> None:
        self._with_selected(partial(act, *values))

    def _judge(self, verdict: Verdict) -> None:
        self._change(self.acts.judge, verdict, self.strip.comment.text())

    def _comment(self, text: str) -> None:
        self._change(self.acts.add_comment, text)
        self.table.setFocus()

    def _compare(self) -> None:
        emit = self.compare_requested.emit
        self._with_selected(lambda rows: emit([each.candidate for each in rows]))

    def _pass_on(self, take_ids: Callable[[list[int]], None]) -> None:
        self._with_selected(lambda rows: take_ids([each.candidate.id for each in rows]))

    def _with_selected(self, act: Act) -> None:
        """Read the selected rows and act on them; one alone is judged on its own page."""
        count = self.table.selected_count
        if self._current.repeat_round.is_on:
            self._say(self.tr("Hidden during the repeat round"))
        elif count < 2:
            self._say(self.tr("Select several candidates first: Ctrl or Shift and a click"))
        elif count > MAX_CANDIDATES:
            most = self.tr("At most {n} candidates at once")
            self._say(most.replace("{n}", f"{MAX_CANDIDATES:,}"))
        elif not self.confirm.isVisible():
            parts = block_parts(self.model.blocks, self.table.selected_spans())
            work = partial(read_rows, self._session, self._current.queue, parts)
            self._context.runner.run(work, act, self._current.report_error, owner=self)

    def _open(self, row_index: int) -> None:
        if (found := self.model.blocks.row(row_index)) is not None:
            self._current.go_to(found.candidate.id)
            self._context.commands.run("judging_page")

    def _start_comment(self) -> None:
        if self.strip.comment.isEnabled():
            self.strip.comment.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _show_count(self) -> None:
        is_repeat, total = self._current.repeat_round.is_on, self.model.blocks.total
        self.table.setHidden(is_repeat)
        self.filters.setDisabled(is_repeat)
        self.message.setVisible(is_repeat or (not total and not self.loader.is_counting))
        self.message.setText(self.parts.why_empty())
        can_write = not self._session.is_read_only and not is_repeat
        selected = self.table.selected_count
        self.strip.show_count(selected, total, can_write=can_write)
        self.tools.show_count(0 if is_repeat else selected)

    def _say(self, text: str) -> None:
        self._current.message.emit(text)


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
