"""What a session hands out: frozen values, never rows of the database."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

NOTHING: Mapping[str, Any] = MappingProxyType({})

Action = Literal["set", "undo", "redo"]
Aspect = Literal["verdict", "inspection", "list", "spectrum", "calibration"]

MAX_CONFIDENCE = 4
MAX_COMMENT = 10_000
MAX_FLAGS = 32
MAX_FLAG = 40


class Verdict(StrEnum):
    """What a person decided about a candidate."""

    ACCEPT = "ACCEPT"
    REJECT = "REJECT"
    UNSURE = "UNSURE"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One object of a list. `own` holds the list's further columns under their own names.

    `path` is where the spectrum lies, absolute, or empty where the list names none; `row` is its
    row or, from nine digits on, its TARGETID. Sky position in degrees.
    """

    id: int
    list_id: int
    line: int
    """In its list, from 1, the header not counted."""
    object_id: str
    path: str
    row: int = 0
    ra: float | None = None
    dec: float | None = None
    score: float | None = None
    label: str = ""
    """What the list says it is: never shown before a verdict in blind mode."""
    snr: float | None = None
    own: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    agent_verdict: Literal["YES", "NO"] | None = None
    agent_p_yes: float | None = None
    agent_model: str = ""
    agent_stopped_by: str = ""
    fault: str = ""
    """Why its spectrum could not be read, the last time somebody tried."""


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """What a person says about a candidate. `verdict` None: looked at, or commented, undecided."""

    verdict: Verdict | None = None
    confidence: int | None = None
    """4 sure to 1 poor, 0 none; None where not given."""
    flags: tuple[str, ...] = ()
    comment: str = ""


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The opinion of one reviewer on one candidate as it stands."""

    candidate_id: int
    reviewer: str
    opinion: Opinion
    at: str
    """UTC, ISO 8601."""
    log_id: int


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """One line of the log, which only grows. An undo or redo says what then holds."""

    id: int
    at: str
    reviewer: str
    action: Action
    candidate_id: int
    opinion: Opinion
    """That holds after this line; a blank one where an undo took the only opinion back."""
    seconds: float | None = None
    """That the person spent on the candidate."""
    shown: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What of an agent's opinion they had seen before: {"verdict": "YES", "model": ...}; empty:
    nothing."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a call has touched, so that a view knows whether to draw again. No ids: anything."""

    aspect: Aspect
    candidate_ids: frozenset[int] = frozenset()
