"""Where the rows of a queue lie: blocks between landmarks, of which a few are held.

No Qt, no database: what the model of the table reckons with.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from app.core.queue import QueuePosition, QueueRow, Sort
from app.core.queue.landmarks import BLOCK, order_key

HELD = 32
"""Blocks of lines in memory."""


@dataclass(frozen=True)
class Span:
    """Rows from `first`, so many."""

    first: int
    count: int


@dataclass(frozen=True)
class Edit:
    """To bring a block up to date: rows that go, rows that come in their stead."""

    at: int
    gone: int
    come: int


class QueueBlocks:
    """The last block has no end: whatever follows is in it."""

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
        """Of blocks."""
        return len(self._counts)

    def extend(self, ends: Sequence[QueuePosition], rest: int) -> None:
        """More of the queue was counted; `rest` replaces what was behind the last landmark."""
        self._held.pop(len(self._ends), None)
        self._ends += ends
        self._keys += [order_key(self.sort, each) for each in ends]
        self._counts[-1:] = [*([BLOCK] * len(ends)), rest]
        self._reckon()

    def between(self, block: int) -> tuple[QueuePosition | None, QueuePosition | None]:
        """Behind which place its lines stand, and which is their last."""
        after = self._ends[block - 1] if block else None
        return after, self._ends[block] if block < len(self._ends) else None

    def span(self, block: int) -> Span:
        return Span(self._firsts[block], self._counts[block])

    def block_of_row(self, row: int) -> int:
        return bisect_right(self._firsts, row, hi=self.count) - 1

    def block_of(self, place: QueuePosition) -> int:
        return bisect_left(self._keys, order_key(self.sort, place))

    def holds(self, block: int) -> bool:
        return block in self._held

    def line(self, row: int) -> QueueRow | None:
        """None: it is not here, ask for its block."""
        block = self.block_of_row(row)
        lines = self._held.get(block)
        at = row - self._firsts[block]
        if lines is None or at >= len(lines):
            return None
        self._held.move_to_end(block)
        return lines[at]

    def row_of(self, place: QueuePosition, candidate_id: int) -> int | None:
        """None: its block is not here, or it is not in the queue."""
        block = self.block_of(place)
        for at, line in enumerate(self._held.get(block, ())):
            if line.candidate.id == candidate_id:
                return self._firsts[block] + at
        return None

    def blocks_with(self, candidate_ids: frozenset[int]) -> set[int]:
        """Of those that are held."""
        return {
            block
            for block, lines in self._held.items()
            if any(line.candidate.id in candidate_ids for line in lines)
        }

    def edit(self, block: int, lines: Sequence[QueueRow]) -> Edit:
        """What must go and come, so that the block's rows are these."""
        before = self._ids(block)
        now = [line.candidate.id for line in lines]
        shortest = min(len(before), len(now))
        same = next((at for at in range(shortest) if before[at] != now[at]), shortest)
        behind = 0
        while behind < shortest - same and before[-1 - behind] == now[-1 - behind]:
            behind += 1
        gone, come = len(before) - same - behind, len(now) - same - behind
        kept = min(gone, come)  # other objects, but as many rows: only drawn anew
        return Edit(at=same + kept, gone=gone - kept, come=come - kept)

    def cut(self, block: int, at: int, count: int) -> None:
        """Rows are gone."""
        lines = self._held.get(block)
        if lines is not None:
            self._held[block] = (*lines[:at], *lines[at + count :])
        self._counts[block] -= count
        self._reckon()

    def fill(self, block: int, lines: Sequence[QueueRow]) -> None:
        """The block's lines as they are now."""
        self._held[block] = tuple(lines)
        self._held.move_to_end(block)
        self._counts[block] = len(lines)
        while len(self._held) > HELD:
            self._held.popitem(last=False)
        self._reckon()

    def forget(self) -> None:
        """The lines: they are asked for again."""
        self._held.clear()

    def _ids(self, block: int) -> list[int | None]:
        lines = self._held.get(block)
        if lines is None:
            return [None] * self._counts[block]
        return [line.candidate.id for line in lines]

    def _reckon(self) -> None:
        self._firsts = [0, *accumulate(self._counts)]
