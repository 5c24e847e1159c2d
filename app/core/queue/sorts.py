"""The orders a queue can have. Each is a number computed by the database, ties in list order.

What has no value comes last, up or down. The expressions are constants of ours: an index of the
same expression is what keeps a page of a million candidates as fast as one of a hundred.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import BigInteger, ColumnElement, Double, literal_column

from app.core.queue.filters import FilterError

SortKey = Literal[
    "list",
    "score",
    "p_yes",
    "uncertain",
    "surprising",
    "disagreeing",
    "snr",
    "ra",
    "dec",
    "random",
]
SORT_KEYS: tuple[SortKey, ...] = get_args(SortKey)

VALUES: dict[SortKey, str] = {
    "score": "score",
    "p_yes": "agent_p_yes",
    "uncertain": "0.5 - abs(agent_p_yes - 0.5)",
    "surprising": "surprise",
    # Opposite minds first, then whose p(YES) decides least.
    "disagreeing": "0.5 - abs(coalesce(agent_p_yes, CASE WHEN agents_differ THEN 0.5 END) - 0.5)"
    " + CASE WHEN agents_differ THEN 1.0 ELSE 0.0 END",
    "snr": "snr",
    "ra": "ra",
    "dec": "dec",
}
DIRECTIONS = ("up", "down")
BEST_FIRST = frozenset({"score", "p_yes", "uncertain", "surprising", "disagreeing", "snr"})
"""What is meant by the name alone: the highest first."""

WHOLE = frozenset({"list", "random"})
"""Ordered by a whole number."""

UNKNOWN = "1e300"
PRIME = 2**31 - 1
"""Products of two numbers below it fit a column."""
FARTHEST = 2**62


class QueuePosition(NamedTuple):
    """Where something stands in an order: paging goes on from here, whatever changed meanwhile."""

    value: float
    id: int


@dataclass(frozen=True)
class Sort:
    """`descending`: the highest value first. "uncertain" is highest at a p(YES) of one half,
    "disagreeing" where one agent says YES and another NO."""

    key: SortKey = "list"
    descending: bool = False
    seed: int = 0
    """Of the random order: the same for the same number."""

    def __post_init__(self) -> None:
        if self.key not in SORT_KEYS:
            raise FilterError(f"no order {str(self.key)[:40]!r}; there are {', '.join(SORT_KEYS)}")
        if not 0 <= self.seed < PRIME:
            raise FilterError(f"the seed of a random order is from 0 to {PRIME - 1}")

    @property
    def is_read_backwards(self) -> bool:
        """Where every place has a number of its own, the other direction needs no other index."""
        return self.descending and self.key in WHOLE

    @property
    def sql(self) -> str:
        """The expression that orders, never NULL. Without the table's name, as an index must."""
        if self.key == "list":
            return "id"
        if self.key == "random":
            return _shuffled(self.seed)
        value = VALUES[self.key]
        # Arithmetic either way: in a stranger's file there may be words in place of a number.
        return f"coalesce({'-' if self.descending else '0 + '}({value}), {UNKNOWN})"

    @property
    def column(self) -> ColumnElement[Any]:
        if self.key in WHOLE:
            whole: ColumnElement[Any] = literal_column(self.sql, BigInteger)
            return whole
        return literal_column(self.sql, Double)

    @property
    def name(self) -> str:
        """For the name of an index."""
        if self.key == "list":
            return "list"
        if self.key == "random":
            return f"random_{self.seed}"
        return f"{self.key}_{'down' if self.descending else 'up'}"

    @property
    def first(self) -> QueuePosition:
        """Before everything."""
        return QueuePosition(-1 if self.key in WHOLE else -math.inf, -1)

    @property
    def last(self) -> QueuePosition:
        """Behind everything."""
        return QueuePosition(FARTHEST if self.key in WHOLE else math.inf, FARTHEST)


LIST_ORDER = Sort()


def parse_sort(text: str) -> Sort:
    """`score`, `score:up`, `list:down`, `random:7`; without a direction the best come first."""
    key, *parts = (part.strip() for part in text.lower().split(":"))
    known = next((each for each in SORT_KEYS if each == key), None)
    if known is None:
        raise FilterError(f"no order {key[:40]!r}; there are {', '.join(SORT_KEYS)}")
    seed = 0
    if known == "random" and parts and parts[0] not in DIRECTIONS:
        seed = _seed(parts.pop(0))
    if len(parts) > 1 or (parts and parts[0] not in DIRECTIONS):
        raise FilterError(f"an order goes up or down, not {':'.join(parts)[:40]!r}")
    is_down = parts[0] == "down" if parts else known in BEST_FIRST
    return Sort(known, descending=is_down, seed=seed)


def sort_text(sort: Sort) -> str:
    """What `parse_sort` reads."""
    if sort.key == "random":
        return f"random:{sort.seed}" + (":down" if sort.descending else "")
    return f"{sort.key}:{'down' if sort.descending else 'up'}"


def _seed(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 11):
        raise FilterError(f"the seed of a random order is a number, not {text[:40]!r}")
    return int(text)


def _shuffled(seed: int) -> str:
    """A whole number for each id that looks like a draw: two rounds modulo a prime, a line and a
    parabola, so that neighbours in the list are not neighbours here."""
    draw = random.Random(seed)
    slope, start, lift = (draw.randrange(1, PRIME) for _ in range(3))
    line = f"((id % {PRIME}) * {slope} + {start}) % {PRIME}"
    return f"(({line}) * ({line}) + {lift}) % {PRIME}"
