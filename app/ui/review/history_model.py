"""Table model of the log of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from agent.trajectory.p_yes import probability_text
from app.core.session.finer_values import subclass_levels
from app.core.session.log_pages import LogLine
from app.core.session.own_fields import value_text
from app.core.session.records import LogEntry
from app.ui.judging.verdict_text import confidence_meaning, mark_and_word

Index = QModelIndex | QPersistentModelIndex
MAX_TEXT = 300
ROOT = QModelIndex()


class HistoryModel(QAbstractTableModel):
    """Log entries, newest first. In blind mode the results shown to people other than `me` are
    hidden."""

    def __init__(self, me: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._me = me
        self.is_blind = False
        self.lines: list[LogLine] = []
        self.titles = (
            self.tr("When"),
            self.tr("Who"),
            self.tr("Object"),
            self.tr("Verdict"),
            self.tr("Seconds"),
            self.tr("Agent's result was shown"),
            self.tr("Comment"),
        )

    def reset(self, lines: Sequence[LogLine], *, is_blind: bool) -> None:
        self.beginResetModel()
        self.lines, self.is_blind = list(lines), is_blind
        self.endResetModel()

    def append(self, lines: Sequence[LogLine]) -> None:
        """Add older entries at the end."""
        if lines:
            first = len(self.lines)
            self.beginInsertRows(QModelIndex(), first, first + len(lines) - 1)
            self.lines.extend(lines)
            self.endInsertRows()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: Index = ROOT) -> int:
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
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self._cells(self.lines[index.row()])[index.column()][:MAX_TEXT]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() == 4:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def _cells(self, line: LogLine) -> tuple[str, ...]:
        entry = line.entry
        return (
            local_time(entry.at),
            entry.reviewer,
            line.object_id,
            self._verdict_text(entry),
            "" if entry.seconds is None else f"{entry.seconds:.1f}",
            self._shown_text(entry),
            " ".join(entry.opinion.comment[: 2 * MAX_TEXT].split()),
        )

    def _verdict_text(self, entry: LogEntry) -> str:
        opinion = entry.opinion
        text = mark_and_word(opinion.verdict)
        if opinion.confidence is not None:
            text += f" · {confidence_meaning(opinion.confidence)}"
        if opinion.flags:
            text += f" · {', '.join(opinion.flags)}"
        if opinion.subclass:
            text += f" · {' › '.join(subclass_levels(opinion.subclass))}"
        text += "".join(f" · {name} = {value_text(value)}" for name, value in opinion.fields)
        if entry.action == "undo":
            return self.tr("undone, now: {what}").replace("{what}", text)
        if entry.action == "redo":
            return self.tr("redone: {what}").replace("{what}", text)
        return text

    def _shown_text(self, entry: LogEntry) -> str:
        if not entry.shown or entry.action != "set":
            return ""
        if self.is_blind and entry.reviewer != self._me:
            return self.tr("hidden in blind mode")
        verdict, p_yes = entry.shown.get("verdict"), entry.shown.get("p_yes")
        parts = [str(each) for each in (verdict, entry.shown.get("model")) if each]
        if isinstance(p_yes, float):
            parts.insert(1 if verdict else 0, probability_text(p_yes))
        return " · ".join(parts)


def local_time(at: str) -> str:
    """A stored UTC time in local time; text that is no time is returned as it is."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime("%Y-%m-%d %H:%M:%S")
    except ValueError:
        return at[:19]
