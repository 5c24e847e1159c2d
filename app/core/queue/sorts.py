"""The sort orders of the queue: by a number of each candidate, or by its name; ties in list order.

Candidates without a value always come last. The SQL expressions are constants, because an index on
the same expression keeps paging fast in a list of a million.
"""

import json
import math
import random
import re
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from sqlalchemy import BigInteger, ColumnElement, Double, Text, literal_column

from app.core.queue.column_values import SUBCLASS, is_of_opinion, known_name
from app.core.queue.filters import FilterError

HighestFirst = Literal[
    "score", "p_yes", "p_combined", "uncertain", "surprising", "disagreeing", "snr"
]
SortKey = Literal["list", HighestFirst, "ra", "dec", "object", "random", "own", "like", "learned"]
RANKED: tuple[SortKey, ...] = ("own", "like", "learned")
"""Orders made in memory, in which a position is a rank."""
SORT_KEYS: tuple[SortKey, ...] = tuple(key for key in get_args(SortKey) if key not in RANKED)
"""Orders that need no more than their name; "own" needs a column, "like" a candidate, and "learned"
what comes first."""
LearnedFirst = Literal["", "best", "uncertain", "mixed"]
"""Mixed: the best, and one in ten at random."""
LEARNED_FIRST: tuple[LearnedFirst, ...] = get_args(LearnedFirst)[1:]

VALUES: dict[SortKey, str] = {
    "score": "score",
    "p_yes": "agent_p_yes",
    "p_combined": "p_combined",
    # First where a panel's members contradict each other.
    "uncertain": "0.5 - abs(agent_p_yes - 0.5)"
    " + CASE WHEN agent_members <> '' THEN 1.0 ELSE 0.0 END",
    "surprising": "surprise",
    # Opposite minds first, then whose p(YES) decides least.
    "disagreeing": "0.5 - abs(coalesce(agent_p_yes, CASE WHEN agents_differ THEN 0.5 END) - 0.5)"
    " + CASE WHEN agents_differ THEN 1.0 ELSE 0.0 END",
    "snr": "snr",
    "ra": "ra",
    "dec": "dec",
}
DIRECTIONS = ("up", "down")
# Without a direction, these show the highest values first.
DESCENDING_BY_DEFAULT = frozenset(get_args(HighestFirst))

INTEGER_KEYS = frozenset({"list", "random", *RANKED})
MAX_EXAMPLES = 100  # beside the first, with counter-examples
LIKE = re.compile(rf"like:([1-9]\d{{0,16}})((?:[+-][1-9]\d{{0,16}}){{0,{MAX_EXAMPLES}}})", re.ASCII)
LEARNED = re.compile(
    r"learned(?::(best|uncertain|mixed)(?::((?:flag|subclass)=[^=]{1,200}))?)?", re.IGNORECASE
)
OWN = re.compile(r'own\.(".*"|[^":]+)(?::(up|down))?', re.DOTALL)

NAME = "lower(object_id)"
MISSING_VALUE = "1e300"
PRIME = 2**31 - 1  # the product of two smaller numbers fits a 64-bit integer
LAST_VALUE = 2**62
LAST_NAME = "\U0010ffff"


class QueuePosition(NamedTuple):
    """A position in an order, from which paging continues even if the data have changed."""

    value: Any  # A number; in the order by name, the name in lower case.
    id: int


@dataclass(frozen=True)
class Sort:
    """A sort order.

    "uncertain" is highest where a panel's members contradict each other, then at a p(YES) of one
    half; "disagreeing" where one agent says YES and another NO.
    """

    key: SortKey = "list"
    descending: bool = False
    seed: int = 0  # seed of the random order
    own: str = ""  # the column of the list, or of a service, by which "own" orders
    like: int = 0  # the id of the candidate to which "like" shows the most similar spectra
    examples: tuple[int, ...] = ()  # ids of further such candidates
    counter_examples: tuple[int, ...] = ()  # ids of those to which it shows the least similar ones
    learn: LearnedFirst = ""  # what "learned" shows first
    target: str = ""
    """What "learned" learns: "flag=NAME", "subclass=NAME", or the verdict where it is empty."""

    def __post_init__(self) -> None:
        if self.key == "like" and 0 < self.like < LAST_VALUE and not self.descending:
            return
        if self.key == "own" and self.own and self.own.isprintable():
            return
        if self.key == "learned" and self.learn in LEARNED_FIRST and self.target.isprintable():
            return
        if self.key not in SORT_KEYS:
            raise FilterError(
                f"unknown order {str(self.key)[:40]!r}; choose from {', '.join(SORT_KEYS)}"
            )
        if not 0 <= self.seed < PRIME:
            raise FilterError(f"the seed of a random order is a number from 0 to {PRIME - 1}")

    @property
    def is_ranked(self) -> bool:
        return self.key in RANKED

    @property
    def is_read_backwards(self) -> bool:
        """True if the index is read from its end, which also reverses ties.

        Unique keys need only one index, and a name cannot be negated as a number can.
        """
        return self.descending and self.key in ("list", "random", "object")

    @property
    def sql(self) -> str:
        """The sort expression, never NULL; without the table name, as an index requires."""
        if self.key == "list":
            return "id"
        if self.key == "random":
            return _shuffled(self.seed)
        if self.key == "object":
            return NAME
        assert not self.is_ranked, "made in memory"
        value = VALUES[self.key]
        # Arithmetic in both directions turns text, possible in an untrusted file, into a number.
        return f"coalesce({'-' if self.descending else '0 + '}({value}), {MISSING_VALUE})"

    @property
    def column(self) -> ColumnElement[Any]:
        return self._typed(self.sql)

    @property
    def column_without_index(self) -> ColumnElement[Any]:
        """The same values, written so that SQLite does not use the order's index."""
        return self._typed(f"{self.sql} || ''" if self.key == "object" else f"+({self.sql})")

    @property
    def name(self) -> str:
        """Part of the index name."""
        if self.key == "random":
            return f"random_{self.seed}"
        if self.key in ("list", "object"):
            return self.key
        return f"{self.key}_{'down' if self.descending else 'up'}"

    @property
    def first(self) -> QueuePosition:
        """A position before every row."""
        if self.key == "object":
            return QueuePosition("", -1)
        return QueuePosition(-1 if self.key in INTEGER_KEYS else -math.inf, -1)

    @property
    def last(self) -> QueuePosition:
        """A position after every row."""
        if self.key == "object":
            return QueuePosition(LAST_NAME, LAST_VALUE)
        return QueuePosition(LAST_VALUE if self.key in INTEGER_KEYS else math.inf, LAST_VALUE)

    def _typed(self, sql: str) -> ColumnElement[Any]:
        kind = BigInteger if self.key in INTEGER_KEYS else Text if self.key == "object" else Double
        return literal_column(sql, kind)


