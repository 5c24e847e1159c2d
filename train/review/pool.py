"""Trajectories under review, with their reviews and spectra, in a folder or a database."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache, partial
from pathlib import Path

from agent.errors import TrajectoryError, WorkbenchError, write_errors
from agent.examples.examples import Example, read_examples, write_examples
from agent.protocol.reply import Verdict, is_well_formed
from agent.ratings.records import timestamp, trajectory_id
from agent.rendering.render import Style
from agent.tasks.catalogue import find_task
from agent.tasks.task import Task
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories, write_trajectories
from train.parallel import in_order
from train.record import record_trajectory
from train.review.pool_database import PoolDatabase
from train.review.pool_folder import POOL_FILE, PoolFolder, Truths
from train.review.review_rules import STAGES, TAKE_HOURS, Case, Review, ReviewRole, Stage, Take

PoolStore = PoolFolder | PoolDatabase


class Pool:
    """A pool of trajectories; make one with `open_pool` or `import_drafts`. Any thread may use it.

    What it returns is as of now: others may review at the same time.
    """

    def __init__(self, place: Path | str, store: PoolStore) -> None:
        self.place = place
        self.store = store
        self._read: tuple[object, dict[str, Trajectory]] = None, {}

    def cases(self) -> Iterator[Case]:
        """Every case, in the order of import."""
        reviews: dict[str, list[Review]] = {}
        for review in self.store.reviews():
            reviews.setdefault(review.trajectory, []).append(review)
        takes = self._takes()
        for number, trajectory in self._trajectories().items():
            yield _case(number, trajectory, reviews.get(number, ()), takes.get(number, ""))

    def cases_at(self, stage: Stage) -> Iterator[Case]:
        return (case for case in self.cases() if case.stage == stage)

    def case(self, number: str) -> Case:
        trajectory = self._trajectories().get(number)
        if trajectory is None:
            raise WorkbenchError(f"this pool has no such trajectory: {number[:40]}")
        own = [review for review in self.store.reviews() if review.trajectory == number]
        return _case(number, trajectory, own, self._takes().get(number, ""))

    def example(self, case: Case) -> Example:
        """The case's spectrum with its task and true answer."""
        sha256, task = case.trajectory.spectrum.sha256, case.trajectory.task
        if (sha256, task) not in self.store.truths():
            raise WorkbenchError(f"{case.id}: the pool's sets have no answer for task {task}")
        return self.store.example(sha256, task)

    def current_trajectory(self, case: Case) -> Trajectory:
        """The trajectory in its latest wording."""
        return self.with_replies(case, case.replies)

    def with_replies(self, case: Case, replies: tuple[str, ...]) -> Trajectory:
        """The trajectory with other replies, recorded again with the tool's answers to them."""
        if replies == case.trajectory.replies:
            return case.trajectory
        return retold(case.trajectory, replies, self.example(case), self.task(case))

    def task(self, case: Case) -> Task:
        return find_task(case.trajectory.task)

    def add_review(self, review: Review) -> Case:
        """Write a review to disk, and return its case; raises WorkbenchError if it breaks rules."""
        if review.changes and not review.note.strip():
            raise WorkbenchError("say what should change, so that the author can do it")
        with self.store.writing():
            case = self.case(review.trajectory)
            case.add(review)
            self.store.add_reviews([review])
            if review.role == "reviser" and case.taken_by == review.by:
                self._add_take(case, review.by, is_free=True)
                case.taken_by = ""
        return case

    def add_reviews(self, reviews: Sequence[Review]) -> int:
        """Write those that keep to the rules, as others reviewed meanwhile; returns how many."""
        with self.store.writing():
            cases = {case.id: case for case in self.cases()}
            known = (review for review in reviews if review.trajectory in cases)
            kept = [review for review in known if cases[review.trajectory].accepts(review)]
            self.store.add_reviews(kept)
        return len(kept)

    def replace(self, silent: str, by: str, note: str = "", number: str = "") -> list[Case]:
        """Wait no longer for this auditor or voter, in every draft or only in this one."""
        with self.store.writing():
            cases: Iterable[Case] = [self.case(number)] if number else self.cases()
            waiting = [case for case in cases if number or silent in case.awaited]
            return self._end_waits("lead", waiting, silent, by, note)

    def take_over(self, author: str, by: str, note: str, number: str = "") -> list[Case]:
        """Become the author of every draft that waits for this one, or only of this draft."""
        with self.store.writing():
            cases: Iterable[Case] = [self.case(number)] if number else self.cases()
            waiting = [
                case
                for case in cases
                if number or (case.author == author and not case.take_over_refusal(by))
            ]
            return self._end_waits("successor", waiting, author, by, note)

    def _end_waits(
        self, role: ReviewRole, waiting: list[Case], silent: str, by: str, note: str
    ) -> list[Case]:
        reviews = [
            case.review(by, role, approve=False, note=note, replaces=silent) for case in waiting
        ]
        for case, review in zip(waiting, reviews, strict=True):
            case.add(review)
        self.store.add_reviews(reviews)
        return waiting

    def take(self, number: str, by: str) -> None:
        """Keep a draft for this reviser; raises WorkbenchError if it is not theirs to revise."""
        with self.store.writing():
            case = self.case(number)
            if reason := case.refusal(by, "reviser"):
                raise WorkbenchError(reason)
            if case.taken_by != by:
                self._add_take(case, by, is_free=False)

    def give_back(self, number: str, by: str) -> None:
        """Let others revise it, and forget what this person has changed and not saved."""
        with self.store.writing():
            case = self.case(number)
            if case.taken_by == by:
                self._add_take(case, by, is_free=True)
        self.store.save_work(number, by, "")

    def _add_take(self, case: Case, by: str, *, is_free: bool) -> None:
        self.store.add_take(Take(trajectory=case.id, by=by, at=timestamp(), is_free=is_free))

    def _takes(self) -> dict[str, str]:
        """Who revises what now, by trajectory."""
        now, span = datetime.now(UTC), timedelta(hours=TAKE_HOURS)
        # A clock that is far ahead, or no time at all, holds a draft no longer than others.
        first, last = ((now + each).isoformat(timespec="seconds") for each in (-span, span))
        held = {}
        for take in self.store.takes():
            is_held = not take.is_free and first <= take.at <= last
            held[take.trajectory] = take.by if is_held else ""
        return held

    def _trajectories(self) -> dict[str, Trajectory]:
        stamp = self.store.stamp()[0]
        before, found = self._read
        if stamp != before:
            found = {trajectory_id(each): each for each in self.store.trajectories()}
            self._read = stamp, found
        return found


