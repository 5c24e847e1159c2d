"""A click on a column's title orders the queue by it: highest first, lowest first, as listed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.core.queue import Sort
from app.core.queue.sorts import SortKey
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.queue_model import P_YES, SCORE, SNR
from app.ui.widgets.candidate_table import CandidateTable

KEYS: dict[int, SortKey] = {SCORE: "score", SNR: "snr", P_YES: "p_yes"}
"""Columns of numbers; by the others the queue has no order."""


class HeaderSort(QObject):
    sort_requested = Signal(object)

    def __init__(self, table: CandidateTable) -> None:
        super().__init__(table)
        self._header = table.horizontalHeader()
        self._sort = Sort()
        self._header.setSectionsClickable(True)
        self._header.sectionClicked.connect(self._click)

    def show_queue(self, queue: Queue) -> None:
        """Mark the column by which the queue is ordered."""
        self._sort = queue.sort
        column = next((each for each, key in KEYS.items() if key == queue.sort.key), None)
        self._header.setSortIndicatorShown(column is not None)
        if column is not None:
            is_down = queue.sort.descending
            order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
            self._header.setSortIndicator(column, order)

    def _click(self, column: int) -> None:
        key = KEYS.get(column)
        if key is None:
            self.sort_requested.emit(Sort())
        elif self._sort.key != key:
            self.sort_requested.emit(Sort(key=key, descending=True))
        elif self._sort.descending:
            self.sort_requested.emit(Sort(key=key, descending=False))
        else:
            self.sort_requested.emit(Sort())
