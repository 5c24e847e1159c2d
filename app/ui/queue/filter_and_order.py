"""Connects the filter bar and the titles of a table with the queue of the session."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.core.queue import Filter, Sort
from app.ui.candidate.current import CurrentCandidate
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.column_store import ColumnStore
from app.ui.queue.columns import own_key
from app.ui.queue.filter_bar import FilterBar
from app.ui.queue.header_sort import HeaderSort


class FilterAndOrder(QObject):
    """Shows the present filter and order in both, and asks for those chosen there."""

    def __init__(
        self,
        filters: FilterBar,
        header_sort: HeaderSort,
        store: ColumnStore,
        current: CurrentCandidate,
    ) -> None:
        super().__init__(filters)
        self._filters, self._header_sort = filters, header_sort
        self._store, self._current = store, current
        filters.queue_requested.connect(self._set_queue)
        header_sort.sort_requested.connect(self._set_sort)
        store.own_changed.connect(self._take_own)
        store.changed.connect(self._take_own)
        self._take_own()

    def show_queue(self, queue: Queue) -> None:
        self._filters.show_queue(queue)
        self._header_sort.show_queue(queue)

    def _set_queue(self, tree: Filter, sort: Sort) -> None:
        self._current.set_queue(tree, sort)
        self._filters.show_queue(self._current.queue)  # the old one if that was refused

    def _set_sort(self, sort: Sort) -> None:
        self._set_queue(self._current.queue.tree, sort)
        self._header_sort.show_queue(self._current.queue)

    def _take_own(self) -> None:
        """Offer the list's own columns to the filter, under the names the person gave them."""
        names = [each.name for each in self._store.own]
        titles = {each: self._store.names.get(own_key(each), each) for each in names}
        self._filters.set_own_columns(names, titles)
        self._header_sort.show_queue(self._current.queue)
