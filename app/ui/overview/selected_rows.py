"""The selected rows of a queue, read from the session where they are not in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.core.inspections.seen import seen_of
from app.core.queue import QueuePosition, QueueRow
from app.core.queue.landmarks import block_rows
from app.core.session.session import Session
from app.ui.candidate.blind_mode import hidden_in_blind, what_was_seen
from app.ui.candidate.queue_neighbours import Queue
from app.ui.queue.queue_blocks import QueueBlocks, Span


@dataclass(frozen=True)
class BlockPart:
    """The rows of a block from `first` on, counted in the block."""

    after: QueuePosition | None
    until: QueuePosition | None
    first: int
    count: int


def block_parts(blocks: QueueBlocks, spans: Iterable[Span]) -> list[BlockPart]:
    """Where the rows of these spans are."""
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


def seen_opinions(
    session: Session, rows: Sequence[QueueRow], *, is_blind: bool
) -> dict[int, Mapping[str, Any]]:
    """What the reviewer has seen of the agent's opinion on each candidate. Any thread."""
    seen = seen_of(session, [row.candidate.id for row in rows])
    found: dict[int, Mapping[str, Any]] = {}
    for row in rows:
        result = seen.get(row.candidate.id)
        is_hidden = is_blind and hidden_in_blind(row, result)
        found[row.candidate.id] = what_was_seen(
            row.candidate, result, is_hidden=is_hidden, is_blind=is_blind
        )
    return found
