"""What a pool needs of the place where it is kept: a folder, or a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from agent.errors import WorkbenchError
from agent.examples.examples import Example
from agent.trajectory.trajectory import Trajectory
from train.review.review_rules import MAX_NAME, Review

TAKE_HOURS = 24.0
"""How long a draft stays with somebody who neither saves it nor gives it back."""
MAX_WORK = 40_000_000
"""Bytes; the longest revision that can be written is shorter."""

Truths = Mapping[tuple[str, str], Mapping[str, Any]]
"""Answer and label by the hash of the spectrum and the task."""


@dataclass(frozen=True, kw_only=True)
class Take:
    """Somebody took a draft to revise it, or gave it back."""

    trajectory: str
    by: str
    at: str
    is_free: bool = False


class PoolStore(Protocol):
    """Whatever is written is on the disk when a method returns, all of it or nothing."""

    @property
    def location(self) -> str:
        """How it is shown to people, without passwords."""
        ...

    @property
    def sets(self) -> tuple[Path, ...]:
        """Files with the spectra; none where the place itself keeps them."""
        ...

    def trajectories(self) -> Iterator[Trajectory]:
        """In the order of import."""
        ...

    def reviews(self) -> Iterator[Review]: ...

    def takes(self) -> Iterator[Take]: ...

    def stamp(self) -> tuple[object, object]:
        """Of the trajectories and of the logs; each differs if something was added since."""
        ...

    def writing(self) -> AbstractContextManager[None]:
        """While it is open nobody else writes, in no program."""
        ...

    def add_reviews(self, reviews: Sequence[Review]) -> None: ...

    def add_take(self, take: Take) -> None: ...

    def truths(self) -> Truths: ...

    def example(self, sha256: str, task: str) -> Example:
        """The spectrum with this hash, with the question and its answer."""
        ...

    def save_work(self, trajectory: str, by: str, text: str) -> None:
        """Keep what somebody has changed and not saved yet; an empty text forgets it."""
        ...

    def work(self, trajectory: str, by: str) -> str: ...

    def close(self) -> None: ...


def take_from(record: object) -> Take:
    """The take in a JSON object; raises WorkbenchError if it is not a valid one."""
    if not isinstance(record, dict):
        raise WorkbenchError("a take should be an object")
    texts = [record.get(name) for name in ("trajectory", "by", "at")]
    is_free = record.get("is_free", False)
    if not all(isinstance(each, str) and 0 < len(each) <= MAX_NAME for each in texts):
        raise WorkbenchError(f"trajectory, by and at should be texts of 1 to {MAX_NAME} characters")
    if not isinstance(is_free, bool):
        raise WorkbenchError("is_free should be true or false")
    trajectory, by, at = map(str, texts)
    return Take(trajectory=trajectory, by=by, at=at, is_free=is_free)
