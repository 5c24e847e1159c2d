"""Table model of other epochs and neighbours of an object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from app.core.importing.role_names import normalized_name
from app.core.queue import Neighbour, neighbours
from app.core.session.records import Candidate, Judgement
from app.core.session.session import Session
from app.ui.judging.verdict_text import mark_and_word, verdict_colour
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.candidate_table import CELL, Cell

DATE_COLUMNS = ("obsdate", "date_obs", "date", "night", "lmjd", "mjd", "mjd_obs")
MAX_SHOWN = 50


@dataclass(frozen=True, kw_only=True)
class NearbyFile:
    """A neighbour with its date of observation and the reviewer's own judgement."""

    neighbour: Neighbour
    date: str
    mine: Judgement | None


def nearby_files(session: Session, candidate: Candidate, radius_arcsec: float) -> list[NearbyFile]:
    """Neighbours of a candidate, nearest first, at most MAX_SHOWN. Any thread."""
    found = neighbours(session, candidate, radius_arcsec)[:MAX_SHOWN]
    return [
        NearbyFile(
            neighbour=each,
            date=date_of(each.candidate.own),
            mine=session.judgement(each.candidate.id),
        )
        for each in found
    ]


def date_of(own: Mapping[str, Any]) -> str:
    """Date of the observation from the list's columns; empty if there is none."""
    by_name = {normalized_name(name): value for name, value in own.items()}
    for name in DATE_COLUMNS:
        value = by_name.get(name)
        if value not in (None, ""):
            return str(value)[:10]
    return ""


Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
SEPARATION, OBJECT, DATE, VERDICT = range(4)
SAME = "="
"""Marks another epoch of the same object."""


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
        return (self.tr("sep."), self.tr("object"), self.tr("date"), self.tr("verdict"))[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.found):
            return None
        each = self.found[index.row()]
        verdict = None if each.mine is None else each.mine.opinion.verdict
        if role == Role.DisplayRole:
            return self._text(each, index.column())
        if role == Role.ToolTipRole:
            same = self.tr("another epoch of the same object")
            near = self.tr("another object nearby")
            name = each.neighbour.candidate.object_id or f"#{each.neighbour.candidate.id}"
            return f"{name}\n{same if each.neighbour.is_same_object else near}"
        if role == CELL:
            theme = self._current_theme.theme
            tone = verdict_colour(theme, verdict) if index.column() == VERDICT else theme.text
            return Cell(self._text(each, index.column()), tone)
        return None

    def _text(self, each: NearbyFile, column: int) -> str:
        candidate = each.neighbour.candidate
        match column:
            case 0:
                return separation_text(each)
            case 1:
                mark = f"{SAME} " if each.neighbour.is_same_object else ""
                return mark + (candidate.object_id or f"#{candidate.id}")
            case 2:
                return each.date
        verdict = None if each.mine is None else each.mine.opinion.verdict
        return mark_and_word(verdict) if verdict is not None else "–"


def separation_text(each: NearbyFile) -> str:
    """The separation in arcseconds, or in arcminutes from 10 on."""
    separation = each.neighbour.separation
    if separation is None:
        return "–"
    return f'{separation:.1f}"' if separation < 600 else f"{separation / 60:.0f}'"
