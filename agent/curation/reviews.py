"""Reviews of trajectories by people and programs, appended to a file as JSON lines."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, get_args

from agent.checked_toml import printable, shown
from agent.errors import WorkbenchError
from agent.hashing import text_hash
from agent.trajectory.append_lines import append_lines

Role = Literal["screener", "reviser", "auditor", "voter"]
ROLES: tuple[Role, ...] = get_args(Role)

MAX_LINE = 4_000_000
MAX_NAME, MAX_NOTE = 80, 4000
MAX_REPLIES = 64
LOWEST, HIGHEST = 0, 5


@dataclass(frozen=True, kw_only=True)
class Review:
    """One review of the wording with the hash `version`.

    `replies` are the new replies of a reviser who changed them, and `diff` shows the change.
    """

    trajectory: str
    role: Role
    by: str
    approve: bool
    version: str
    at: str = ""
    coherence: int | None = None
    consistency: int | None = None
    note: str = ""
    replies: tuple[str, ...] = ()
    diff: str = ""

    @property
    def total(self) -> int | None:
        """Sum of both scores."""
        if self.coherence is None or self.consistency is None:
            return None
        return self.coherence + self.consistency


def timestamp() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


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


def read_reviews(path: Path) -> Iterator[Review]:
    """The reviews in order; an error names the line, and a truncated last line is skipped."""
    if not path.is_file():
        return
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            if not line.strip():
                continue
            try:
                yield review_from(json.loads(line))
            except (ValueError, RecursionError, WorkbenchError) as error:
                if not line.endswith(b"\n"):
                    return
                reason = printable(str(error), 160)
                raise WorkbenchError(f"{path}, line {number}: {reason}") from error


def add_reviews(path: Path, reviews: Sequence[Review]) -> None:
    """Append reviews and sync them to disk."""
    try:
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                if file.read(1) != b"\n":
                    _cut_last_line(file)
        append_lines(path, (json.dumps(_to_json(each), ensure_ascii=False) for each in reviews))
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def _cut_last_line(file: Any) -> None:
    """Drop the last line, which a crash left half written."""
    end = file.seek(0, os.SEEK_END)
    start = max(0, end - MAX_LINE)
    file.seek(start)
    file.truncate(start + file.read(end - start).rfind(b"\n") + 1)


def _to_json(review: Review) -> dict[str, Any]:
    table = asdict(review)
    return {name: value for name, value in table.items() if value not in (None, "", (), [])}


def review_from(record: object) -> Review:
    """The review in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(record, dict):
        raise WorkbenchError("a review should be an object")
    known = {each.name for each in fields(Review)}
    for name in record:
        if name not in known:
            raise WorkbenchError(f"a review has no {shown(str(name))}")
    role = record.get("role")
    if role not in ROLES:
        raise WorkbenchError(f"role should be one of {', '.join(ROLES)}")
    if not isinstance(record.get("approve"), bool):
        raise WorkbenchError("approve should be true or false")
    replies = record.get("replies", [])
    if not isinstance(replies, list | tuple) or len(replies) > MAX_REPLIES:
        raise WorkbenchError(f"replies should be a list of at most {MAX_REPLIES} texts")
    return Review(
        trajectory=_text(record, "trajectory", 64, needed=True),
        role=role,
        by=_text(record, "by", MAX_NAME, needed=True),
        approve=record["approve"],
        version=_text(record, "version", 64, needed=True),
        at=_text(record, "at", 40),
        coherence=_score(record, "coherence"),
        consistency=_score(record, "consistency"),
        note=_text(record, "note", MAX_NOTE),
        replies=tuple(_text({"reply": each}, "reply", 200_000, needed=True) for each in replies),
        diff=_text(record, "diff", MAX_LINE),
    )


def _text(record: dict[str, Any], name: str, longest: int, *, needed: bool = False) -> str:
    value = record.get(name, "")
    if not isinstance(value, str) or len(value) > longest or (needed and not value.strip()):
        raise WorkbenchError(f"{name} should be a text of {int(needed)} to {longest} characters")
    return value


def _score(record: dict[str, Any], name: str) -> int | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or not LOWEST <= value <= HIGHEST:
        raise WorkbenchError(f"{name} should be a whole number from {LOWEST} to {HIGHEST}")
    return value
