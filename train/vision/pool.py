"""Lessons drawn by other processes while the eye learns, kept in a ring of the newest pictures."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from functools import partial
from itertools import count, islice
from multiprocessing import get_context
from typing import Generic, Self, TypeVar

import numpy as np
import torch
from torch import Tensor

from train.parallel import end_with_parent, worker_deaths
from train.vision.lessons import Lesson, draw_lessons
from train.vision.settings import LessonSettings

Result = TypeVar("Result")

PER_JOB = 8  # lessons that a process draws at a time
JOBS_AHEAD = 3  # jobs given to each process in advance


class PicturePool:
    """The newest pictures, or what `see` makes of them, with their ranges, targets and kinds, on
    the training device."""

    def __init__(
        self, room: int, device: torch.device, see: Callable[[Tensor], Tensor] | None = None
    ) -> None:
        self._room, self.device, self._see = room, device, see
        self._columns: tuple[Tensor, ...] = ()
        self._next, self.size, self.added = 0, 0, 0

    def add(self, lessons: Sequence[Lesson]) -> None:
        counts = [len(one.pictures) for one in lessons]
        pictures = torch.from_numpy(np.concatenate([one.pictures for one in lessons]))
        fresh = (
            pictures if self._see is None else self._see(pictures),
            torch.from_numpy(np.concatenate([one.ranges for one in lessons])).float(),
            torch.from_numpy(np.concatenate([one.targets for one in lessons])).half(),
            torch.from_numpy(np.repeat([one.kind for one in lessons], counts)),
        )
        rows = len(fresh[0])
        if not self._columns:
            self._columns = tuple(
                torch.empty((self._room, *part.shape[1:]), dtype=part.dtype, device=self.device)
                for part in fresh
            )
        at = (self._next + torch.arange(rows, device=self.device)) % self._room
        for column, part in zip(self._columns, fresh, strict=True):
            column[at] = part.to(self.device)
        self._next = (self._next + rows) % self._room
        self.size = min(self.size + rows, self._room)
        self.added += rows

    @property
    def is_full(self) -> bool:
        return self.size == self._room

    def sample(
        self, rows: int, generator: torch.Generator
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Pictures (or what `see` made of them), ranges, targets, kinds; any may come twice."""
        at = torch.randint(self.size, (rows,), generator=generator, device=self.device)
        pictures, ranges, targets, kinds = self._columns
        return pictures[at], ranges[at], targets[at], kinds[at]


class Workers(Generic[Result]):
    """Processes that work on endless jobs, a few of which are given to them in advance."""

    def __init__(self, workers: int, jobs: Iterator[Callable[[], Result]]) -> None:
        self.executor = ProcessPoolExecutor(workers, get_context("spawn"), end_with_parent)
        self._jobs = jobs
        self._under_way = {self.executor.submit(job) for job in islice(jobs, workers * JOBS_AHEAD)}

    def ready(self, *, at_least: int = 0) -> Iterator[Result]:
        """The results since the last call, waiting for so many."""
        taken = 0
        with worker_deaths():
            while True:
                waits = None if taken < at_least else 0
                done, self._under_way = wait(self._under_way, waits, FIRST_COMPLETED)
                for one in done:
                    self._under_way |= {self.executor.submit(job) for job in islice(self._jobs, 1)}
                    taken += 1
                    yield one.result()
                # Not until none is ready: who draws may be faster than who learns.
                if taken >= at_least:
                    return

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.executor.shutdown(wait=True, cancel_futures=True)


def lesson_jobs(
    settings: LessonSettings, seed: int, library: str = ""
) -> Iterator[Callable[[], list[Lesson]]]:
    """Endless lessons; the same seed gives the same ones."""
    numbers = (range(first, first + PER_JOB) for first in count(0, PER_JOB))
    return (partial(draw_lessons, each, settings, seed, library) for each in numbers)