def retold(first: Trajectory, replies: tuple[str, ...], example: Example, task: Task) -> Trajectory:
    """A trajectory with other replies, recorded again with the tool's answers to them."""
    recorded = record_trajectory(
        replies, example.spectrum, task, first.model, Style.from_table(first.style), first.sizing,
        seed=first.seed, draw=bool(first.overview), sampling=first.sampling,
    )  # fmt: skip
    return replace(recorded, spectrum=first.spectrum)


def open_pool(place: Path | str) -> Pool:
    """Open a pool in a folder, or in a database by its URL."""
    if isinstance(place, str) and "://" in place:
        return Pool(place, PoolDatabase.open(place))
    return Pool(place, PoolFolder.open(Path(place)))


def import_drafts(
    place: Path | str, drafts: Iterable[Path], sets: Iterable[Path]
) -> tuple[Pool, int]:
    """Add new drafts to a pool, created if needed; returns it and how many were new."""
    read = [(path, each) for path in drafts for each in read_trajectories(path)]
    wanted = tuple(path.resolve() for path in sets)
    if isinstance(place, str) and "://" in place:
        database = PoolDatabase.open(place, make=True)
        asked = {(each.spectrum.sha256, each.task) for _, each in read}
        with database.writing():
            for path in wanted:
                examples = read_examples(path)
                database.add_examples(e for e in examples if (e.sha256, e.task) in asked)
            _refuse_unknown(read, database.truths())
            return Pool(place, database), _add_new(database, read)
    folder = Path(place)
    if (folder / POOL_FILE).is_file():
        wanted = tuple(dict.fromkeys((*PoolFolder.open(folder).sets, *wanted)))
    if not wanted:
        raise WorkbenchError("name the sets with the spectra: --spectra SET.parquet")
    store = PoolFolder(folder, wanted)
    _refuse_unknown(read, store.truths())
    folder.mkdir(parents=True, exist_ok=True)
    with store.writing():
        return Pool(folder, store), _add_new(store, read)


def _refuse_unknown(drafts: Iterable[tuple[Path, Trajectory]], truths: Truths) -> None:
    """Raise TrajectoryError for a draft whose spectrum has no known answer."""
    for path, draft in drafts:
        if (draft.spectrum.sha256, draft.task) not in truths:
            name = draft.spectrum.path or draft.spectrum.object_id
            raise TrajectoryError(f"{path}: the spectrum {name[:80]} is in none of the sets")


