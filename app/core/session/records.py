"""The records that a session returns: frozen values instead of database rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Literal

from app.core.session.subclass_and_fields import FieldValues
from app.core.session.velocity import Velocity

NOTHING: Mapping[str, Any] = MappingProxyType({})

Action = Literal["set", "undo", "redo"]
Aspect = Literal[
    "verdict", "inspection", "list", "spectrum", "calibration", "measurement", "evidence", "rating"
]

MAX_CONFIDENCE = 4
MAX_COMMENT = 10_000
MAX_FLAGS = 32
MAX_FLAG = 40


class Verdict(StrEnum):
    """A reviewer's verdict on a candidate."""

    ACCEPT = "ACCEPT"
    REJECT = "REJECT"
    UNSURE = "UNSURE"


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One object of a list. `own` has the list's further columns under their own names.

    `path` is the absolute path of the spectrum, or empty if the list names none. `row` is the row
    in that file or, from nine digits on, a DESI TARGETID. `ra` and `dec` are in degrees.
    """

    id: int
    list_id: int
    line: int  # line number in its list, from 1, without the header
    object_id: str
    path: str
    row: int = 0
    ra: float | None = None
    dec: float | None = None
    score: float | None = None
    label: str = ""  # The class in the list; hidden before a verdict in blind mode.
    snr: float | None = None
    own: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    agent_verdict: Literal["YES", "NO"] | None = None
    agent_p_yes: float | None = None
    agent_model: str = ""
    agent_stopped_by: str = ""
    agent_members: str = ""
    """Of a panel, if they contradict each other: 'nano-eye NO, measured YES'."""
    catalogue_log_odds: float | None = None
    """What catalogues weigh, in nats for the class; None where nothing could be weighed."""
    p_combined: float | None = None  # The agent's p(YES) with that weight; not calibrated.
    fault: str = ""  # why the spectrum could not be read at the last attempt

    @property
    def name(self) -> str:
        """Its identifier, else its number."""
        return self.object_id or f"#{self.id}"


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """A reviewer's opinion of a candidate; without a verdict it may still be a comment or flag."""

    verdict: Verdict | None = None
    confidence: int | None = None  # From 4 (sure) to 0 (none); None if not given.
    flags: tuple[str, ...] = ()
    comment: str = ""
    subclass: str = ""  # Of an accepted one, as far as it was told: 'DA', or 'DA/DAH'.
    fields: FieldValues = ()  # values of the session's own fields
    velocity: Velocity | None = None


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """The current opinion of one reviewer on one candidate."""

    candidate_id: int
    reviewer: str
    opinion: Opinion
    at: str  # UTC, ISO 8601
    log_id: int


@dataclass(frozen=True, kw_only=True)
class LogEntry:
    """One line of the append-only log."""

    id: int
    at: str
    reviewer: str
    action: Action
    candidate_id: int
    opinion: Opinion  # The opinion after this line; blank if an undo withdrew the only one.
    seconds: float | None = None  # time spent on the candidate
    shown: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What the reviewer had seen of an agent's opinion, as {"verdict": "YES", "model": ...}."""
    evidence: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    """What services said had been on screen, as {"gaia": "DR3 9f86d081884c7d65"}: release and
    beginning of the hash of the reply."""
    order_met: str = ""
    """The order of the queue in which this verdict was first given; empty if there was no queue."""
    others: int = 0
    """How many further candidates the same act changed, where an act is recorded or undone."""


@dataclass(frozen=True, kw_only=True)
class Change:
    """What a call has changed; without ids, any candidate may be affected."""

    aspect: Aspect
    candidate_ids: frozenset[int] = frozenset()
