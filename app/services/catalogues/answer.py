"""What a service said about one candidate, and where it was said."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum

from agent.hashing import bytes_hash

Value = float | int | str | None


class State(StrEnum):
    """Of a question to a service about a candidate."""

    NOT_ASKED = "not_asked"
    ASKING = "asking"
    FOUND = "found"
    NOTHING = "nothing"  # the service answered, and has nothing at this place
    FAILED = "failed"  # There is no answer: nobody knows whether something is there.


@dataclass(frozen=True, kw_only=True)
class Match:
    """One object of a catalogue near the candidate."""

    values: Mapping[str, Value]
    """By our names of the service's columns; an uncertainty is under `NAME_error`."""
    separation_arcsec: float


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """A question and its raw answer, kept as the source of the values."""

    url: str
    asked_at: str
    content: bytes
    media_type: str = ""
    question: str = ""
    sha256: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "sha256", bytes_hash(self.content))


@dataclass(frozen=True, kw_only=True)
class Answer:
    state: State
    matches: tuple[Match, ...] = ()  # nearest first
    reason: str = ""  # why it failed

    @property
    def nearest(self) -> Match | None:
        return self.matches[0] if self.matches else None


NOT_ASKED, ASKING = Answer(state=State.NOT_ASKED), Answer(state=State.ASKING)


def answer_of(matches: list[Match]) -> Answer:
    """The answer of a service that has answered."""
    ordered = tuple(sorted(matches, key=lambda match: match.separation_arcsec))
    return Answer(state=State.FOUND if ordered else State.NOTHING, matches=ordered)


def failed(reason: str) -> Answer:
    return Answer(state=State.FAILED, reason=reason)


def finite_number(value: object) -> float | None:
    """None for anything but a finite number."""
    if isinstance(value, bool) or not isinstance(value, float | int) or not math.isfinite(value):
        return None
    return float(value)


def now() -> str:
    """The time of a question as it is kept, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")
