"""The queue panel: the candidates in order, their verdicts, the filter and the search."""

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
from app.core.session.records import Verdict
from app.ui.candidate.queue_neighbours import Queue
from app.ui.judging.verdict_text import mark_and_word
from app.ui.queue.filter_bar import FilterBar
from app.ui.queue.find_box import FindBox, ensure_visible
from app.ui.queue.header_sort import HeaderSort
from app.ui.queue.queue_loader import QueueLoader
from app.ui.queue.queue_model import (
    AGENT,
    FLAGS,
    MARKS_TITLE,
    OBJECT,
    P_YES,
    SCORE,
    SNR,
    VERDICT,
    QueueModel,
)
from app.ui.queue.row_menu import RowMenu
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
"""Texts that must fit the columns; the user may widen them."""
ROOM_PX = 12
MAX_NAME_CHARACTERS = 26
"""Of a digit's width: longer names may be cut."""
MIN_FLAGS_PX = 44
HIDDEN_FIRST = (SCORE, SNR, FLAGS, P_YES, AGENT)
"""Columns hidden where room is short; other panels show them for the current candidate."""
COLUMN_OF_ORDER = {"score": SCORE, "snr": SNR, "p_yes": P_YES, "uncertain": P_YES}
"""The column that explains an order; it is not hidden."""
OF_AGENT = frozenset({AGENT, P_YES})
ALWAYS = frozenset({OBJECT, VERDICT})


