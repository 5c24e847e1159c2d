"""Lines of the log as a table."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.session.log_pages import LogLine
from app.core.session.records import LogEntry
from app.ui.agent.words import chance
from app.ui.judging.verdict_words import mark_and_word, meaning

Index = QModelIndex | QPersistentModelIndex
LONGEST = 300
NOWHERE = QModelIndex()


class HistoryModel(QAbstractTableModel):
    """Newest first. `me` reads it: in blind mode what others had been shown is hidden."""

    def __init__(self, me: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._me = me
        self.is_blind = False
        self.lines: list[LogLine] = []
        self.titles = (
            self.tr("When"),
            self.tr("Who"),
            self.tr("Object"),
            self.tr("What"),
            self.tr("Seconds"),
            self.tr("Had seen of the agent"),
            self.tr("Comment"),
        )

    def start_over(self, lines: Sequence[LogLine], *, is_blind: bool) -> None:
        self.beginResetModel()
        self.lines, self.is_blind = list(lines), is_blind
        self.endResetModel()

    def append(self, lines: Sequence[LogLine]) -> None:
        """Older ones."""
        if lines:
            first = len(self.lines)
            self.beginInsertRows(QModelIndex(), first, first + len(lines) - 1)
            self.lines.extend(lines)
            self.endInsertRows()

    def rowCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.titles)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.titles[section]
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cells(self.lines[index.row()])[index.column()][:LONGEST]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 4:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _cells(self, line: LogLine) -> tuple[str, ...]:
        entry = line.entry
        return (
            local_time(entry.at),
            entry.reviewer,
            line.object_id,
            self._what(entry),
            "" if entry.seconds is None else f"{entry.seconds:.1f}",
            self._shown(entry),
            " ".join(entry.opinion.comment.split()),
        )

    def _what(self, entry: LogEntry) -> str:
        opinion = entry.opinion
        said = mark_and_word(opinion.verdict)
        if opinion.confidence is not None:
            said += f" · {meaning(opinion.confidence)}"
        if opinion.flags:
            said += f" · {', '.join(opinion.flags)}"
        if entry.action == "undo":
            return self.tr("undone, now: {what}").replace("{what}", said)
        if entry.action == "redo":
            return self.tr("done again: {what}").replace("{what}", said)
        return said

    def _shown(self, entry: LogEntry) -> str:
        if not entry.shown or entry.action != "set":
            return ""
        if self.is_blind and entry.reviewer != self._me:
            return self.tr("hidden in blind mode")
        verdict, p_yes = entry.shown.get("verdict"), entry.shown.get("p_yes")
        parts = [str(each) for each in (verdict, entry.shown.get("model")) if each]
        if isinstance(p_yes, float):
            parts.insert(1 if verdict else 0, chance(p_yes))
        return " · ".join(parts)


def local_time(at: str) -> str:
    """UTC as it is kept, in the time of this place; what is no time stays as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return at[:19]
