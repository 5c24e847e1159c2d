"""Nearby objects: other epochs of this source and its neighbours in the list, a click away."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHeaderView, QLabel, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from app.core.session.records import Change
from app.ui.information.nearby_model import (
    APART,
    DATE,
    OBJECT,
    VERDICT,
    NearbyFile,
    NearbyModel,
    look_nearby,
)
from app.ui.session_context import SessionContext
from app.ui.settings.settings import Settings
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.folding_card import FoldingCard

WAIT_MS = 120
"""Who runs through the list with a held key wants no neighbours."""
MOST_ROWS = 5
WIDEST = {APART: '123.4"', DATE: "2020-10-06", VERDICT: "✓ accepted"}
ROOM_PX = 18


class NearbyPanel(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._current, self._runner = context.current, context.runner
        self._radius = context.settings.settings.neighbour_arcsec
        self.card = FoldingCard(self.tr("Nearby objects"), self)
        self.model = NearbyModel(context.current_theme, self)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Nearby objects"))
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.words = QLabel(self.card)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setProperty("role", "dim")
        self.words.setWordWrap(True)
        self.card.inside.addWidget(self.words)
        self.card.inside.addWidget(self.table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.card)
        self._set_widths()
        self._wait = QTimer(self, singleShot=True, interval=WAIT_MS)
        self._wait.timeout.connect(self._look)
        self.table.wanted.connect(self._go)
        self._current.moved.connect(self._begin)
        context.bridge.changed.connect(self._take_note)
        context.settings.changed.connect(self._take_settings)
        self._show([])
        self._begin()

    def _set_widths(self) -> None:
        metrics = self.table.fontMetrics()
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(OBJECT, QHeaderView.ResizeMode.Stretch)
        for column, words in WIDEST.items():
            self.table.setColumnWidth(column, metrics.horizontalAdvance(words) + ROOM_PX)

    def _begin(self, _: object = None) -> None:
        self._wait.start()

    def _take_settings(self, settings: Settings) -> None:
        if settings.neighbour_arcsec != self._radius:
            self._radius = settings.neighbour_arcsec
            self._begin()

    def _take_note(self, change: Change) -> None:
        numbers = {each.neighbour.candidate.id for each in self.model.found}
        if change.aspect == "list" or numbers & change.candidate_ids:
            self._begin()

    def _look(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._show([])
            return
        work = partial(look_nearby, self._current.session, candidate, self._radius)
        self._runner.run(work, partial(self._came, candidate.id), self._could_not, owner=self)

    def _came(self, of: int, found: list[NearbyFile]) -> None:
        if self._current.candidate is not None and self._current.candidate.id == of:
            self._show(found)

    def _could_not(self, error: WorkbenchError) -> None:
        self._show([])
        self.words.setText(str(error))

    def _show(self, found: list[NearbyFile]) -> None:
        self.model.show_found(found)
        self.card.note.setText(str(len(found)) if found else "")
        self.table.setVisible(bool(found))
        self.words.setVisible(not found)
        self.words.setText(self._why_empty())
        self.table.setColumnHidden(DATE, not any(each.date for each in found))
        rows = min(len(found), MOST_ROWS)
        head = self.table.horizontalHeader().height()
        self.table.setFixedHeight(head + rows * self.table.row_height + 2)

    def _why_empty(self) -> str:
        candidate = self._current.candidate
        if candidate is None:
            return self.tr("Nothing on the desk yet")
        if candidate.ra is None or candidate.dec is None:
            return self.tr("The list gives no position for this object")
        radius = f"{self._radius:g}"
        said = self.tr("No other epoch and no neighbour within {radius} arcsec in this list")
        return said.replace("{radius}", radius)

    def _go(self, row: int) -> None:
        self._current.go_to(self.model.found[row].neighbour.candidate.id)
