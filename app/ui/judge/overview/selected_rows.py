"""The selected rows of a queue, read from the session where they are not in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject

from app.core.queue import QueuePosition, QueueRow, matching_ids
from app.core.queue.landmarks import block_rows
from app.core.session.session import Session
from app.ui.judge.overview.sheet_view import SheetView
from app.ui.judge.queue.queue_loader import QueueLoader
from app.ui.judge.queue.queue_model import QueueBlocks, Span
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext

Told = Callable[[int, int], object]
"""Takes how many candidates were selected, and how many were wanted."""
MAX_SPANS = 2000  # groups of neighbours: Qt looks through all of them for each cell that it paints


@dataclass(frozen=True)
class BlockPart:
    """The rows of a block from `first` on, counted in the block."""

    after: QueuePosition | None
    until: QueuePosition | None
    first: int
    count: int


def block_parts(blocks: QueueBlocks, spans: Iterable[Span]) -> list[BlockPart]:
    parts = []
    for span in spans:
        row, end = span.first, span.first + span.count
        while row < end:
            block = blocks.block_of_row(row)
            there = blocks.span(block)
            last = min(end, there.first + there.count)
            after, until = blocks.between(block)
            parts.append(BlockPart(after, until, row - there.first, last - row))
            row = last
    return parts


def read_rows(session: Session, queue: Queue, parts: Sequence[BlockPart]) -> list[QueueRow]:
    """The rows of these parts. Any thread."""
    rows: list[QueueRow] = []
    for part in parts:
        limit = part.first + part.count
        found = block_rows(session, queue.tree, queue.sort, part.after, part.until, limit)
        rows += found[part.first : limit]
    return rows


# Selects candidates in the overview by their ids, wherever they are in the queue.
class WantedSelection(QObject):
    """Waits until the queue is counted, then finds the rows in the background."""

    def __init__(
        self, context: SessionContext, table: SheetView, loader: QueueLoader, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._current, self._runner = context.current, context.runner
        self._session = context.bridge.session
        self._table, self._loader = table, loader
        self._wanted: frozenset[int] = frozenset()
        self._told: Told | None = None
        self._request = 0
        loader.counted.connect(self._find)

    def select(self, ids: Sequence[int], told: Told) -> None:
        """Select these in place of what is selected; a later call takes the place of this one."""
        self._wanted, self._told = frozenset(ids), told
        self._find()

    def _find(self) -> None:
        if not self._wanted or self._loader.is_counting or not self._table.isVisible():
            return
        wanted, self._wanted = self._wanted, frozenset()
        self._request += 1
        queue = self._current.queue
        work = partial(spans_of, self._session, queue, wanted)
        done = partial(self._select, self._request, queue, wanted)
        self._runner.run(work, done, self._current.report_error, owner=self)

    def _select(
        self, request: int, queue: Queue, wanted: frozenset[int], spans: list[Span]
    ) -> None:
        if request != self._request:
            return
        if queue != self._current.queue or self._loader.is_counting:  # the rows are others by now
            self._wanted = wanted
            self._find()
            return
        self._table.select_spans(spans)
        if self._told is not None:
            self._told(sum(span.count for span in spans), len(wanted))


def spans_of(session: Session, queue: Queue, wanted: frozenset[int]) -> list[Span]:
    """The rows of these candidates in the queue, at most the first MAX_SPANS groups. Any thread."""
    spans: list[Span] = []
    left = len(wanted)
    for row, number in enumerate(matching_ids(session, queue.tree, queue.sort)):
        if number not in wanted:
            continue
        if spans and spans[-1].first + spans[-1].count == row:
            spans[-1] = Span(spans[-1].first, spans[-1].count + 1)
        elif len(spans) < MAX_SPANS:
            spans.append(Span(row, 1))
        else:
            break
        left -= 1
        if not left:
            break
    return spans
