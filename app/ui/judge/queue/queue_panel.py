"""The queue panel: the candidates in order, their verdicts, the filter and the search."""

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QAbstractItemView, QLabel, QLineEdit, QSizePolicy, QWidget

from agent.errors import WorkbenchError
from app.core.queue import QueueRow, find
from app.core.queue.filters import MAX_TEXT
from app.core.queue.learned_orders import HeldOrder, LearnedSo, adopt, learned_so, prepare
from app.core.session.records import Candidate, Change
from app.core.session.session import Session
from app.ui.base.actions.commands import Commands
from app.ui.judge.queue.columns import ColumnStore
from app.ui.judge.queue.filter_bar import FilterBar
from app.ui.judge.queue.queue_loader import QueueLoader
from app.ui.judge.queue.queue_model import QueueModel
from app.ui.judge.queue.sparklines import Sparklines
from app.ui.judge.queue.table_parts import (
    ColumnMenu,
    FilterAndOrder,
    HeaderSort,
    RowMenu,
    TableColumns,
    why_empty,
)
from app.ui.session.candidate.queue_neighbours import Queue, read_neighbours
from app.ui.session.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.labels import column, keep_current, row, wrapped_label
from app.ui.widgets.page_parts import FoldingCard
from app.ui.widgets.painted_button import hint, quiet_button
from app.ui.widgets.suggestions import Suggestions

SEARCH_DELAY_MS = 120  # delay after the last key before the search starts


