"""What a person wants to see, as a small tree of frozen conditions.

Everything a person typed stays a value in here: it reaches the database as a bound parameter only.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from app.core.errors import SessionError
from app.core.session.records import Verdict

MAX_TEXT = 200
MAX_TERMS = 64
MAX_DEPTH = 16

Answer = Literal["yes", "no", "undecided", "unseen"]
Between = Literal["agent", "agents", "people"]
Thing = Literal["fault", "comment", "flag", "path"]
NumberField = Literal["p_yes", "snr", "score", "ra", "dec", "confidence", "id"]
TextField = Literal["object", "label", "comment", "fault", "path"]
Compare = Literal["=", "<", ">", "<=", ">=", "contains"]

ANSWERS: tuple[Answer, ...] = get_args(Answer)
BETWEEN: tuple[Between, ...] = get_args(Between)
THINGS: tuple[Thing, ...] = get_args(Thing)
NUMBER_FIELDS: tuple[NumberField, ...] = get_args(NumberField)
TEXT_FIELDS: tuple[TextField, ...] = get_args(TextField)
COMPARES: tuple[Compare, ...] = get_args(Compare)


class FilterError(SessionError):
    """A filter or an order that cannot be understood. `place` is where in the text, from 0."""

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message)
        self.place = place


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
    """All but those of `term`; a number that is not known is not above or below anything."""

    term: Filter


@dataclass(frozen=True)
class MyVerdict:
    """Of the session's reviewer; None: not judged yet."""

    verdict: Verdict | None


@dataclass(frozen=True)
class AnyVerdict:
    """Of at least one reviewer; None: nobody has judged it."""

    verdict: Verdict | None


@dataclass(frozen=True)
class AgentVerdict:
    """undecided: inspected, without a verdict. unseen: not inspected."""

    answer: Answer

    def __post_init__(self) -> None:
        _one_of(self.answer, ANSWERS)


@dataclass(frozen=True)
class Number:
    """`confidence` is the reviewer's own."""

    field: NumberField
    compare: Compare
    value: float

    def __post_init__(self) -> None:
        _one_of(self.field, NUMBER_FIELDS)
        _one_of(self.compare, COMPARES[:-1])
        if not math.isfinite(self.value):
            raise FilterError(f"{self.field} can be compared with a finite number only")


@dataclass(frozen=True)
class Words:
    """`=` is the whole text, letter by letter. Comments are everybody's."""

    field: TextField
    compare: Literal["=", "contains"]
    text: str

    def __post_init__(self) -> None:
        _one_of(self.field, TEXT_FIELDS)
        _one_of(self.compare, ("=", "contains"))
        _checked_text(self.text)


@dataclass(frozen=True)
class OwnColumnFilter:
    """A further column of the list. `=` takes numbers as numbers and ignores case in words."""

    column: str
    compare: Compare
    text: str

    def __post_init__(self) -> None:
        _one_of(self.compare, COMPARES)
        _checked_text(self.column)
        _checked_text(self.text)
        if self.compare not in ("=", "contains") and self.number is None:
            raise FilterError(f"own.{self.column} {self.compare} needs a number")

    @property
    def number(self) -> float | None:
        """The text as a number, where it is one."""
        return finite(self.text)


@dataclass(frozen=True)
class Flag:
    """The reviewer's own; the star is the flag `star`."""

    name: str

    def __post_init__(self) -> None:
        _checked_text(self.name)


@dataclass(frozen=True)
class Anywhere:
    """In the object's name, a comment, or a value of the list's own columns."""

    text: str

    def __post_init__(self) -> None:
        _checked_text(self.text)


@dataclass(frozen=True)
class Disagree:
    """agent: the reviewer accepts what the agent says NO to, or rejects its YES.
    agents: of the inspections one says YES, one NO. people: verdicts that are not the same."""

    between: Between

    def __post_init__(self) -> None:
        _one_of(self.between, BETWEEN)


@dataclass(frozen=True)
class Has:
    """fault: its spectrum could not be read. comment: anybody's. flag: the reviewer's."""

    thing: Thing

    def __post_init__(self) -> None:
        _one_of(self.thing, THINGS)


@dataclass(frozen=True)
class InList:
    """One of the lists, by its number."""

    number: int

    def __post_init__(self) -> None:
        if not 0 < self.number < 2**31:
            raise FilterError("a list is named by its number, from 1")


@dataclass(frozen=True)
class InspectedBy:
    """Inspected to its end by this model; an inspection that failed does not count."""

    model: str
    sha256: str | None = None
    """None: any of that name."""

    def __post_init__(self) -> None:
        _checked_text(self.model)
        _checked_text(self.sha256 or "-")


Filter = (
    Everything
    | And
    | Or
    | Not
    | MyVerdict
    | AnyVerdict
    | AgentVerdict
    | Number
    | Words
    | OwnColumnFilter
    | Flag
    | Anywhere
    | Disagree
    | Has
    | InList
    | InspectedBy
)

EVERYTHING = Everything()
UNJUDGED = MyVerdict(None)


def combine(*filters: Filter) -> Filter:
    """All of them at once; what says nothing is left out, and an inner `And` opened."""
    terms = [term for each in filters for term in conjuncts(each)]
    if len(terms) > 1:
        return And(tuple(terms))
    return terms[0] if terms else EVERYTHING


def conjuncts(tree: Filter) -> tuple[Filter, ...]:
    """The conditions that must all hold."""
    if isinstance(tree, Everything):
        return ()
    if isinstance(tree, And):
        return tuple(term for each in tree.terms for term in conjuncts(each))
    return (tree,)


def checked(tree: Filter) -> Filter:
    """The filter, or a FilterError where it is larger than a database would take."""
    if _terms(tree, 0) > MAX_TERMS:
        raise FilterError(f"a filter has at most {MAX_TERMS} conditions")
    return tree


def finite(text: str) -> float | None:
    """A number as people write them; None for anything else, infinity included."""
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
            raise FilterError("and, or: of nothing")
        return sum(_terms(term, depth + 1) for term in tree.terms)
    return 1


def _one_of(word: str, words: tuple[str, ...]) -> None:
    if word not in words:
        raise FilterError(f"{word[:40]!r} is none of {', '.join(words)}")


def _checked_text(text: str) -> None:
    if not 0 < len(text) <= MAX_TEXT:
        raise FilterError(f"a text to look for is 1 to {MAX_TEXT} characters long")
    if not text.isprintable():
        raise FilterError("a text to look for holds a character that cannot be printed")
