"""A folder of trajectories under review: pool.jsonl, reviews.jsonl, and where their spectra lie."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from agent.errors import TrajectoryError, WorkbenchError
from agent.hashing import text_hash
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories, to_line
from train.curate.process import Case, Stage
from train.curate.reviews import Review, add_reviews, read_reviews
from train.draft.record import record
from train.examples import Example, ExampleStore, column

POOL, TRAJECTORIES, REVIEWS = "pool.json", "pool.jsonl", "reviews.jsonl"
MAX_POOL = 1_000_000
VERSION = 1


@dataclass(frozen=True)
class Pool:
    """Use `open_pool` or `import_drafts`."""

    folder: Path
    sets: tuple[Path, ...]

    @cached_property
    def spectra(self) -> ExampleStore:
        return ExampleStore(self.sets)

    def cases(self) -> Iterator[Case]:
        """Every trajectory, in the order in which they came in."""
        reviews: dict[str, list[Review]] = {}
        for review in read_reviews(self.folder / REVIEWS):
            reviews.setdefault(review.trajectory, []).append(review)
        for trajectory in read_trajectories(self.folder / TRAJECTORIES):
            case = Case(case_id(trajectory), trajectory)
            case.take(reviews.get(case.id, ()))
            yield case

    def waiting(self, stage: Stage) -> Iterator[Case]:
        return (case for case in self.cases() if case.stage == stage)

    @cached_property
    def truths(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Answer and label by spectrum and task: one spectrum may be asked about twice."""
        names = ("sha256", "task", "answer", "label")
        rows = (row for path in self.sets for row in column(path, *names))
        return {(row["sha256"], row["task"]): row for row in rows}

    def example(self, case: Case) -> Example:
        """Its spectrum with the question it was asked and the truth."""
        sha256, asked = case.trajectory.spectrum.sha256, case.trajectory.task
        truth = self.truths.get((sha256, asked))
        if truth is None:
            raise WorkbenchError(f"{case.id}: its sets hold no answer to task {asked}")
        found = self.spectra[sha256]
        return replace(found, task=asked, answer=truth["answer"], label=truth["label"])

    def current(self, case: Case) -> Trajectory:
        """The trajectory as last revised."""
        return self.reworded(case, case.replies)

    def reworded(self, case: Case, replies: tuple[str, ...]) -> Trajectory:
        """With other words, its record made anew: the tool answers what is asked now."""
        first = case.trajectory
        if replies == first.replies:
            return first
        again = record(
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
        return replace(again, spectrum=first.spectrum)

    def task(self, case: Case) -> Task:
        return find_task(case.trajectory.task)

    def add(self, case: Case, review: Review) -> None:
        """Raises WorkbenchError where it is against the rules; else it is on disk."""
        case.add(review)
        add_reviews(self.folder / REVIEWS, [review])


def case_id(trajectory: Trajectory) -> str:
    """Of what was said about which spectrum, whoever made the record."""
    words = "\x1e".join((trajectory.spectrum.sha256, trajectory.task, *trajectory.replies))
    return text_hash(words)[:16]


def open_pool(folder: Path) -> Pool:
    path = folder / POOL
    try:
        with path.open("rb") as file:
            found = json.loads(file.read(MAX_POOL))
        sets = tuple(Path(text) for text in found["sets"])
        if found["version"] != VERSION:
            raise WorkbenchError(f"{folder} was made by another version of this program")
    except FileNotFoundError:
        raise WorkbenchError(f"{folder} is no pool: run `curate import` first") from None
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WorkbenchError(f"{path} is damaged: import again into another folder") from error
    return Pool(folder, sets)


def import_drafts(folder: Path, drafts: Iterable[Path], sets: Iterable[Path]) -> tuple[Pool, int]:
    """Add drafts to a pool, which is made where there is none; how many were new.

    Each must be of a spectrum in the sets; the same words about the same spectrum come in once.
    """
    wanted = tuple(path.resolve() for path in sets)
    known: set[str] = set()
    if (folder / POOL).is_file():
        before = open_pool(folder)
        wanted = tuple(dict.fromkeys((*before.sets, *wanted)))
        known = {case_id(one) for one in read_trajectories(folder / TRAJECTORIES)}
    if not wanted:
        raise WorkbenchError("name the sets that hold the spectra: --spectra SET.parquet")
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
    (folder / POOL).write_text(json.dumps(note, indent=1) + "\n", encoding="utf-8")
    _append(folder / TRAJECTORIES, new)
    return pool, len(new)


def _append(path: Path, lines: Iterable[str]) -> None:
    try:
        with path.open("a", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error
