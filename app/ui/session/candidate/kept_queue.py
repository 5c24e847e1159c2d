"""Keeps a reviewer's filter and order in the session, and restores them."""

from __future__ import annotations

from PySide6.QtCore import QObject

from app.core.importing.importer import ORDER
from app.core.queue import parse_filter, parse_sort
from app.core.queue.filter_writer import filter_text
from app.core.queue.filters import MINE, QUEUE_FACT, FilterError
from app.core.queue.sorts import sort_text
from app.core.session.assignments import has_assignments
from app.core.session.session import Session
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.queue_neighbours import Queue


class KeptQueue(QObject):
    """Restores the queue when it is made, and follows it from then on."""

    def __init__(self, session: Session, current: CurrentCandidate, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._current = session, current
        current.queue_changed.connect(self._save)
        self._restore()

    def _restore(self) -> None:
        """By default what they were assigned, if anything, in the order chosen on import."""
        session, current = self._session, self._current
        saved = session.fact(f"{QUEUE_FACT}:{session.reviewer}")
        mine = filter_text(MINE) if saved is None and has_assignments(session) else ""
        parts = [mine, session.fact(ORDER) or "list"] if saved is None else saved.split("\n")
        try:
            tree, sort = parse_filter(parts[0]), parse_sort(parts[-1])
        except FilterError:
            return
        if not current.blind_mode.refusal(tree, sort):
            current.queue = Queue(tree=tree, sort=sort)
            current.queue_changed.emit(current.queue)

    def _save(self, queue: Queue) -> None:
        if not self._session.is_read_only:
            text = f"{filter_text(queue.tree)}\n{sort_text(queue.sort)}"
            key = f"{QUEUE_FACT}:{self._session.reviewer}"
            if self._session.fact(key) != text:
                self._session.set_fact(key, text)
