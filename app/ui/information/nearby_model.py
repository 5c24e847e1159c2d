"""Neighbours for a table view."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.importing.role_names import plain
from app.core.queue import Neighbour, neighbours
from app.core.session.records import Candidate, Judgement
from app.core.session.session import Session
from app.ui.judging.verdict_words import colour, mark_and_word
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.candidate_table import CELL, Cell

DATES = ("obsdate", "date_obs", "date", "night", "lmjd", "mjd", "mjd_obs")
SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class NearbyFile:
    neighbour: Neighbour
    date: str
    mine: Judgement | None


def look_nearby(session: Session, candidate: Candidate, radius_arcsec: float) -> list[NearbyFile]:
    """Nearest first, at most SHOWN. Any thread."""
    found = neighbours(session, candidate, radius_arcsec)[:SHOWN]
    return [
        NearbyFile(
            neighbour=each,
            date=date_of(each.candidate.own),
            mine=session.judgement(each.candidate.id),
        )
        for each in found
    ]


def date_of(own: Mapping[str, Any]) -> str:
    """Of the observation, where the list tells; empty where it does not."""
    by_name = {plain(name): value for name, value in own.items()}
    for name in DATES:
        value = by_name.get(name)
        if value not in (None, ""):
            return str(value)[:10]
    return ""


Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
APART, OBJECT, DATE, VERDICT = range(4)
SAME = "="
"""Of the same name: another epoch."""


class NearbyModel(QAbstractTableModel):
    def __init__(self, current_theme: CurrentTheme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self.found: Sequence[NearbyFile] = ()

    def show_found(self, found: Sequence[NearbyFile]) -> None:
        self.beginResetModel()
        self.found = found
        self.endResetModel()

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self.found)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else 4

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole
    ) -> Any:
        if role != Role.DisplayRole or orientation != Qt.Orientation.Horizontal:
            return None
        return (self.tr("apart"), self.tr("object"), self.tr("date"), self.tr("verdict"))[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.found):
            return None
        each = self.found[index.row()]
        verdict = None if each.mine is None else each.mine.opinion.verdict
        if role == Role.DisplayRole:
            return self._text(each, index.column())
        if role == Role.ToolTipRole:
            return self._about(each)
        if role == CELL:
            theme = self._current_theme.theme
            tone = colour(theme, verdict) if index.column() == VERDICT else theme.text
            return Cell(self._text(each, index.column()), tone)
        return None

    def _text(self, each: NearbyFile, column: int) -> str:
        candidate = each.neighbour.candidate
        match column:
            case 0:
                return apart(each)
            case 1:
                mark = f"{SAME} " if each.neighbour.is_same_object else ""
                return mark + (candidate.object_id or f"#{candidate.id}")
            case 2:
                return each.date
        verdict = None if each.mine is None else each.mine.opinion.verdict
        return mark_and_word(verdict) if verdict is not None else "–"

    def _about(self, each: NearbyFile) -> str:
        same = self.tr("another epoch of the same object")
        near = self.tr("another object nearby")
        name = each.neighbour.candidate.object_id or f"#{each.neighbour.candidate.id}"
        return f"{name}\n{same if each.neighbour.is_same_object else near}"


def apart(each: NearbyFile) -> str:
    """Arcseconds, or minutes where there are many."""
    separation = each.neighbour.separation
    if separation is None:
        return "–"
    return f'{separation:.1f}"' if separation < 600 else f"{separation / 60:.0f}'"