LIST_ORDER = Sort()


def parse_sort(text: str) -> Sort:
    """Parse `score`, `score:up`, `list:down`, `random:7`, `own.mag:up`, `gaia.bp_rp:up`,
    `subclass:up`, `like:7`, `like:7+9-12`, `learned:mixed` or `learned:best:flag=star`.

    Raises FilterError.
    """
    own = OWN.fullmatch(text.strip())
    if own is not None:
        return Sort("own", descending=own[2] == "down", own=_column_name(own[1]))
    evidence, _, direction = text.strip().partition(":")
    mine = SUBCLASS if evidence.lower() == "subclass" else evidence.lower()
    if is_of_opinion(mine) and direction in ("", *DIRECTIONS):
        return Sort("own", descending=direction == "down", own=mine)
    if known_name(evidence) is not None and direction in ("", *DIRECTIONS):
        return Sort("own", descending=direction == "down", own=evidence.lower())
    if (learned := LEARNED.fullmatch(text.strip())) is not None:
        first = next(each for each in LEARNED_FIRST if each == (learned[1] or "best").lower())
        return Sort("learned", learn=first, target=learned[2] or "")
    key, *parts = (part.strip() for part in text.lower().split(":"))
    if key == "like":
        return _like(text.strip().lower())
    known = next((each for each in SORT_KEYS if each == key), None)
    if known is None:
        raise FilterError(f"unknown order {key[:40]!r}; choose from {', '.join(SORT_KEYS)}")
    seed = 0
    if known == "random" and parts and parts[0] not in DIRECTIONS:
        text = parts.pop(0)
        if not (text.isascii() and text.isdecimal() and len(text) < 11):
            raise FilterError(f"the seed of a random order is a number, not {text[:40]!r}")
        seed = int(text)
    if len(parts) > 1 or (parts and parts[0] not in DIRECTIONS):
        raise FilterError(f"the direction is up or down, not {':'.join(parts)[:40]!r}")
    is_down = parts[0] == "down" if parts else known in DESCENDING_BY_DEFAULT
    return Sort(known, descending=is_down, seed=seed)


def sort_text(sort: Sort) -> str:
    """The order as text that `parse_sort` reads."""
    if sort.key == "like":
        more = "".join(f"+{each}" for each in sort.examples)
        return f"like:{sort.like}{more}" + "".join(f"-{each}" for each in sort.counter_examples)
    if sort.key == "learned":
        return f"learned:{sort.learn}" + (f":{sort.target}" if sort.target else "")
    if sort.key == "random":
        return f"random:{sort.seed}" + (":down" if sort.descending else "")
    name = f"own.{json.dumps(sort.own)}" if sort.key == "own" else sort.key
    return f"{name}:{'down' if sort.descending else 'up'}"


def _column_name(text: str) -> str:
    if not text.startswith('"'):
        return text
    try:
        return str(json.loads(text))
    except ValueError as error:
        raise FilterError(f"{text[:40]!r} is not the name of a column") from error


def _like(text: str) -> Sort:
    found = LIKE.fullmatch(text)
    if found is None:
        raise FilterError(f"like: the number of a candidate is expected, not {text[5:45]!r}")
    more = [int(each) for each in re.findall(r"[+-]\d+", found[2])]
    return Sort(
        "like",
        like=int(found[1]),
        examples=tuple(each for each in more if each > 0),
        counter_examples=tuple(-each for each in more if each < 0),
    )


def _shuffled(seed: int) -> str:
    """SQL of a pseudo-random integer per id.

    A linear and a quadratic step modulo a prime separate neighbours in the list.
    """
    draw = random.Random(seed)
    slope, start, lift = (draw.randrange(1, PRIME) for _ in range(3))
    line = f"((id % {PRIME}) * {slope} + {start}) % {PRIME}"
    return f"(({line}) * ({line}) + {lift}) % {PRIME}"