def _add_new(store: PoolStore, drafts: Iterable[tuple[Path, Trajectory]]) -> int:
    """Add those that the pool has not yet, each once; returns how many."""
    known = {trajectory_id(each) for each in store.trajectories()}
    every = {trajectory_id(each): each for _, each in drafts}
    fresh = [each for number, each in every.items() if number not in known]
    store.add_trajectories(fresh)
    return len(fresh)


def _case(number: str, trajectory: Trajectory, reviews: Sequence[Review], taken_by: str) -> Case:
    case = Case(number, trajectory)
    case.add_recorded(reviews)
    case.taken_by = taken_by
    return case


@cache
def cached_pool(place: Path | str) -> Pool:
    """The pool shared by all cases of a process, so that its spectra are indexed once."""
    return open_pool(place)


# What training learns from: trajectories, with their spectra and answers beside them.
FILE_NAME = "approved.jsonl"


@dataclass(frozen=True)
class Exported:
    """What was written, and what was not with the reason."""

    path: Path
    count: int
    sets: tuple[Path, ...]  # with the spectra, as training wants them
    left_out: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What trains on it."""
        sets = (word for path in self.sets for word in ("--sets", str(path)))
        return shlex.join(["spec-o3-train", "sft", str(self.path), *sets, "--out", "RUN"])


def approved_file(place: Path | str) -> Path:
    """In the folder of the pool; in the current one for a database."""
    return Path(FILE_NAME) if "://" in str(place) else Path(place) / FILE_NAME


def export_approved(
    pool: Pool, out: Path, trajectories: Iterable[Trajectory] | None = None
) -> Exported:
    """Write the approved trajectories in their latest wording; any thread.

    A caller that has told them anew already gives them. The spectra of a pool in a database are
    written beside them.
    """
    if out.suffix == ".parquet":
        raise WorkbenchError(f"{out}: drafts are JSON lines: give the file the suffix .jsonl")
    if trajectories is None:
        trajectories = map(pool.current_trajectory, pool.cases_at("approved"))
    truths = pool.store.truths()
    kept: list[Trajectory] = []
    left_out: list[str] = []
    for one in trajectories:
        truth = truths.get((one.spectrum.sha256, one.task), {})
        reason = training_fault(one, truth.get("answer"))
        if reason:
            left_out.append(f"{one.spectrum.object_id or one.spectrum.path}: {reason}")
        else:
            kept.append(one)
    if not kept:
        counts = Counter(case.stage for case in pool.cases())
        raise WorkbenchError(f"nothing to export: {'; '.join(left_out) or stages_text(counts)}")
    wanted = dict.fromkeys((one.spectrum.sha256, one.task) for one in kept)
    spectra = (pool.store.example(*key) for key in wanted)
    done = write_set(out, kept, pool.store.sets or out.with_suffix(".parquet"), spectra)
    return replace(done, left_out=tuple(left_out))


def write_set(
    out: Path,
    trajectories: Sequence[Trajectory],
    sets: Path | tuple[Path, ...],
    examples: Iterable[Example],
) -> Exported:
    """Write trajectories whose spectra are in these sets, or are to be written to one of them."""
    part = out.with_name(f".{out.name}.part")
    write_trajectories(part, trajectories)
    if isinstance(sets, Path):
        write_examples(sets, examples)
        sets = (sets,)
    with write_errors(out):
        part.replace(out)
    return Exported(out, len(trajectories), sets)


def training_fault(trajectory: Trajectory, answer: Verdict | None) -> str:
    """Why nothing is trained on it, or an empty text: `grpo` would punish what `sft` taught."""
    if answer is None:
        return "its spectrum is no longer in the sets of the pool"
    if trajectory.verdict != answer:
        return f"its answer is {trajectory.verdict or 'missing'}, the truth {answer}"
    if not is_well_formed(trajectory.replies):
        return "it is not well-formed"
    return ""


def stages_text(counts: Mapping[Stage, int]) -> str:
    """How many are decided, and who the others wait for."""
    closed = [f"{counts[stage]} {stage}" for stage in STAGES[-2:]]
    waiting = [stage for stage in STAGES[:-2] if counts[stage]]
    return ", ".join([*closed, *(f"{counts[each]} wait for the {each}" for each in waiting)])


def export_in_processes(pool: Pool, out: Path, workers: int = 1) -> Exported:
    """Write the approved trajectories, told anew by so many processes."""
    approved = pool.cases_at("approved")
    return export_approved(pool, out, in_order(partial(_current, pool.place), approved, workers))


def _current(place: Path | str, case: Case) -> Trajectory:
    return cached_pool(place).current_trajectory(case)
