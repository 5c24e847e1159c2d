"""A click on a column's title orders the queue by it: highest first, lowest first, as listed.

Names and columns of texts begin with the first letter of the alphabet.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt, Signal

from app.core.queue import Sort
from app.core.queue.sorts import SortKey
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.columns import FIRST_OWN, OBJECT, P_COMBINED, P_YES, SCORE, SNR, own_key
from app.ui.queue.queue_model import QueueModel
from app.ui.widgets.candidate_table import CandidateTable

KEYS: dict[int, SortKey] = {
    OBJECT: "object",
    SCORE: "score",
    SNR: "snr",
    P_YES: "p_yes",
    P_COMBINED: "p_combined",
}
"""By the other fixed columns the queue has no order."""


class HeaderSort(QObject):
    sort_requested = Signal(object)

    def __init__(self, table: CandidateTable, model: QueueModel) -> None:
        super().__init__(table)
        self._model = model
        self._header = table.horizontalHeader()
        self._sort = Sort()
        self._header.setSectionsClickable(True)
        self._header.sectionClicked.connect(self._click)

    def show_queue(self, queue: Queue) -> None:
        """Mark the column by which the queue is ordered."""
        self._sort = queue.sort
        column = next((each for each, key in KEYS.items() if key == queue.sort.key), None)
        if queue.sort.key == "own":
            column = self._model.column_of(own_key(queue.sort.own))
        self._model.sorted_column = column
        self._header.setSortIndicatorShown(column is not None)
        if column is not None:
            is_down = queue.sort.descending
            order = Qt.SortOrder.DescendingOrder if is_down else Qt.SortOrder.AscendingOrder
            self._header.setSortIndicator(column, order)

    def _click(self, column: int) -> None:
        first, second = self._orders(column)
        self.sort_requested.emit({first: second, second: Sort()}.get(self._sort, first))

    def _orders(self, column: int) -> tuple[Sort, Sort]:
        """The orders that the first and the second click on a title ask for."""
        if column >= FIRST_OWN:
            name = self._model.own[column - FIRST_OWN].name
            up, down = Sort("own", own=name), Sort("own", True, own=name)
        elif column in KEYS:
            up, down = Sort(KEYS[column]), Sort(KEYS[column], True)
        else:
            return Sort(), Sort()
        return (down, up) if self._model.is_number(column) else (up, down)
