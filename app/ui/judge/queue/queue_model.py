"""Table model of a queue of any length: rows are loaded when they come into view."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from agent.trajectory.p_yes import probability_text
from app.core.queue import LIST_ORDER, QueuePosition, QueueRow, Sort
from app.core.queue.column_values import MINE, SUBCLASS, gives_class_away
from app.core.queue.landmarks import BLOCK, order_key
from app.core.queue.own_columns import OwnColumn
from app.core.session.subclass_and_fields import most_specific
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.queue.columns import (
    AGENT,
    FIRST_OWN,
    FLAGS,
    KEYS,
    MEMBERS,
    NUMBERS,
    OBJECT,
    P_COMBINED,
    P_YES,
    SCORE,
    SNR,
    SPECTRUM,
    VERDICT,
    fixed_title,
    own_key,
)
from app.ui.judge.queue.sparklines import Sparklines
from app.ui.judge.verdict.flag_row import STAR
from app.ui.judge.verdict.verdict_text import MARKS, mark_and_word, verdict_colour, with_conflict
from app.ui.widgets.candidate_table import CELL, Cell
from app.ui.widgets.labels import MAX_NAME, one_line

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole

LOADING = "…"
MAX_TITLE = 60
MARKS_TITLE = "✓✕"  # column title for verdicts shown as marks without words
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class QueueModel(QAbstractTableModel):
    block_needed = Signal(int)  # a block that is on screen but not in memory
    used_changed = Signal()  # `used` or `longest_name` changed

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.blocks = QueueBlocks(LIST_ORDER)
        self.used: frozenset[int] = frozenset()  # columns with any content
        self.longest_name = ""  # longest object name loaded so far
        self.is_brief = False  # whether verdicts are shown as marks without words, for lack of room
        self.marks_conflict = False
        """Whether the column of verdicts marks where members of the panel contradict each other."""
        self.own: tuple[OwnColumn, ...] = ()  # the list's own columns, which follow the fixed ones
        self.names: Mapping[str, str] = {}  # names that the person gave columns, by key
        self.sorted_column: int | None = None
        """The column whose title has an arrow, which stands where titles of numbers end."""
        self.sparklines: Sparklines | None = None
        self._current: QueueRow | None = None

    def set_own(self, columns: Sequence[OwnColumn]) -> None:
        if self.own:
            self.beginRemoveColumns(ROOT, FIRST_OWN, self.columnCount() - 1)
            self.own = ()
            self.endRemoveColumns()
        if columns:
            self.beginInsertColumns(ROOT, FIRST_OWN, FIRST_OWN + len(columns) - 1)
            self.own = tuple(columns)
            self.endInsertColumns()

    def set_names(self, names: Mapping[str, str]) -> None:
        if names != self.names:
            self.names = dict(names)
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)

    def key_of(self, column: int) -> str:
        """The name of a column in sessions."""
        return KEYS[column] if column < FIRST_OWN else own_key(self.own[column - FIRST_OWN].name)

    def column_of(self, key: str) -> int | None:
        if key in KEYS:
            return KEYS.index(key)
        names = [own_key(each.name) for each in self.own]
        return FIRST_OWN + names.index(key) if key in names else None

    def title(self, column: int) -> str:
        """The name of a column, as the person calls it."""
        return self.names.get(self.key_of(column)) or self.original_title(column)

    def original_title(self, column: int) -> str:
        if column < FIRST_OWN:
            return fixed_title(column)
        name = self.own[column - FIRST_OWN].name
        is_subclass = name == SUBCLASS
        return self.tr("sub-class") if is_subclass else one_line(name.removeprefix(MINE), MAX_TITLE)

    def is_number(self, column: int) -> bool:
        return column in NUMBERS if column < FIRST_OWN else self.own[column - FIRST_OWN].is_number

    @property
    def giving_class_away(self) -> frozenset[int]:
        """Columns of services that know the class, which blind mode hides."""
        names = enumerate((each.name for each in self.own), FIRST_OWN)
        return frozenset(column for column, name in names if gives_class_away(name))

    def set_brief(self, on: bool) -> None:
        if on != self.is_brief:
            self.is_brief = on
            self.redraw()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, VERDICT, VERDICT)

    def set_marks_conflict(self, on: bool) -> None:
        if on != self.marks_conflict:
            self.marks_conflict = on
            self.redraw()

    def begin(self, sort: Sort) -> None:
        """Start with another queue, of which nothing is loaded yet."""
        self.beginResetModel()
        self.blocks = QueueBlocks(sort)
        self.endResetModel()

    def extend(self, ends: Sequence[QueuePosition], rest: int) -> None:
        """Add counted rows at the end, or remove some."""
        blocks = self.blocks
        more = len(ends) * BLOCK + rest - blocks.span(blocks.count - 1).count
        before = blocks.total
        if more > 0:
            self.beginInsertRows(ROOT, before, before + more - 1)
            blocks.extend(ends, rest)
            self.endInsertRows()
        elif ends or more < 0:
            self.beginResetModel()
            blocks.extend(ends, rest)
            self.endResetModel()

    def fill(self, block: int, rows: Sequence[QueueRow]) -> None:
        """Replace the rows of a block, inserting or removing rows where their number differs."""
        blocks = self.blocks
        edit = blocks.edit(block, rows)
        first = blocks.span(block).first
        if edit.removed:
            self.beginRemoveRows(ROOT, first + edit.at, first + edit.at + edit.removed - 1)
            blocks.cut(block, edit.at, edit.removed)
            self.endRemoveRows()
        if edit.added:
            self.beginInsertRows(ROOT, first + edit.at, first + edit.at + edit.added - 1)
            blocks.fill(block, rows)
            self.endInsertRows()
        else:
            blocks.fill(block, rows)
        if rows:
            self._redraw(first, first + len(rows) - 1)
        before = self.used, self.longest_name
        self.used = self.used.union(*(_used(row) for row in rows))
        names = (text_of(row, OBJECT)[:MAX_NAME] for row in rows)
        self.longest_name = max((self.longest_name, *names), key=len)
        if (self.used, self.longest_name) != before:
            self.used_changed.emit()

    def show_current(self, row: QueueRow | None) -> None:
        """Mark the current row. Only two rows are redrawn, since this happens at every step."""
        before, self._current = self._current, row
        for each in filter(None, (before, row)):
            index = self.blocks.index_of(each.position, each.candidate.id)
            if index is not None:
                self._redraw(index, index)

    def redraw_ids(self, candidate_ids: frozenset[int]) -> None:
        for index in self.blocks.indices_of(candidate_ids):
            self._redraw(index, index)

    def redraw(self) -> None:
        if self.blocks.total:
            self._redraw(0, self.blocks.total - 1)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.blocks.total

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else FIRST_OWN + len(self.own)

    def headerData(self, section: int, side: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if side != Qt.Orientation.Horizontal:
            return None
        is_marked = section == self.sorted_column
        if role == Role.TextAlignmentRole and self.is_number(section) and not is_marked:
            return RIGHT
        if role == Role.ToolTipRole:
            about = self.tr(
                "p(YES) of spectrum and catalogues, not calibrated; dim: spectrum alone"
            )
            members = self.tr("What the panel's members say where they disagree")
            told = {P_COMBINED: about, MEMBERS: members}
            return told.get(section) or self.original_title(section)
        if role != Role.DisplayRole:
            return None
        is_marks = self.is_brief and section == VERDICT and KEYS[VERDICT] not in self.names
        return MARKS_TITLE if is_marks else self.title(section)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.blocks.total:
            return None
        row = self.blocks.row(index.row())
        if row is None:
            return self._loading_cell(index, role)
        column = index.column()
        match role:
            case Role.DisplayRole:
                return self._text(row, column)
            case Role.ToolTipRole:
                verdict = text_of(row, VERDICT)
                lines = [row.candidate.object_id, translate_message(row.candidate.fault), verdict]
                lines += [", ".join(row.opinion.flags), row.opinion.comment]
                return "\n".join(each for each in lines if each)
            case _ if role == CELL:
                text, colour = self._text(row, column), self._colour(row, column)
                if self.is_brief and column == VERDICT:
                    text = text[:1]
                here = self._current
                is_current = here is not None and row.candidate.id == here.candidate.id
                if column == SPECTRUM and self.sparklines is not None:
                    line, text = self.sparklines.of(row.candidate)
                    return Cell(text, self._current_theme.theme.dim, False, is_current, line)
                return Cell(text, colour, self.is_number(column), is_current)
        return None

    def _text(self, row: QueueRow, column: int) -> str:
        if column >= FIRST_OWN:
            return own_text(row.value(self.own[column - FIRST_OWN].name))
        is_broken = column == VERDICT and row.opinion.verdict is None and row.candidate.fault
        if column == VERDICT and self._is_marked(row):
            return with_conflict("", row.candidate).strip()
        return self.tr("! broken") if is_broken else text_of(row, column)

    def _is_marked(self, row: QueueRow) -> bool:
        is_open = row.opinion.verdict is None and not row.candidate.fault
        return self.marks_conflict and is_open and bool(row.candidate.agent_members)

    def _loading_cell(self, index: Index, role: int) -> Any:
        text = LOADING if index.column() == OBJECT else ""
        if role == CELL:
            if text:
                self.block_needed.emit(self.blocks.block_of_row(index.row()))
            return Cell(text, self._current_theme.theme.dim)
        return text if role == Role.DisplayRole else None

    def _colour(self, row: QueueRow, column: int) -> str:
        theme = self._current_theme.theme
        is_told = column in (AGENT, P_YES, MEMBERS) and row.candidate.agent_members
        if is_told or (column == VERDICT and self._is_marked(row)):
            return theme.warning
        if column == P_COMBINED and row.candidate.catalogue_log_odds is None:
            return theme.dim  # as the spectrum alone
        if column != VERDICT:
            return theme.text
        verdict = row.opinion.verdict
        is_broken = verdict is None and row.candidate.fault
        return theme.warning if is_broken else verdict_colour(theme, verdict)

    def _redraw(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, self.columnCount() - 1))


def text_of(row: QueueRow, column: int) -> str:
    candidate = row.candidate
    match column:
        case 0:
            return candidate.name
        case 1:  # the mark with the word, or with the sub-class where there is one
            verdict, narrowest = row.opinion.verdict, most_specific(row.opinion.subclass)
            if verdict is not None and narrowest:
                return f"{MARKS[verdict]} {narrowest}"
            return "" if verdict is None else mark_and_word(verdict)
        case 2:
            return "" if candidate.snr is None else f"{candidate.snr:.1f}"
        case 3:
            return "" if candidate.score is None else f"{candidate.score:.3g}"
        case 4:
            answer = candidate.agent_verdict or ("–" if candidate.agent_stopped_by else "")
            return with_conflict(answer, candidate)
        case 5:
            return "" if candidate.agent_p_yes is None else probability_text(candidate.agent_p_yes)
        case 6:
            p_combined = candidate.p_combined
            return "" if p_combined is None else probability_text(p_combined)
        case 7:
            return one_line(candidate.agent_members[:MAX_NAME])
        case 9:
            return ""
    star = "★ " if STAR in row.opinion.flags else ""
    return star + ", ".join(each for each in row.opinion.flags if each != STAR)


def own_text(value: Any) -> str:
    """A value of the list as a cell shows it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.6g}" if isinstance(value, float) else one_line(str(value)[:MAX_NAME])


