"""The queue: what is walked through, where one stands in it, and what was decided."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from agent.errors import WorkbenchError
from app.core.queue import EVERYTHING, Filter, QueueRow, Sort
from app.core.session.records import Change, Verdict
from app.ui.candidate.queue_neighbours import Queue
from app.ui.judging.verdict_words import mark_and_word
from app.ui.queue.filter_bar import FilterBar
from app.ui.queue.find_box import FindBox, uncover
from app.ui.queue.queue_loader import QueueLoader
from app.ui.queue.queue_model import (
    AGENT,
    FLAGS,
    MARKS_ALONE,
    OBJECT,
    P_YES,
    SCORE,
    SNR,
    VERDICT,
    QueueModel,
)
from app.ui.session_context import SessionContext
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.folding_card import FoldingCard

WIDEST = {
    OBJECT: "J2147…2752.7",  # at least
    VERDICT: "✓ accepted",
    SNR: "123.4",
    SCORE: "0.12345",
    AGENT: "YES",
    P_YES: "p(YES)",
    FLAGS: "velocity, noisy",
}
"""What must have room; the user may draw the columns wider."""
ROOM_PX = 12
WIDEST_NAME_PX = 190
NARROWEST_PX = 44
"""Of the flags."""
SPARED_FIRST = (SCORE, SNR)
"""Where there is no room for all: both are told elsewhere of what is on the desk."""
OF_AGENT = frozenset({AGENT, P_YES})
ALWAYS = frozenset({OBJECT, VERDICT})


class QueuePanel(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._commands = context.current, context.commands
        self._is_following = True
        """Whether the row on the desk is still to be brought into view."""
        self.card = FoldingCard(self.tr("Queue"), self)
        self.finder = FindBox(context, self.card)
        self.filters = FilterBar(context, self.card)
        self.model = QueueModel(context.current_theme, self)
        self.loader = QueueLoader(context.bridge.session, context.runner, self.model, self)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Queue"))
        self.words = QLabel(self.card)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setProperty("role", "dim")
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignTop)
        taking_room = QSizePolicy.Policy.Expanding  # where the table has gone
        self.words.setSizePolicy(QSizePolicy.Policy.Preferred, taking_room)
        self.card.head.insertWidget(1, self.finder, 1)
        self.card.inside.addWidget(self.filters)
        self.card.inside.addWidget(self.words)
        self.card.inside.addWidget(self.table, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.card)
        self._set_widths()
        self._connect(context)
        self._show_queue(self._current.queue)
        self._show_line(self._current.line)

    def _connect(self, context: SessionContext) -> None:
        context.commands.add("filter", self._begin_filter)
        self.filters.wanted.connect(self._walk)
        self.table.wanted.connect(self._go)
        self.table.entered.connect(self._stand_there)
        self.model.used_changed.connect(self._show_columns)
        self.loader.counted.connect(self._show_count)
        self.loader.filled.connect(self._show_count)
        self.loader.failed.connect(self._tell)
        self._current.moved.connect(self._show_line)
        self._current.row_changed.connect(self._show_line_again)
        self._current.queue_changed.connect(self._show_queue)
        self._current.blind_mode.changed.connect(self._show_columns)
        self._current.again.changed.connect(self._show_count)
        context.bridge.changed.connect(self._take_note)
        context.current_theme.changed.connect(self.model.redraw)

    def _set_widths(self) -> None:
        metrics = self.table.fontMetrics()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(OBJECT, QHeaderView.ResizeMode.Stretch)
        said = {VERDICT: mark_and_word(Verdict.ACCEPT)}  # as the language has it
        for column, words in (WIDEST | said).items():
            width = metrics.horizontalAdvance(words) + ROOM_PX
            needed = header.sectionSizeHint(column) if column in (SNR, AGENT, P_YES) else 0
            self.table.setColumnWidth(column, max(width, needed))
        self._show_columns()

    def _begin_filter(self) -> None:
        uncover(self.filters, self._commands)
        self.filters.begin()

    def _walk(self, tree: Filter, sort: Sort) -> None:
        self._current.walk(tree, sort)
        self.filters.show_queue(self._current.queue)  # as it was, where that was refused

    def _go(self, row: int) -> None:
        line = self.model.blocks.line(row)
        there = self._current.candidate
        if line is not None and (there is None or there.id != line.candidate.id):
            self._current.go_to(line.candidate.id)

    def _take_note(self, change: Change) -> None:
        self.loader.note(change)

    def _show_queue(self, queue: Queue) -> None:
        self.filters.show_queue(queue)
        self._is_following = True
        self.loader.show(queue)
        self._show_count()

    def _show_line(self, line: QueueRow | None) -> None:
        self.model.show_current(line)
        self.filters.edit.own_columns = () if line is None else tuple(line.candidate.own)
        self._is_following = line is not None
        self._follow()

    def _show_line_again(self, line: QueueRow | None) -> None:
        """It may stand elsewhere: the order is another one."""
        self.model.show_current(line)
        self._follow()

    def _follow(self) -> None:
        """Bring the row on the desk into view, once it is known; then leave it to the user."""
        line = self._current.line
        if line is None or not self._is_following or line.position is None:
            return
        blocks = self.model.blocks
        block = blocks.block_of(line.position)
        if block >= blocks.count or (block == blocks.count - 1 and self.loader.is_counting):
            return
        if not blocks.holds(block):
            self.loader.want(block)
            return
        self._is_following = False
        row = blocks.row_of(line.position, line.candidate.id)
        if row is not None:
            self._bring(row)

    def _stand_there(self) -> None:
        """Up and Down begin at the row on the desk."""
        line = self._current.line
        row = None if line is None else self.model.blocks.row_of(line.position, line.candidate.id)
        if row is not None:
            self.table.stand_on(row)

    def _bring(self, row: int) -> None:
        index = self.model.index(row, 0)
        if self.table.hasFocus():
            self.table.stand_on(row)
        area = self.table.viewport().rect()
        is_seen = area.contains(self.table.visualRect(index).center())
        how = QAbstractItemView.ScrollHint
        self.table.scrollTo(index, how.EnsureVisible if is_seen else how.PositionAtCenter)

    def _show_columns(self, _: object = None) -> None:
        """Only those in which something stands, and never what blind mode hides."""
        shown = ALWAYS | self.model.used
        if self._current.blind_mode.is_on:
            shown -= OF_AGENT
        for column in WIDEST:
            self.table.setColumnHidden(column, column not in shown)
        self._be_brief(False)
        if self._lacks_room():
            self._be_brief(True)
        for column in SPARED_FIRST:
            if self._lacks_room():
                self.table.setColumnHidden(column, True)
        if not self.table.isColumnHidden(FLAGS):
            most = self.table.fontMetrics().horizontalAdvance(WIDEST[FLAGS]) + ROOM_PX
            left = self._room_beside_names() - self._taken(FLAGS)
            self.table.setColumnWidth(FLAGS, max(NARROWEST_PX, min(left, most)))

    def _lacks_room(self) -> bool:
        """For the names, whole; flags need no more than a beginning."""
        flags = 0 if self.table.isColumnHidden(FLAGS) else NARROWEST_PX
        is_laid_out = self.table.viewport().width() > 0
        return is_laid_out and self._taken(FLAGS) + flags > self._room_beside_names()

    def _room_beside_names(self) -> int:
        return self.table.viewport().width() - self._name_width()

    def _taken(self, without: int) -> int:
        """By the columns on screen but for the names and that one."""
        beside = [column for column in WIDEST if column not in (OBJECT, without)]
        return sum(self.table.columnWidth(column) for column in beside)

    def _name_width(self) -> int:
        font = QFont(self.table.font())
        font.setBold(True)  # as that on the desk is written
        metrics = QFontMetrics(font)
        least = metrics.horizontalAdvance(WIDEST[OBJECT])
        widest = metrics.horizontalAdvance(self.model.longest_name)
        return min(max(least, widest) + ROOM_PX, WIDEST_NAME_PX)

    def _be_brief(self, on: bool) -> None:
        """Verdicts as marks alone."""
        if on == self.model.is_brief:
            return
        self.model.be_brief(on)
        words = MARKS_ALONE if on else mark_and_word(Verdict.ACCEPT)
        width = self.table.fontMetrics().horizontalAdvance(words)
        self.table.setColumnWidth(VERDICT, width + ROOM_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_columns()

    def _show_count(self) -> None:
        total, is_counting = self.model.blocks.total, self.loader.is_counting
        self.card.note.setText(f"{total:,}…" if is_counting else f"{total:,}")
        is_again = self._current.again.is_on  # where it stands, or what was said, would tell
        self.table.setHidden(is_again)
        self.filters.setDisabled(is_again)
        self.words.setVisible(is_again or (not total and not is_counting))
        self.words.setText(self._why_empty())
        self._follow()

    def _why_empty(self) -> str:
        if self._current.again.is_on:
            return self.tr("Hidden while objects are shown again")
        if self._current.queue.tree == EVERYTHING:
            return self.tr("No candidates yet: open a list (Ctrl+N)")
        return self.tr("No candidate is like that: clear the filter to see all")

    def _tell(self, error: WorkbenchError) -> None:
        self._current.tell(error)
