"""A filter of the queue as a tree of frozen conditions.

Text from the user is stored as plain values and reaches the database only as bound parameters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args, get_type_hints

from app.core.errors import SessionError
from app.core.session.records import Verdict

MAX_TEXT = 200
MAX_TERMS = 64
MAX_DEPTH = 16

EvidenceWord = Literal["found", "nothing", "failed", "unasked"]
Answer = Literal["yes", "no", "undecided", "unseen"]
Between = Literal["agent", "agents", "members", "people"]
Thing = Literal["fault", "comment", "flag", "path"]
NumberField = Literal["p_yes", "p_combined", "snr", "score", "ra", "dec", "confidence", "id"]
TextField = Literal["object", "label", "comment", "fault", "path"]
NumberCompare = Literal["=", "<", ">", "<=", ">="]
TextCompare = Literal["=", "contains"]
Compare = Literal[NumberCompare, "contains"]

ANSWERS: tuple[Answer, ...] = get_args(Answer)
EVIDENCE_WORDS: tuple[EvidenceWord, ...] = get_args(EvidenceWord)
BETWEEN: tuple[Between, ...] = get_args(Between)
THINGS: tuple[Thing, ...] = get_args(Thing)
NUMBER_FIELDS: tuple[NumberField, ...] = get_args(NumberField)
TEXT_FIELDS: tuple[TextField, ...] = get_args(TextField)


class FilterError(SessionError):
    """A filter or sort order is invalid. `position` is the character in the text, from 0."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class _Checked:
    """A condition that is checked when it is made: texts by their length, words by their type."""

    def __post_init__(self) -> None:
        for name, hint in get_type_hints(type(self)).items():
            value, words = getattr(self, name), get_args(hint)
            if words and value not in words:
                raise FilterError(f"{value[:40]!r} is none of {', '.join(words)}")
            if isinstance(value, str) and not words:
                _checked_text(value)


@dataclass(frozen=True)
class Everything:
    """All candidates."""


@dataclass(frozen=True)
class And:
    terms: tuple[Filter, ...]


@dataclass(frozen=True)
class Or:
    terms: tuple[Filter, ...]


@dataclass(frozen=True)
class Not:
    """All candidates not in `term`; comparisons with a missing number are false."""

    term: Filter


@dataclass(frozen=True)
class MyVerdict:
    """The verdict of this session's reviewer; None means not judged yet."""

    verdict: Verdict | None


@dataclass(frozen=True)
class AnyVerdict:
    """The verdict of at least one reviewer; None means that nobody has judged it."""

    verdict: Verdict | None


@dataclass(frozen=True)
class AgentVerdict(_Checked):
    """The agent's verdict; "undecided" is inspected without a verdict, "unseen" not inspected."""

    answer: Answer


@dataclass(frozen=True)
class Number(_Checked):
    """A number compared with a value; `confidence` is that of the session's reviewer."""

    field: NumberField
    compare: NumberCompare
    value: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not math.isfinite(self.value):
            raise FilterError(f"{self.field} can only be compared with a finite number")


@dataclass(frozen=True)
class Words(_Checked):
    """A text; `=` compares the exact text. Comments of all reviewers are searched."""

    field: TextField
    compare: TextCompare
    text: str


@dataclass(frozen=True)
class OwnColumnFilter(_Checked):
    """A further column of the list, or of a service, as `gaia.bp_rp`.

    `=` compares numbers by value and ignores case in text.
    """

    column: str
    compare: Compare
    text: str

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.compare not in ("=", "contains") and self.number is None:
            raise FilterError(f"own.{self.column} {self.compare} needs a number")

    @property
    def number(self) -> float | None:
        return finite(self.text)


@dataclass(frozen=True)
class EvidenceState(_Checked):
    """What a service said last: found, nothing, failed; "unasked" where it was not asked."""

    service: str
    word: EvidenceWord


@dataclass(frozen=True)
class Flag(_Checked):
    """A flag set by this session's reviewer; the star is the flag `star`."""

    name: str


@dataclass(frozen=True)
class Anywhere(_Checked):
    """Text in the object's name, a comment or a value of the list's own columns."""

    text: str


@dataclass(frozen=True)
class Disagree(_Checked):
    """Candidates with conflicting verdicts.

    "agent": between this reviewer and the agent; "agents": one agent says YES and another NO;
    "people": reviewers differ.
    """

    between: Between


@dataclass(frozen=True)
class Has(_Checked):
    """An unreadable spectrum (fault), anybody's comment, the reviewer's flag, or a path."""

    thing: Thing


@dataclass(frozen=True)
class InList:
    number: int

    def __post_init__(self) -> None:
        if not 0 < self.number < 2**31:
            raise FilterError("a list is given by its number, from 1")


@dataclass(frozen=True)
class InspectedBy:
    """Inspected by this model to the end; failed and cancelled inspections do not count."""

    model: str
    sha256: str | None = None  # None for any version of the name

    def __post_init__(self) -> None:
        _checked_text(self.model)
        _checked_text(self.sha256 or "-")


@dataclass(frozen=True)
class AssignedTo(_Checked):
    """Assigned to a person of this name; ME is the session's reviewer, NOBODY no person."""

    person: str


Filter = (
    Everything | And | Or | Not | MyVerdict | AnyVerdict | AgentVerdict | Number | Words
    | OwnColumnFilter | EvidenceState | Flag | Anywhere | Disagree | Has | InList
    | InspectedBy | AssignedTo
)  # fmt: skip

EVERYTHING = Everything()
UNJUDGED = MyVerdict(None)
ME, NOBODY = "me", "nobody"
QUEUE_FACT = "queue"  # Of the fact that keeps a person's filter and order; their name follows.


def combine(*filters: Filter) -> Filter:
    """All filters combined by `And`, flattened and without those that match everything."""
    terms = [term for each in filters for term in conjuncts(each)]
    if len(terms) > 1:
        return And(tuple(terms))
    return terms[0] if terms else EVERYTHING


def conjuncts(tree: Filter) -> tuple[Filter, ...]:
    if isinstance(tree, Everything):
        return ()
    if isinstance(tree, And):
        return tuple(term for each in tree.terms for term in conjuncts(each))
    return (tree,)


def checked(tree: Filter) -> Filter:
    """Return the filter, or raise FilterError if it is too large for a database."""
    if _terms(tree, 0) > MAX_TERMS:
        raise FilterError(f"a filter has at most {MAX_TERMS} conditions")
    return tree


def finite(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _terms(tree: Filter, depth: int) -> int:
    if depth > MAX_DEPTH:
        raise FilterError(f"a filter is nested at most {MAX_DEPTH} deep")
    if isinstance(tree, Not):
        return _terms(tree.term, depth + 1)
    if isinstance(tree, And | Or):
        if not tree.terms:
            raise FilterError("`and` and `or` need conditions")
        return sum(_terms(term, depth + 1) for term in tree.terms)
    return 1


def _checked_text(text: str) -> None:
    if not 0 < len(text) <= MAX_TEXT:
        raise FilterError(f"a search text has 1 to {MAX_TEXT} characters")
    if not text.isprintable():
        raise FilterError("a search text contains a character that cannot be printed")


MINE = AssignedTo(ME)