class QueuePanel(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._commands = context.current, context.commands
        self._is_following = True  # whether the current row is still to be scrolled into view
        self.card = FoldingCard(self.tr("Queue"), self)
        self.finder = FindBox(context, self.card)
        self.filters = FilterBar(context, self.card)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setAccessibleName(self.tr("Queue"))
        self._make_table(context)
        self.choose = quiet_button(context.current_theme, self, mark="▾", height=22)
        self.choose.set_label("", hint=self.tr("Choose the columns"))
        self.message = wrapped_label("", "dim", self.card)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill_height = QSizePolicy.Policy.Expanding  # while the table is hidden
        self.message.setSizePolicy(QSizePolicy.Policy.Preferred, fill_height)
        self.card.head.insertWidget(1, self.finder, 1)
        self.card.head.addWidget(self.choose)
        self.card.inside.addWidget(self.filters)
        self.card.inside.addWidget(self.message)
        self.card.inside.addWidget(self.table, 1)
        self.learned = LearnedLine(context, self.card)
        self.card.inside.addWidget(self.learned)
        column(self.card, parent=self)
        self._answered: frozenset[int] = frozenset()
        self._connect(context)
        self._show_queue(self._current.queue)
        self._show_row(self._current.row)
        self.store.load()

    def _make_table(self, context: SessionContext) -> None:
        session, runner, table = context.bridge.session, context.runner, self.table
        self.store = ColumnStore(session, runner, self)
        self.model = QueueModel(context.current_theme, table)
        self.loader = QueueLoader(session, runner, self.model, table)
        self.sparklines = self.model.sparklines = Sparklines(session, runner, table)
        table.setModel(self.model)
        self.columns = TableColumns(table, self.model, self.store, context)
        blind_mode = context.current.blind_mode
        self.column_menu = ColumnMenu(table, self.model, self.columns, self.store, blind_mode)
        self.row_menu = RowMenu(context, table, self.model)
        self.header_sort = HeaderSort(table, self.model)
        self.filter_and_order = FilterAndOrder(
            self.filters, self.header_sort, self.store, context.current
        )
        table.verticalScrollBar().valueChanged.connect(self.sparklines.forget_waiting)
        self.columns.values_shown.connect(self.loader.read_values)
        self.loader.read_values(self.columns.shows_values)
        self.sparklines.arrived.connect(self.model.redraw_ids)
        self.model.used_changed.connect(self.columns.show)
        blind_mode.changed.connect(self.columns.show)
        context.current_theme.changed.connect(self.model.redraw)

    def _connect(self, context: SessionContext) -> None:
        context.commands.add("filter", self._start_filter)
        context.commands.add("only_mine", self.filters.toggle_mine)
        self.table.row_activated.connect(self._go_to)
        self.table.focused.connect(self._focus_current_row)
        self.table.font_changed.connect(self.columns.set_widths)
        self.choose.clicked.connect(partial(self.column_menu.open_below, self.choose))
        self.loader.failed.connect(self._current.report_error)
        self._current.candidate_changed.connect(self._show_row)
        self._current.row_changed.connect(self._show_changed_row)
        self._current.queue_changed.connect(self._show_queue)
        self._current.reordered.connect(self.loader.reordered)
        for signal in (self.loader.counted, self.loader.filled, self._current.repeat_round.changed):
            signal.connect(self._show_count)
        context.bridge.changed.connect(self.loader.session_changed)
        context.bridge.changed.connect(self.store.session_changed)
        context.bridge.changed.connect(self.sparklines.session_changed)
        context.bridge.evidence_changed.connect(self._evidence_changed)
        self.store.changed.connect(self._show_evidence)

    def _evidence_changed(self, change: Change) -> None:
        self.store.session_changed(change)
        self._answered |= change.candidate_ids
        self._show_evidence()

    def _show_evidence(self) -> None:
        """Read rows again about which services have answered, once a column of theirs is shown."""
        if self._answered and self.columns.shows_evidence:
            self.loader.session_changed(Change(aspect="evidence", candidate_ids=self._answered))
            self._answered = frozenset()

    def _start_filter(self) -> None:
        ensure_visible(self.filters, self._commands)
        self.filters.start_editing()

    def _go_to(self, row_index: int) -> None:
        row, current = self.model.blocks.row(row_index), self._current.candidate
        if row is not None and (current is None or current.id != row.candidate.id):
            self._current.go_to(row.candidate.id)

    def _show_queue(self, queue: Queue) -> None:
        self.filter_and_order.show_queue(queue)
        self._is_following = True
        self.loader.show(queue)
        self.columns.show()
        self._show_count()

    def _show_row(self, row: QueueRow | None) -> None:
        self.model.show_current(row)
        self._is_following = row is not None
        self._follow()

    def _show_changed_row(self, row: QueueRow | None) -> None:
        """Update the current row, whose position may have changed."""
        self.model.show_current(row)
        self._follow()

    def _follow(self) -> None:
        """Scroll the current row into view once it is known, then leave scrolling to the user."""
        row = self._current.row
        if row is None or not self._is_following or row.position is None:
            return
        blocks = self.model.blocks
        block = blocks.block_of(row.position)
        if block >= blocks.count or (block == blocks.count - 1 and self.loader.is_counting):
            return
        if not blocks.holds(block):
            self.loader.request(block)
            return
        self._is_following = False
        if (row_index := blocks.index_of(row.position, row.candidate.id)) is not None:
            index = self.model.index(row_index, 0)
            if self.table.hasFocus():
                self.table.set_focused_row(row_index)
            area = self.table.viewport().rect()
            is_visible = area.contains(self.table.visualRect(index).center())
            hint = QAbstractItemView.ScrollHint
            self.table.scrollTo(index, hint.EnsureVisible if is_visible else hint.PositionAtCenter)

    def _focus_current_row(self) -> None:
        """Let Up and Down start at the current row."""
        row = self._current.row
        index = None if row is None else self.model.blocks.index_of(row.position, row.candidate.id)
        if index is not None:
            self.table.set_focused_row(index)

    def _show_count(self) -> None:
        total, is_counting = self.model.blocks.total, self.loader.is_counting
        self.card.note.setText(f"{total:,}…" if is_counting else f"{total:,}")
        # In a repeat round the queue would give the first verdicts away.
        is_repeat = self._current.repeat_round.is_on
        self.table.setHidden(is_repeat)
        self.filters.setDisabled(is_repeat)
        self.message.setVisible(is_repeat or (not total and not is_counting))
        self.message.setText(why_empty(self._current))
        self._follow()


# A search box that goes to an object by name, number or TARGETID.
class FindBox(QWidget):
    """Searches in the background; results for an older text are dropped."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner, self._keymap = context.current, context.runner, context.keymap
        self._commands = context.commands
        self._found: list[Candidate] = []
        self._goes_to_first = False
        self.edit = QLineEdit(self, maxLength=MAX_TEXT, clearButtonEnabled=True)
        self.edit.setAccessibleName(self.tr("Find an object"))
        self.suggestions = Suggestions(self.edit)
        self._delay = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        row(self.edit, parent=self)
        keep_current(self._show_keys, context.keymap.changed)
        context.commands.add("find", self.start_editing)
        self.edit.textEdited.connect(self._text_edited)
        self.edit.returnPressed.connect(self._go_to_first)
        self._delay.timeout.connect(self._search)
        self.suggestions.chosen.connect(self._choose)

    def _show_keys(self) -> None:
        placeholder = self.tr("Find ({key})").replace("{key}", self._keymap.label("find"))
        self.edit.setPlaceholderText(placeholder)
        about = self.tr("Find an object by its name, its number or its TARGETID")
        self.edit.setToolTip(hint(about, self._keymap, "find"))

    def start_editing(self) -> None:
        ensure_visible(self.edit, self._commands)
        self.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.edit.selectAll()

    def _text_edited(self, _: str) -> None:
        self._goes_to_first = False
        self._delay.start()

    def _go_to_first(self) -> None:
        """Go to the first match as soon as it is found."""
        self._goes_to_first = True
        self._delay.stop()
        self._search()

    def _search(self) -> None:
        text = self.edit.text().strip()
        if not text:
            self._show(text, [])
            return
        work = partial(find, self._current.session, text)
        self._runner.run(work, partial(self._show, text), self._current.report_error, owner=self)

    def _show(self, text: str, found: list[Candidate]) -> None:
        if text != self.edit.text().strip():
            return
        self._found, goes_there = found, self._goes_to_first
        self._goes_to_first = False
        if not goes_there:
            self.suggestions.show([_name(each) for each in found])
        elif found:
            self._go_to(found[0])
        elif text:
            message = self.tr("No object in the list matches {name}")
            self._current.message.emit(message.replace("{name}", text))

    def _choose(self, name: str) -> None:
        found = next((each for each in self._found if _name(each) == name), None)
        if found is not None:
            self._go_to(found)

    def _go_to(self, candidate: Candidate) -> None:
        self._delay.stop()
        self.suggestions.hide()
        self.edit.clear()
        self.edit.clearFocus()
        self._current.go_to(candidate.id)


def ensure_visible(field: QWidget, commands: Commands) -> None:
    """Show the queue if a field in it is asked for by its key."""
    if not field.isVisible():
        commands.run("queue")


def _name(candidate: Candidate) -> str:
    number = f"#{candidate.id}"
    return f"{candidate.object_id}  {number}" if candidate.object_id else number


# The line under the queue that tells what its order was learned from, and the learning itself.
EVERY = 5  # verdicts from one learning to the next
AGAIN_MS = 300  # where the person was faster than the learning
LATER_MS = 3000
"""After the last change of the list or of what agents say, of which many come one by one."""


class LearnedLine(QLabel):
    """Hidden in other orders. Learning runs in the background; what is on screen and next stays."""

    def __init__(self, context: SessionContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._runner = context.bridge.session, context.runner
        self._current = context.current
        self._given = 0  # verdicts since it learned
        self._is_learning = False
        self.setWordWrap(True)
        self.setProperty("role", "dim")
        self.hide()
        self._again = QTimer(self, singleShot=True, interval=AGAIN_MS)
        self._again.timeout.connect(self.learn)
        self._later = QTimer(self, singleShot=True, interval=LATER_MS)
        self._later.timeout.connect(self.learn)
        context.bridge.changed.connect(self._session_changed)
        self._current.queue_changed.connect(self._queue_changed)
        self._current.learning.connect(self._learning)
        self._current.likeness_known.connect(self.learn)

    @property
    def _is_on(self) -> bool:
        is_learned = self._current.queue.sort.key == "learned"
        return is_learned and not self._current.repeat_round.is_on

    def learn(self) -> None:
        """Order what lies behind the next candidate by all verdicts so far."""
        row = self._current.row
        if not self._is_on or row is None:
            return
        if self._is_learning:
            self._again.start()
            return
        self._is_learning, self._given, queue = True, 0, self._current.queue
        work = partial(_learn, self._session, queue, row, self._current.beside())
        self._runner.run(work, partial(self._take, queue), self._failed, owner=self)

    def _take(self, queue: Queue, held: HeldOrder) -> None:
        self._is_learning = False
        keep = self._current.in_sight()
        if queue != self._current.queue or not self._is_on:
            return
        if keep is None or not adopt(self._session, queue.sort, held, keep):
            self._again.start()
            return
        self._current.take_reordered()
        self._show(held.so)

    def _failed(self, error: WorkbenchError) -> None:
        self._is_learning = False
        self._current.report_error(error)

    def _session_changed(self, change: Change) -> None:
        if not self._is_on:
            return
        if change.aspect == "verdict":
            self._given += max(len(change.candidate_ids), 1)
            if self._given >= EVERY:
                self.learn()
        elif change.aspect in ("list", "inspection", "calibration"):
            self._later.start()

    def _queue_changed(self, queue: Queue) -> None:
        self.setVisible(self._is_on)
        if self._is_on:
            so = learned_so(self._session, queue.sort)
            if so is not None:
                self._show(so)
            self._again.start()  # what is left is that of this filter

    def _learning(self, on: bool) -> None:
        if on:
            self.setText(
                self.tr("Learning from your verdicts; until then the queue stays as it is")
            )
            self.show()
        else:
            self._queue_changed(self._current.queue)

    def _show(self, so: LearnedSo) -> None:
        if not so.has_both:
            self.setText(self.tr("Judge one yes and one no: the order learns from them"))
            return
        text = self.tr("Learned from {n} verdicts; of the last {last}, {yes} yes")
        if so.at_random:
            text += self.tr("; of {random} at random, {hits}")
        if so.at_most is not None:
            text += self.tr(". At most {most} more in the {left} left (95 %)")
        numbers = {
            "n": so.verdicts, "last": so.last, "yes": so.yes_of_last, "random": so.at_random,
            "hits": so.yes_at_random, "most": so.at_most or 0, "left": so.left,
        }  # fmt: skip
        for name, number in numbers.items():
            text = text.replace(f"{{{name}}}", f"{number:,}")
        self.setText(text)


def _learn(session: Session, queue: Queue, row: QueueRow, beside: list[int]) -> HeldOrder:
    near = read_neighbours(session, queue, row.candidate.id, row.position)
    ahead = (*near.after[:1], *near.unjudged[:1])
    keep = [row.candidate.id, *(each.candidate.id for each in ahead), *beside]
    return prepare(session, queue.tree, queue.sort, keep)
