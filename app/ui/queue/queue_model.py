"""The queue as a table of any length: lines come when they are looked at, and most are forgotten
again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from app.core.queue import LIST_ORDER, QueuePosition, QueueRow, Sort
from app.core.queue.landmarks import BLOCK
from app.ui.agent.words import chance
from app.ui.judging.flag_menu import STAR
from app.ui.judging.verdict_words import colour, mark_and_word
from app.ui.queue.queue_blocks import QueueBlocks
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.candidate_table import CELL, Cell

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole

OBJECT, VERDICT, SNR, SCORE, AGENT, P_YES, FLAGS = range(7)
NUMBERS = frozenset({SNR, SCORE, P_YES})
TO_COME = "…"
MARKS_ALONE = "✓✕"
"""What stands above marks without words."""
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class QueueModel(QAbstractTableModel):
    wanted = Signal(int)
    """A block whose lines are on screen and not here."""
    used_changed = Signal()
    """Of `used`, or of `longest_name`."""

    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.blocks = QueueBlocks(LIST_ORDER)
        self.used: frozenset[int] = frozenset()
        """Columns in which something stands."""
        self.longest_name = ""
        """Of the objects that were looked at."""
        self.is_brief = False
        """Whether a verdict is its mark alone: there is no room for its word."""
        self._current: QueueRow | None = None

    def be_brief(self, on: bool) -> None:
        if on != self.is_brief:
            self.is_brief = on
            self.redraw()
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, VERDICT, VERDICT)

    def begin(self, sort: Sort) -> None:
        """Another queue, of which nothing is known yet."""
        self.beginResetModel()
        self.blocks = QueueBlocks(sort)
        self.endResetModel()

    def extend(self, ends: Sequence[QueuePosition], rest: int) -> None:
        """Rows are added at the end, or go from there."""
        blocks = self.blocks
        last = blocks.span(blocks.count - 1)
        more = len(ends) * BLOCK + rest - last.count
        before = blocks.total
        if more > 0:
            self.beginInsertRows(ROOT, before, before + more - 1)
            blocks.extend(ends, rest)
            self.endInsertRows()
        elif ends or more < 0:
            self.beginResetModel()
            blocks.extend(ends, rest)
            self.endResetModel()

    def fill(self, block: int, lines: Sequence[QueueRow]) -> None:
        """The lines of a block as they are now: rows come and go where they differ in number."""
        blocks = self.blocks
        edit = blocks.edit(block, lines)
        first = blocks.span(block).first
        if edit.gone:
            self.beginRemoveRows(ROOT, first + edit.at, first + edit.at + edit.gone - 1)
            blocks.cut(block, edit.at, edit.gone)
            self.endRemoveRows()
        if edit.come:
            self.beginInsertRows(ROOT, first + edit.at, first + edit.at + edit.come - 1)
            blocks.fill(block, lines)
            self.endInsertRows()
        else:
            blocks.fill(block, lines)
        if lines:
            self._redraw(first, first + len(lines) - 1)
        self._note_used(lines)

    def show_current(self, line: QueueRow | None) -> None:
        """Draws two rows anew, not all: it happens with every key."""
        before, self._current = self._current, line
        for each in (before, line):
            row = None if each is None else self.blocks.row_of(each.position, each.candidate.id)
            if row is not None:
                self._redraw(row, row)

    def redraw(self) -> None:
        if self.blocks.total:
            self._redraw(0, self.blocks.total - 1)

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.blocks.total

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else 7

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole and section in NUMBERS:
            return RIGHT
        if role != Role.DisplayRole:
            return None
        return (
            self.tr("object"),
            MARKS_ALONE if self.is_brief else self.tr("verdict"),
            self.tr("S/N"),
            self.tr("score"),
            self.tr("agent"),
            self.tr("p(YES)"),
            self.tr("flags"),
        )[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= self.blocks.total:
            return None
        line = self.blocks.line(index.row())
        if line is None:
            return self._not_here(index, role)
        column = index.column()
        match role:
            case Role.DisplayRole:
                return self._text(line, column)
            case Role.ToolTipRole:
                return self._about(line)
            case _ if role == CELL:
                text, colour = self._text(line, column), self._colour(line, column)
                if self.is_brief and column == VERDICT:
                    text = text[:1]
                return Cell(text, colour, column in NUMBERS, self._is_current(line))
        return None

    def _text(self, line: QueueRow, column: int) -> str:
        is_broken = column == VERDICT and _verdict(line) is None and line.candidate.fault
        return self.tr("! broken") if is_broken else text_of(line, column)

    def _not_here(self, index: Index, role: int) -> Any:
        text = TO_COME if index.column() == OBJECT else ""
        if role == CELL:
            if text:
                self.wanted.emit(self.blocks.block_of_row(index.row()))
            return Cell(text, self._current_theme.theme.dim)
        return text if role == Role.DisplayRole else None

    def _is_current(self, line: QueueRow) -> bool:
        return self._current is not None and line.candidate.id == self._current.candidate.id

    def _colour(self, line: QueueRow, column: int) -> str:
        theme = self._current_theme.theme
        if column != VERDICT:
            return theme.text
        verdict = _verdict(line)
        return theme.warning if verdict is None and line.candidate.fault else colour(theme, verdict)

    def _about(self, line: QueueRow) -> str:
        verdict = text_of(line, VERDICT)
        lines = [line.candidate.object_id, line.candidate.fault, verdict]
        if line.mine is not None:
            lines += [", ".join(line.mine.opinion.flags), line.mine.opinion.comment]
        return "\n".join(each for each in lines if each)

    def _redraw(self, first: int, last: int) -> None:
        self.dataChanged.emit(self.index(first, 0), self.index(last, FLAGS))

    def _note_used(self, lines: Sequence[QueueRow]) -> None:
        found = frozenset().union(*(_used(line) for line in lines)) - self.used
        longest = max((text_of(line, OBJECT) for line in lines), key=len, default="")
        is_longer = len(longest) > len(self.longest_name)
        if is_longer:
            self.longest_name = longest
        if found or is_longer:
            self.used |= found
            self.used_changed.emit()


def text_of(line: QueueRow, column: int) -> str:
    candidate = line.candidate
    match column:
        case 0:
            return candidate.object_id or f"#{candidate.id}"
        case 1:
            verdict = _verdict(line)
            return "" if verdict is None else mark_and_word(verdict)
        case 2:
            return "" if candidate.snr is None else f"{candidate.snr:.1f}"
        case 3:
            return "" if candidate.score is None else f"{candidate.score:.3g}"
        case 4:
            return candidate.agent_verdict or ("–" if candidate.agent_stopped_by else "")
        case 5:
            return "" if candidate.agent_p_yes is None else chance(candidate.agent_p_yes)
    flags = () if line.mine is None else line.mine.opinion.flags
    star = "★ " if STAR in flags else ""
    return star + ", ".join(each for each in flags if each != STAR)


def _verdict(line: QueueRow) -> Any:
    return None if line.mine is None else line.mine.opinion.verdict


def _used(line: QueueRow) -> set[int]:
    candidate = line.candidate
    used = {
        SNR: candidate.snr is not None,
        SCORE: candidate.score is not None,
        AGENT: bool(candidate.agent_stopped_by or candidate.agent_verdict),
        P_YES: candidate.agent_p_yes is not None,
        FLAGS: line.mine is not None and bool(line.mine.opinion.flags),
    }
    return {column for column, is_used in used.items() if is_used}
