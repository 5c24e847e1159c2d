"""A pool in a folder, which several programs may use at once, also over a shared disk.

Logs are only appended to, under a lock that the system gives back when a program dies.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import Any

from filelock import FileLock, Timeout

from agent.atomic_file import write_file
from agent.errors import WorkbenchError, write_errors
from agent.examples.examples import Example, ExampleStore, column
from agent.hashing import text_hash
from agent.json_lines import append_to_lines, append_to_log, read_lines, read_log
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import from_line, to_line
from train.review.review_rules import (
    Review,
    Take,
    review_from,
    review_to_json,
    take_from,
    take_to_json,
)

POOL_FILE, TRAJECTORIES_FILE = "pool.json", "pool.jsonl"
REVIEWS_FILE, TAKES_FILE, LOCK_FILE, WORK_FOLDER = "reviews.jsonl", "takes.jsonl", ".lock", "work"
MAX_POOL = 1_000_000
MAX_WORK = 40_000_000  # Bytes; the longest revision that can be written is shorter.
VERSION = 1
LOCK_TIMEOUT_S = 30.0

Truths = Mapping[tuple[str, str], Mapping[str, Any]]
"""Answer and label by the hash of the spectrum and the task."""


class PoolFolder:
    """The files of one pool. Any thread may use it.

    Whatever is written is on the disk when a method returns, all of it or nothing.
    """

    def __init__(self, folder: Path, sets: tuple[Path, ...]) -> None:
        self.folder = folder
        self.location = str(folder)  # how it is shown to people
        self.sets = sets  # files with the spectra
        self._sets_stamp = _stamp(folder / POOL_FILE)
        self._lock = FileLock(folder / LOCK_FILE, timeout=LOCK_TIMEOUT_S, thread_local=False)
        self._threads = RLock()

    @classmethod
    def open(cls, folder: Path) -> PoolFolder:
        path = folder / POOL_FILE
        try:
            with path.open("rb") as file:
                found = json.loads(file.read(MAX_POOL))
            sets = tuple(Path(text) for text in found["sets"])
            if found["version"] != VERSION:
                raise WorkbenchError(f"{folder} was made by another version of this program")
        except (FileNotFoundError, NotADirectoryError):
            raise WorkbenchError(
                f"{folder} is not a pool: make one with `spec-o3-train curate import`"
            ) from None
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise WorkbenchError(f"{path} is damaged: import again into another folder") from error
        return cls(folder, sets)

    def trajectories(self) -> Iterator[Trajectory]:
        """In the order of import."""
        return read_lines(self.folder / TRAJECTORIES_FILE, from_line)

    def reviews(self) -> Iterator[Review]:
        return read_log(self.folder / REVIEWS_FILE, review_from)

    def takes(self) -> Iterator[Take]:
        return read_log(self.folder / TAKES_FILE, take_from)

    def stamp(self) -> tuple[object, object]:
        """Of the trajectories and of the logs; each differs if something was added since."""
        names = TRAJECTORIES_FILE, REVIEWS_FILE, TAKES_FILE
        trajectories, *logs = (_size(self.folder / name) for name in names)
        return trajectories, tuple(logs)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """While it is open nobody else writes, in no program."""
        with self._threads:
            try:
                self._lock.acquire()
            except Timeout:
                raise WorkbenchError(
                    f"{self.folder}: another program has been writing to this pool for "
                    f"{LOCK_TIMEOUT_S:.0f} s. Nothing was lost. Try again"
                ) from None
            except OSError as error:
                raise WorkbenchError(
                    f"{self.folder} cannot be written: {error.strerror or error}"
                ) from error
            try:
                yield
            finally:
                self._lock.release()

    def add_reviews(self, reviews: Sequence[Review]) -> None:
        append_to_log(self.folder / REVIEWS_FILE, [review_to_json(each) for each in reviews])

    def add_take(self, take: Take) -> None:
        append_to_log(self.folder / TAKES_FILE, [take_to_json(take)])

    def add_trajectories(self, trajectories: Iterable[Trajectory]) -> None:
        note: dict[str, Any] = {"version": VERSION, "sets": [str(path) for path in self.sets]}
        with write_errors(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_file(self.folder / POOL_FILE, json.dumps(note, indent=1) + "\n")
            append_to_lines(self.folder / TRAJECTORIES_FILE, map(to_line, trajectories))

    def _follow_sets(self) -> None:
        """Read further sets that an import has named since; the caller holds the threads' lock."""
        stamp = _stamp(self.folder / POOL_FILE)
        if stamp == self._sets_stamp:
            return
        sets = self.open(self.folder).sets if stamp else self.sets
        if sets != self.sets:
            self.sets = sets
            for name in ("_spectra", "_truths"):
                self.__dict__.pop(name, None)
        self._sets_stamp = stamp

    @cached_property
    def _spectra(self) -> ExampleStore:
        return ExampleStore(self.sets)

    @cached_property
    def _truths(self) -> Truths:
        names = ("sha256", "task", "answer", "label")
        rows = (row for path in self.sets for row in column(path, *names))
        return {(row["sha256"], row["task"]): row for row in rows}

    def truths(self) -> Truths:
        with self._threads:
            self._follow_sets()
            return self._truths

    def example(self, sha256: str, task: str) -> Example:
        """The spectrum with this hash, with the question and its answer."""
        truth = self.truths()[sha256, task]
        with self._threads:
            found = self._spectra[sha256]
        # One spectrum may be in several sets, under different tasks.
        return replace(found, task=task, answer=truth["answer"], label=truth["label"])

    def save_work(self, trajectory: str, by: str, text: str) -> None:
        """Keep what somebody has changed and not saved yet; an empty text forgets it."""
        path = self._work_path(trajectory, by)
        with write_errors(path):
            if text:
                path.parent.mkdir(exist_ok=True)
                write_file(path, text)
            else:
                path.unlink(missing_ok=True)

    def work(self, trajectory: str, by: str) -> str:
        try:
            with self._work_path(trajectory, by).open("rb") as file:
                return file.read(MAX_WORK).decode()
        except (OSError, UnicodeDecodeError):
            return ""

    def close(self) -> None:
        """There is nothing to close."""

    def _work_path(self, trajectory: str, by: str) -> Path:
        # Both are hashed, as a name may hold anything.
        return self.folder / WORK_FOLDER / f"{text_hash(f'{trajectory} {by}')[:32]}.json"


def _stamp(path: Path) -> tuple[int, int] | None:
    """Differs if the file was written again; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
