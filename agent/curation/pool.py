"""A folder of trajectories under review, with their reviews and the paths of their spectra."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from agent.curation.process import Case, Stage
from agent.curation.record import record_trajectory
from agent.curation.reviews import Review, add_reviews, read_reviews
from agent.errors import TrajectoryError, WorkbenchError
from agent.examples.examples import Example, column
from agent.examples.store import ExampleStore
from agent.hashing import text_hash
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.append_lines import append_lines
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories, to_line

POOL_FILE, TRAJECTORIES_FILE, REVIEWS_FILE = "pool.json", "pool.jsonl", "reviews.jsonl"
MAX_POOL = 1_000_000
VERSION = 1


@dataclass(frozen=True)
class Pool:
    """A pool of trajectories; make one with `open_pool` or `import_drafts`."""

    folder: Path
    sets: tuple[Path, ...]

    @cached_property
    def spectra(self) -> ExampleStore:
        return ExampleStore(self.sets)

    def cases(self) -> Iterator[Case]:
        """Every case, in the order of import."""
        reviews: dict[str, list[Review]] = {}
        for review in read_reviews(self.folder / REVIEWS_FILE):
            reviews.setdefault(review.trajectory, []).append(review)
        for trajectory in read_trajectories(self.folder / TRAJECTORIES_FILE):
            case = Case(case_id(trajectory), trajectory)
            case.add_recorded(reviews.get(case.id, ()))
            yield case

    def cases_at(self, stage: Stage) -> Iterator[Case]:
        return (case for case in self.cases() if case.stage == stage)

    @cached_property
    def truths(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Answer and label by spectrum hash and task."""
        names = ("sha256", "task", "answer", "label")
        rows = (row for path in self.sets for row in column(path, *names))
        return {(row["sha256"], row["task"]): row for row in rows}

    def example(self, case: Case) -> Example:
        """The case's spectrum with its task and true answer."""
        sha256, task = case.trajectory.spectrum.sha256, case.trajectory.task
        truth = self.truths.get((sha256, task))
        if truth is None:
            raise WorkbenchError(f"{case.id}: the pool's sets have no answer for task {task}")
        # One spectrum may be in several sets, under different tasks.
        found = self.spectra[sha256]
        return replace(found, task=task, answer=truth["answer"], label=truth["label"])

    def current_trajectory(self, case: Case) -> Trajectory:
        """The trajectory in its latest wording."""
        return self.with_replies(case, case.replies)

    def with_replies(self, case: Case, replies: tuple[str, ...]) -> Trajectory:
        """The trajectory with other replies, recorded again with the tool's answers to them."""
        first = case.trajectory
        if replies == first.replies:
            return first
        recorded = record_trajectory(
            replies,
            self.example(case).spectrum,
            self.task(case),
            first.model,
            Style.from_table(first.style),
            first.sizing,
            seed=first.seed,
            draw=bool(first.overview),
            sampling=first.sampling,
        )
        return replace(recorded, spectrum=first.spectrum)

    def task(self, case: Case) -> Task:
        return find_task(case.trajectory.task)

    def add_review(self, case: Case, review: Review) -> None:
        """Add a review and write it to disk; raises WorkbenchError if it breaks the rules."""
        case.add(review)
        add_reviews(self.folder / REVIEWS_FILE, [review])


def case_id(trajectory: Trajectory) -> str:
    """Hash of the spectrum, the task and the replies."""
    text = "\x1e".join((trajectory.spectrum.sha256, trajectory.task, *trajectory.replies))
    return text_hash(text)[:16]


def open_pool(folder: Path) -> Pool:
    path = folder / POOL_FILE
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MAX_POOL))
        sets = tuple(Path(text) for text in found["sets"])
        if found["version"] != VERSION:
            raise WorkbenchError(f"{folder} was made by another version of this program")
    except FileNotFoundError:
        raise WorkbenchError(f"{folder} is not a pool: run `curate import` first") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WorkbenchError(f"{path} is damaged: import again into another folder") from error
    return Pool(folder, sets)


def import_drafts(folder: Path, drafts: Iterable[Path], sets: Iterable[Path]) -> tuple[Pool, int]:
    """Add new drafts to a pool, created if needed; returns it and how many were new."""
    wanted = tuple(path.resolve() for path in sets)
    known: set[str] = set()
    if (folder / POOL_FILE).is_file():
        before = open_pool(folder)
        wanted = tuple(dict.fromkeys((*before.sets, *wanted)))
        known = {case_id(one) for one in read_trajectories(folder / TRAJECTORIES_FILE)}
    if not wanted:
        raise WorkbenchError("name the sets with the spectra: --spectra SET.parquet")
    pool = Pool(folder, wanted)

    def fresh() -> Iterator[Trajectory]:
        for path in drafts:
            for trajectory in read_trajectories(path):
                if (trajectory.spectrum.sha256, trajectory.task) not in pool.truths:
                    name = trajectory.spectrum.path or trajectory.spectrum.object_id
                    raise TrajectoryError(
                        f"{path}: the spectrum {name[:80]} is in none of the sets"
                    )
                number = case_id(trajectory)
                if number not in known:
                    known.add(number)
                    yield trajectory

    new = [to_line(one) for one in fresh()]
    folder.mkdir(parents=True, exist_ok=True)
    note: dict[str, Any] = {"version": VERSION, "sets": [str(path) for path in wanted]}
    (folder / POOL_FILE).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
    _append(folder / TRAJECTORIES_FILE, new)
    return pool, len(new)


def _append(path: Path, lines: Iterable[str]) -> None:
    try:
        append_lines(path, lines)
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error
