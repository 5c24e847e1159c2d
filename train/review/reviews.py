"""Reviews of trajectories by people and programs."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Any, Literal, get_args

from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.ratings.records import (
    ScoredRecord,
    refuse_unknown,
    said_in,
    scores_in,
    text_in,
    without_empty,
)
from agent.ratings.rubric import CRITERIA

Role = Literal["screener", "reviser", "auditor", "voter"]
ROLES: tuple[Role, ...] = get_args(Role)
ReviewRole = Role | Literal["lead", "successor"]
REVIEW_ROLES: tuple[ReviewRole, ...] = (*ROLES, "lead", "successor")
"""The last two judge nothing: a lead waits no longer for somebody, and a successor takes the draft
over from its author."""

MAX_NAME = 80
MAX_REPLIES = 64
MAX_DIFF = 4_000_000


@dataclass(frozen=True, kw_only=True)
class Review(ScoredRecord):
    """One review of the wording with the hash `version`.

    `replies` are the new replies of a reviser who changed them, and `diff` shows the change. An
    auditor who does not approve may ask for `changes`; without that the trajectory is rejected.
    A lead `replaces` an auditor who does not answer, and a successor the author.
    """

    trajectory: str
    role: ReviewRole
    approve: bool
    version: str
    changes: bool = False
    replies: tuple[str, ...] = ()
    diff: str = ""
    replaces: str = ""


def days_between(first: str, second: str) -> float:
    """Days from one timestamp to another; 0 where one of them is none."""
    try:
        times = [datetime.fromisoformat(each) for each in (first, second)]
    except ValueError:
        return 0.0
    start, end = (each if each.tzinfo else each.replace(tzinfo=UTC) for each in times)
    return (end - start).total_seconds() / 86_400


def version_of(replies: Sequence[str]) -> str:
    return text_hash("\x1e".join(replies))[:16]


def diff_of(before: Sequence[str], after: Sequence[str]) -> str:
    """A reviser's changes as a unified diff of each turn."""
    return "\n".join(
        line
        for number, (old, new) in enumerate(zip_longest(before, after, fillvalue=""), 1)
        for line in difflib.unified_diff(
            old.splitlines(), new.splitlines(), f"turn {number}", f"turn {number}", lineterm="", n=0
        )
    )


def review_to_json(review: Review) -> dict[str, Any]:
    return {**without_empty(asdict(review)), "approve": review.approve}


def review_from(record: object) -> Review:
    """The review in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(record, dict):
        raise WorkbenchError("a review should be an object")
    refuse_unknown(record, Review)
    role = record.get("role")
    if role not in REVIEW_ROLES:
        raise WorkbenchError(f"role should be one of {', '.join(REVIEW_ROLES)}")
    if not isinstance(record.get("approve"), bool):
        raise WorkbenchError("approve should be true or false")
    changes = record.get("changes", False)
    if not isinstance(changes, bool) or (changes and (record["approve"] or role != "auditor")):
        raise WorkbenchError("only an auditor who does not approve may ask for changes")
    if (role in ROLES) == bool(record.get("replaces")):
        raise WorkbenchError("a lead or successor replaces somebody, and nobody else does")
    replies = record.get("replies", [])
    if not isinstance(replies, list | tuple) or len(replies) > MAX_REPLIES:
        raise WorkbenchError(f"replies should be a list of at most {MAX_REPLIES} texts")
    return Review(
        trajectory=text_in(record, "trajectory", 64, needed=True),
        role=role,
        approve=record["approve"],
        version=text_in(record, "version", 64, needed=True),
        changes=changes,
        replies=tuple(text_in({"reply": each}, "reply", 200_000, needed=True) for each in replies),
        diff=text_in(record, "diff", MAX_DIFF),
        replaces=text_in(record, "replaces", MAX_NAME),
        **scores_in(record, CRITERIA),
        **said_in(record, MAX_NAME),
    )