def _used(row: QueueRow) -> set[int]:
    candidate = row.candidate
    used = {
        SNR: candidate.snr is not None,
        SCORE: candidate.score is not None,
        AGENT: bool(candidate.agent_stopped_by or candidate.agent_verdict),
        P_YES: candidate.agent_p_yes is not None,
        MEMBERS: bool(candidate.agent_members),
        FLAGS: bool(row.opinion.flags),
    }
    return {column for column, is_used in used.items() if is_used}


# The rows of a queue, in blocks between landmarks, of which a few are kept in memory: without Qt
# and database.
HELD = 32  # blocks kept in memory


@dataclass(frozen=True)
class Span:
    """`count` rows, starting at index `first`."""

    first: int
    count: int


@dataclass(frozen=True)
class Edit:
    """A change of a block's rows: at index `at`, `removed` rows are replaced by `added`."""

    at: int
    removed: int
    added: int


class QueueBlocks:
    """The blocks of a queue. The last one is open: it holds everything after the last landmark."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self._ends: list[QueuePosition] = []
        self._keys: list[tuple[float, float]] = []
        self._counts: list[int] = [0]
        self._firsts: list[int] = [0, 0]
        self._held: OrderedDict[int, tuple[QueueRow, ...]] = OrderedDict()

    @property
    def total(self) -> int:
        return self._firsts[-1]

    @property
    def count(self) -> int:
        return len(self._counts)

    def extend(self, ends: Sequence[QueuePosition], rest: int) -> None:
        """Add landmarks found while counting; `rest` is the new size of the last block."""
        self._held.pop(len(self._ends), None)
        self._ends += ends
        self._keys += [order_key(self.sort, each) for each in ends]
        self._counts[-1:] = [*([BLOCK] * len(ends)), rest]
        self._update_firsts()

    def between(self, block: int) -> tuple[QueuePosition | None, QueuePosition | None]:
        """The position before the block's first row, and that of its last row."""
        after = self._ends[block - 1] if block else None
        return after, self._ends[block] if block < len(self._ends) else None

    def span(self, block: int) -> Span:
        return Span(self._firsts[block], self._counts[block])

    def block_of_row(self, index: int) -> int:
        return bisect_right(self._firsts, index, hi=self.count) - 1

    def block_of(self, position: QueuePosition) -> int:
        return bisect_left(self._keys, order_key(self.sort, position))

    def holds(self, block: int) -> bool:
        return block in self._held

    def row(self, index: int) -> QueueRow | None:
        """The row at an index; None if its block is not in memory."""
        block = self.block_of_row(index)
        rows = self._held.get(block)
        at = index - self._firsts[block]
        if rows is None or at >= len(rows):
            return None
        self._held.move_to_end(block)
        return rows[at]

    def index_of(self, position: QueuePosition, candidate_id: int) -> int | None:
        """Index of a candidate; None if its block is not in memory or it is not in the queue."""
        try:
            block = self.block_of(position)
        except TypeError:  # of a row that was read in another order, by names or by numbers
            return None
        for at, row in enumerate(self._held.get(block, ())):
            if row.candidate.id == candidate_id:
                return self._firsts[block] + at
        return None

    def indices_of(self, candidate_ids: frozenset[int]) -> list[int]:
        """Indices of these candidates, as far as they are in memory."""
        return [
            self._firsts[block] + at
            for block, rows in self._held.items()
            for at, row in enumerate(rows)
            if row.candidate.id in candidate_ids
        ]

    def edit(self, block: int, rows: Sequence[QueueRow]) -> Edit:
        """The change that turns the block's rows into these."""
        before = self._ids(block)
        now = [row.candidate.id for row in rows]
        shortest = min(len(before), len(now))
        same = next((at for at in range(shortest) if before[at] != now[at]), shortest)
        behind = 0
        while behind < shortest - same and before[-1 - behind] == now[-1 - behind]:
            behind += 1
        removed, added = len(before) - same - behind, len(now) - same - behind
        kept = min(removed, added)  # replaced row by row, which only needs a redraw
        return Edit(at=same + kept, removed=removed - kept, added=added - kept)

    def cut(self, block: int, at: int, count: int) -> None:
        if (rows := self._held.get(block)) is not None:
            self._held[block] = (*rows[:at], *rows[at + count :])
        self._counts[block] -= count
        self._update_firsts()

    def fill(self, block: int, rows: Sequence[QueueRow]) -> None:
        self._held[block] = tuple(rows)
        self._held.move_to_end(block)
        self._counts[block] = len(rows)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        self._update_firsts()

    def forget(self) -> None:
        """Drop all rows from memory, so that they are read again."""
        self._held.clear()

    def _ids(self, block: int) -> list[int | None]:
        rows = self._held.get(block)
        if rows is None:
            return [None] * self._counts[block]
        return [row.candidate.id for row in rows]

    def _update_firsts(self) -> None:
        self._firsts = [0, *accumulate(self._counts)]
