"""The panel of nearby objects: other epochs and neighbours in the list; a click goes to one."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QHeaderView, QWidget

from agent.errors import WorkbenchError
from app.core.session.records import Change
from app.ui.information.nearby_model import (
    DATE,
    OBJECT,
    SEPARATION,
    VERDICT,
    NearbyFile,
    NearbyModel,
    nearby_files,
)
from app.ui.session_context import SessionContext
from app.ui.settings.settings import Settings
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.candidate_table import CandidateTable
from app.ui.widgets.folding_card import FoldingCard
from app.ui.widgets.labels import column, wrapped_label

SEARCH_DELAY_MS = 120
"""Delay before the search, which is not worth it while a key is held to move on."""
MAX_ROWS = 5
WIDEST = {SEPARATION: '123.4"', DATE: "2020-10-06", VERDICT: "✓ accepted"}
ROOM_PX = 18


class NearbyPanel(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._runner = context.current, context.runner
        self._radius = context.settings.settings.neighbour_arcsec
        self.card = FoldingCard(self.tr("Nearby objects"), self)
        self.model = NearbyModel(context.current_theme, self)
        self.table = CandidateTable(context.current_theme, self.card)
        self.table.setModel(self.model)
        self.table.setAccessibleName(self.tr("Nearby objects"))
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.message = wrapped_label("", "dim", self.card)
        self.card.inside.addWidget(self.message)
        self.card.inside.addWidget(self.table)
        column(self.card, parent=self)
        self._fit_font()
        self.table.font_changed.connect(self._fit_font)
        self._delay = QTimer(self, singleShot=True, interval=SEARCH_DELAY_MS)
        self._delay.timeout.connect(self._search)
        self.table.row_activated.connect(self._go_to)
        self._current.candidate_changed.connect(self._schedule)
        context.bridge.changed.connect(self._session_changed)
        context.settings.changed.connect(self._apply_settings)
        self._show([])
        self._schedule()

    def _fit_font(self) -> None:
        metrics = self.table.fontMetrics()
        self.table.horizontalHeader().setSectionResizeMode(OBJECT, QHeaderView.ResizeMode.Stretch)
        for at, words in WIDEST.items():
            self.table.setColumnWidth(at, metrics.horizontalAdvance(words) + ROOM_PX)
        self._fit_height()

    def _schedule(self, _: object = None) -> None:
        self._delay.start()

    def _apply_settings(self, settings: Settings) -> None:
        if settings.neighbour_arcsec != self._radius:
            self._radius = settings.neighbour_arcsec
            self._schedule()

    def _session_changed(self, change: Change) -> None:
        shown = {each.neighbour.candidate.id for each in self.model.found}
        if change.aspect == "list" or shown & change.candidate_ids:
            self._schedule()

    def _search(self) -> None:
        candidate = self._current.candidate
        if candidate is None:
            self._show([])
            return
        work = partial(nearby_files, self._current.session, candidate, self._radius)
        done = partial(self._show_result, candidate.id)
        self._runner.run(work, done, self._search_failed, owner=self)

    def _show_result(self, candidate_id: int, found: list[NearbyFile]) -> None:
        if self._current.candidate is not None and self._current.candidate.id == candidate_id:
            self._show(found)

    def _search_failed(self, error: WorkbenchError) -> None:
        self._show([])
        self.message.setText(translate_message(str(error)))

    def _show(self, found: list[NearbyFile]) -> None:
        self.model.show_found(found)
        self.card.note.setText(str(len(found)) if found else "")
        self.table.setVisible(bool(found))
        self.message.setVisible(not found)
        self.message.setText(self._why_empty())
        self.table.setColumnHidden(DATE, not any(each.date for each in found))
        self._fit_height()

    def _fit_height(self) -> None:
        rows = min(len(self.model.found), MAX_ROWS)
        head = self.table.horizontalHeader().height()
        self.table.setFixedHeight(head + rows * self.table.row_height + 2)

    def _why_empty(self) -> str:
        candidate = self._current.candidate
        if candidate is None:
            return self.tr("No object selected")
        if candidate.ra is None or candidate.dec is None:
            return self.tr("The list gives no position for this object")
        text = self.tr("No other epoch or neighbour within {radius} arcsec in this list")
        return text.replace("{radius}", f"{self._radius:g}")

    def _go_to(self, row: int) -> None:
        self._current.go_to(self.model.found[row].neighbour.candidate.id)