class QueuePanel(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._commands = context.current, context.commands
        self._is_following = True
        """Whether the current row is still to be scrolled into view."""
        self.card = FoldingCard(self.tr("Queue"), self)
        self.finder = FindBox(context, self.card)
        self.filters = FilterBar(context, self.card)
        self.model = QueueModel(context.current_theme, self)
        self.loader = QueueLoader(context.bridge.session, context.runner, self.model, self)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Queue"))
        self.row_menu = RowMenu(context, self.table, self.model)
        self.header_sort = HeaderSort(self.table)
        self.message = QLabel(self.card)
        self.message.setTextFormat(Qt.TextFormat.PlainText)
        self.message.setProperty("role", "dim")
        self.message.setWordWrap(True)
        self.message.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill_height = QSizePolicy.Policy.Expanding  # while the table is hidden
        self.message.setSizePolicy(QSizePolicy.Policy.Preferred, fill_height)
        self.card.head.insertWidget(1, self.finder, 1)
        self.card.inside.addWidget(self.filters)
        self.card.inside.addWidget(self.message)
        self.card.inside.addWidget(self.table, 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.card)
        self._set_widths()
        self._connect(context)
        self._show_queue(self._current.queue)
        self._show_row(self._current.row)

    def _connect(self, context: SessionContext) -> None:
        context.commands.add("filter", self._start_filter)
        self.filters.queue_requested.connect(self._set_queue)
        self.header_sort.sort_requested.connect(self._set_sort)
        self.table.row_activated.connect(self._go_to)
        self.table.focused.connect(self._focus_current_row)
        self.table.font_changed.connect(self._set_widths)
        self.model.used_changed.connect(self._show_columns)
        self.loader.counted.connect(self._show_count)
        self.loader.filled.connect(self._show_count)
        self.loader.failed.connect(self._report_error)
        self._current.candidate_changed.connect(self._show_row)
        self._current.row_changed.connect(self._show_changed_row)
        self._current.queue_changed.connect(self._show_queue)
        self._current.blind_mode.changed.connect(self._show_columns)
        self._current.repeat_round.changed.connect(self._show_count)
        context.bridge.changed.connect(self.loader.session_changed)
        context.current_theme.changed.connect(self.model.redraw)

    def _set_widths(self) -> None:
        metrics = self.table.fontMetrics()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(OBJECT, QHeaderView.ResizeMode.Stretch)
        translated = {VERDICT: mark_and_word(Verdict.ACCEPT)}
        for column, text in (WIDEST | translated).items():
            width = metrics.horizontalAdvance(text) + ROOM_PX
            needed = header.sectionSizeHint(column) if column in (SNR, AGENT, P_YES) else 0
            self.table.setColumnWidth(column, max(width, needed))
        self._show_columns()

    def _start_filter(self) -> None:
        ensure_visible(self.filters, self._commands)
        self.filters.start_editing()

    def _set_queue(self, tree: Filter, sort: Sort) -> None:
        self._current.set_queue(tree, sort)
        self.filters.show_queue(self._current.queue)  # the old one if that was refused

    def _set_sort(self, sort: Sort) -> None:
        self._set_queue(self._current.queue.tree, sort)
        self.header_sort.show_queue(self._current.queue)

    def _go_to(self, row_index: int) -> None:
        row = self.model.blocks.row(row_index)
        current = self._current.candidate
        if row is not None and (current is None or current.id != row.candidate.id):
            self._current.go_to(row.candidate.id)

    def _show_queue(self, queue: Queue) -> None:
        self.filters.show_queue(queue)
        self.header_sort.show_queue(queue)
        self._is_following = True
        self.loader.show(queue)
        self._show_columns()
        self._show_count()

    def _show_row(self, row: QueueRow | None) -> None:
        self.model.show_current(row)
        self.filters.edit.own_columns = () if row is None else tuple(row.candidate.own)
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
        row_index = blocks.index_of(row.position, row.candidate.id)
        if row_index is not None:
            self._scroll_to(row_index)

    def _focus_current_row(self) -> None:
        """Let Up and Down start at the current row."""
        row = self._current.row
        if row is None:
            return
        row_index = self.model.blocks.index_of(row.position, row.candidate.id)
        if row_index is not None:
            self.table.set_focused_row(row_index)

    def _scroll_to(self, row_index: int) -> None:
        index = self.model.index(row_index, 0)
        if self.table.hasFocus():
            self.table.set_focused_row(row_index)
        area = self.table.viewport().rect()
        is_visible = area.contains(self.table.visualRect(index).center())
        hint = QAbstractItemView.ScrollHint
        self.table.scrollTo(index, hint.EnsureVisible if is_visible else hint.PositionAtCenter)

    def _show_columns(self, _: object = None) -> None:
        """Show the columns that have content and that blind mode does not hide."""
        shown = ALWAYS | self.model.used
        if self._current.blind_mode.is_on:
            shown -= OF_AGENT
        for column in WIDEST:
            self.table.setColumnHidden(column, column not in shown)
        self._set_brief(False)
        if self._is_too_narrow():
            self._set_brief(True)
        ordered = COLUMN_OF_ORDER.get(self._current.queue.sort.key)
        for column in HIDDEN_FIRST:
            if column != ordered and self._is_too_narrow():
                self.table.setColumnHidden(column, True)
        if not self.table.isColumnHidden(FLAGS):
            most = self.table.fontMetrics().horizontalAdvance(WIDEST[FLAGS]) + ROOM_PX
            left = self._room_beside_names() - self._width_without(FLAGS)
            self.table.setColumnWidth(FLAGS, max(MIN_FLAGS_PX, min(left, most)))

    def _is_too_narrow(self) -> bool:
        """Whether names would be cut; flags may be."""
        flags = 0 if self.table.isColumnHidden(FLAGS) else MIN_FLAGS_PX
        is_laid_out = self.table.viewport().width() > 0
        return is_laid_out and self._width_without(FLAGS) + flags > self._room_beside_names()

    def _room_beside_names(self) -> int:
        return self.table.viewport().width() - self._name_width()

    def _width_without(self, excluded: int) -> int:
        """Width of the visible columns, except the names and this one."""
        columns = [column for column in WIDEST if column not in (OBJECT, excluded)]
        return sum(self.table.columnWidth(column) for column in columns)

    def _name_width(self) -> int:
        font = QFont(self.table.font())
        font.setBold(True)  # the current row is bold
        metrics = QFontMetrics(font)
        least = metrics.horizontalAdvance(WIDEST[OBJECT])
        widest = metrics.horizontalAdvance(self.model.longest_name)
        most = metrics.horizontalAdvance("0" * MAX_NAME_CHARACTERS)
        return min(max(least, widest) + ROOM_PX, most)

    def _set_brief(self, on: bool) -> None:
        """Show verdicts as marks without words, or with them."""
        if on == self.model.is_brief:
            return
        self.model.set_brief(on)
        widest = MARKS_TITLE if on else mark_and_word(Verdict.ACCEPT)
        width = self.table.fontMetrics().horizontalAdvance(widest)
        self.table.setColumnWidth(VERDICT, width + ROOM_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_columns()

    def _show_count(self) -> None:
        total, is_counting = self.model.blocks.total, self.loader.is_counting
        self.card.note.setText(f"{total:,}…" if is_counting else f"{total:,}")
        # In a repeat round the queue would give the first verdicts away.
        is_repeat = self._current.repeat_round.is_on
        self.table.setHidden(is_repeat)
        self.filters.setDisabled(is_repeat)
        self.message.setVisible(is_repeat or (not total and not is_counting))
        self.message.setText(self._why_empty())
        self._follow()

    def _why_empty(self) -> str:
        if self._current.repeat_round.is_on:
            return self.tr("Hidden during the repeat round")
        if self._current.queue.tree == EVERYTHING:
            return self.tr("No candidates yet: open a list (Ctrl+N)")
        return self.tr("No candidate matches the filter: clear it to see all")

    def _report_error(self, error: WorkbenchError) -> None:
        self._current.report_error(error)
