"""The rows of a queue, in blocks between landmarks, of which a few are kept in memory.

Without Qt and database, for the table model.
"""

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.core.queue import QueuePosition, QueueRow, Sort
from app.core.queue.landmarks import BLOCK, order_key

HELD = 32  # blocks kept in memory


@dataclass(frozen=True)
class Span:
    """`count` rows, starting at index `first`."""

    first: int
    count: int


@dataclass(frozen=True)
class Edit:
    """A change of a block's rows: at index `at`, `removed` rows are replaced by `added`."""

    at: int
    removed: int
    added: int


class QueueBlocks:
    """The blocks of a queue. The last one is open: it holds everything after the last landmark."""

    def __init__(self, sort: Sort) -> None:
        self.sort = sort
        self._ends: list[QueuePosition] = []
        self._keys: list[tuple[float, float]] = []
        self._counts: list[int] = [0]
        self._firsts: list[int] = [0, 0]
        self._held: OrderedDict[int, tuple[QueueRow, ...]] = OrderedDict()

    @property
    def total(self) -> int:
        return self._firsts[-1]

    @property
    def count(self) -> int:
        return len(self._counts)

    def extend(self, ends: Sequence[QueuePosition], rest: int) -> None:
        """Add landmarks found while counting; `rest` is the new size of the last block."""
        self._held.pop(len(self._ends), None)
        self._ends += ends
        self._keys += [order_key(self.sort, each) for each in ends]
        self._counts[-1:] = [*([BLOCK] * len(ends)), rest]
        self._update_firsts()

    def between(self, block: int) -> tuple[QueuePosition | None, QueuePosition | None]:
        """The position before the block's first row, and that of its last row."""
        after = self._ends[block - 1] if block else None
        return after, self._ends[block] if block < len(self._ends) else None

    def span(self, block: int) -> Span:
        return Span(self._firsts[block], self._counts[block])

    def block_of_row(self, index: int) -> int:
        return bisect_right(self._firsts, index, hi=self.count) - 1

    def block_of(self, position: QueuePosition) -> int:
        return bisect_left(self._keys, order_key(self.sort, position))

    def holds(self, block: int) -> bool:
        return block in self._held

    def row(self, index: int) -> QueueRow | None:
        """The row at an index; None if its block is not in memory."""
        block = self.block_of_row(index)
        rows = self._held.get(block)
        at = index - self._firsts[block]
        if rows is None or at >= len(rows):
            return None
        self._held.move_to_end(block)
        return rows[at]

    def index_of(self, position: QueuePosition, candidate_id: int) -> int | None:
        """Index of a candidate; None if its block is not in memory or it is not in the queue."""
        try:
            block = self.block_of(position)
        except TypeError:  # of a row that was read in another order, by names or by numbers
            return None
        for at, row in enumerate(self._held.get(block, ())):
            if row.candidate.id == candidate_id:
                return self._firsts[block] + at
        return None

    def blocks_with(self, candidate_ids: frozenset[int]) -> set[int]:
        """The blocks in memory that contain any of these candidates."""
        return set(map(self.block_of_row, self.indices_of(candidate_ids)))

    def indices_of(self, candidate_ids: frozenset[int]) -> list[int]:
        """Indices of these candidates, as far as they are in memory."""
        return [
            self._firsts[block] + at
            for block, rows in self._held.items()
            for at, row in enumerate(rows)
            if row.candidate.id in candidate_ids
        ]

    def edit(self, block: int, rows: Sequence[QueueRow]) -> Edit:
        """The change that turns the block's rows into these."""
        before = self._ids(block)
        now = [row.candidate.id for row in rows]
        shortest = min(len(before), len(now))
        same = next((at for at in range(shortest) if before[at] != now[at]), shortest)
        behind = 0
        while behind < shortest - same and before[-1 - behind] == now[-1 - behind]:
            behind += 1
        removed, added = len(before) - same - behind, len(now) - same - behind
        kept = min(removed, added)  # replaced row by row, which only needs a redraw
        return Edit(at=same + kept, removed=removed - kept, added=added - kept)

    def cut(self, block: int, at: int, count: int) -> None:
        if (rows := self._held.get(block)) is not None:
            self._held[block] = (*rows[:at], *rows[at + count :])
        self._counts[block] -= count
        self._update_firsts()

    def fill(self, block: int, rows: Sequence[QueueRow]) -> None:
        self._held[block] = tuple(rows)
        self._held.move_to_end(block)
        self._counts[block] = len(rows)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        self._update_firsts()

    def forget(self) -> None:
        """Drop all rows from memory, so that they are read again."""
        self._held.clear()

    def _ids(self, block: int) -> list[int | None]:
        rows = self._held.get(block)
        if rows is None:
            return [None] * self._counts[block]
        return [row.candidate.id for row in rows]

    def _update_firsts(self) -> None:
        self._firsts = [0, *accumulate(self._counts)]
