"""What one person rates: trajectories in this person's order, and how far they have got."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, combinations, islice
from pathlib import Path, PurePath
from typing import Literal

from filelock import FileLock, Timeout

from agent.errors import ReadError, TrajectoryError, WorkbenchError, read_errors
from agent.examples.examples import ExampleStore, open_set
from agent.hashing import spectrum_hash
from agent.json_lines import append_lines, drop_half_line, read_lines
from agent.ratings.records import (
    Choice,
    Preferred,
    Rating,
    Side,
    record_from,
    subject_of,
    timestamp,
    to_json,
    trajectory_id,
)
from agent.spectra.readers import read_numbered
from agent.spectra.spectrum import Spectrum
from agent.trajectory.trajectory import SpectrumRef, Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.review.statistics import both_of

MAX_TRAJECTORIES = 20_000
MAX_PAIRS = 100_000
"""Looked at; a stranger's file may hold thousands of trajectories of one spectrum."""
Pressed = Literal["left", "right", "tie"]


@dataclass
class RatingRound:
    """One person's work on some trajectories; every rating is on the disk when it is given."""

    by: str
    out: Path
    trajectories: Sequence[Trajectory]
    pairs: Sequence[Pair]
    spectra: Spectra
    records: list[Rating | Choice] = field(default_factory=list)
    """All that is in the file of ratings, by anybody, and what was given since."""

    def __post_init__(self) -> None:
        mine = [each for each in self.records if each.by == self.by and not each.by_model]
        ratings = (each for each in mine if isinstance(each, Rating))
        self._ratings = {each.subject.trajectory: each for each in ratings}
        choices = (each for each in mine if isinstance(each, Choice))
        self._choices = {both_of(each): each for each in choices}

    @property
    def rated(self) -> int:
        return sum(self.rating_of(one) is not None for one in self.trajectories)

    @property
    def chosen(self) -> int:
        return sum(self.choice_of(pair) is not None for pair in self.pairs)

    def rating_of(self, trajectory: Trajectory) -> Rating | None:
        """This person's rating on both criteria."""
        found = self._ratings.get(trajectory_id(trajectory))
        return None if found is None or found.coherence is None else found

    def choice_of(self, pair: Pair) -> Choice | None:
        return self._choices.get(pair.key)

    def rate(
        self, trajectory: Trajectory, coherence: int, consistency: int, note: str = ""
    ) -> Rating:
        rating = Rating(
            subject=subject_of(trajectory), coherence=coherence, consistency=consistency,
            by=self.by, note=note, at=timestamp(),
        )  # fmt: skip
        self._keep(rating)
        self._ratings[rating.subject.trajectory] = rating
        return rating

    def choose(self, pair: Pair, pressed: Pressed, note: str = "") -> Choice:
        choice = pair.choice(pressed, self.by, note)
        self._keep(choice)
        self._choices[pair.key] = choice
        return choice

    def _keep(self, record: Rating | Choice) -> None:
        add_records(self.out, [record])
        self.records.append(record)

    def first_unrated(self) -> int:
        """Where to begin; 0 if all are rated."""
        left = (at for at, one in enumerate(self.trajectories) if self.rating_of(one) is None)
        return next(left, 0)

    def first_open_pair(self) -> int:
        left = (at for at, pair in enumerate(self.pairs) if self.choice_of(pair) is None)
        return next(left, 0)


def open_round(
    files: Sequence[Path],
    by: str,
    *,
    out: Path | None = None,
    places: Sequence[Path] = (),
    seed: int = 0,
    others: Sequence[Path] = (),
) -> RatingRound:
    """Read trajectories and the ratings so far; `others` are further files of ratings to show.

    Spectra are found in `places` and in the folders of the files.
    """
    by = " ".join(by.split())
    if not by:
        raise WorkbenchError("a rating needs your name: choose one in the settings")
    trajectories = unique(one for path in files for one in read_trajectories(path))
    if not trajectories:
        raise WorkbenchError(f"there is no trajectory in {', '.join(map(str, files))}")
    target = out or ratings_beside(files[0])
    records = [record for path in (*others, target) for record in read_records(path)]
    folders = [path.absolute().parent for path in files]
    sets = []
    for folder in dict.fromkeys(folders):
        for path in sorted(folder.glob("*.parquet")):
            with suppress(WorkbenchError), open_set(path):  # not every such file is a set
                sets.append(path)
    ordered, pairs = in_order(trajectories, seed, by), pairs_of(trajectories, seed, by)
    spectra = Spectra([*places, *folders, *sets])
    return RatingRound(by, target, ordered, pairs, spectra, records)


@dataclass(frozen=True)
class Pair:
    """Two trajectories of one spectrum and task; `left` is shown on the left."""

    first: Trajectory
    second: Trajectory
    left: Side

    @property
    def shown(self) -> tuple[Trajectory, Trajectory]:
        """The left one and the right one."""
        if self.left == "first":
            return self.first, self.second
        return self.second, self.first

    @property
    def key(self) -> frozenset[str]:
        return frozenset((trajectory_id(self.first), trajectory_id(self.second)))

    def choice(self, pressed: Pressed, by: str, note: str = "") -> Choice:
        """The record of what this rater chose."""
        preferred: Preferred = "tie"
        if pressed != "tie":
            is_first = (pressed == "left") == (self.left == "first")
            preferred = "first" if is_first else "second"
        return Choice(
            first=subject_of(self.first), second=subject_of(self.second),
            preferred=preferred, left=self.left, by=by, note=note, at=timestamp(),
        )  # fmt: skip


def unique(trajectories: Iterable[Trajectory]) -> list[Trajectory]:
    """Each trajectory once, whatever the number of files that have it."""
    found: dict[str, Trajectory] = {}
    for one in trajectories:
        if len(found) >= MAX_TRAJECTORIES:
            break
        found.setdefault(trajectory_id(one), one)
    return list(found.values())


def in_order(trajectories: Sequence[Trajectory], seed: int, by: str) -> list[Trajectory]:
    """The trajectories in this rater's order, which is the same in every run."""
    ordered = sorted(trajectories, key=trajectory_id)
    random.Random(f"{seed}:{by}").shuffle(ordered)
    return ordered


def pairs_of(trajectories: Sequence[Trajectory], seed: int, by: str) -> list[Pair]:
    """Every two trajectories of one spectrum and task by different models, sides by chance."""
    groups: dict[tuple[str, str], list[Trajectory]] = {}
    for one in sorted(trajectories, key=trajectory_id):
        groups.setdefault((one.spectrum.sha256, one.task), []).append(one)
    every = chain.from_iterable(combinations(group, 2) for group in groups.values())
    some = islice(every, MAX_PAIRS)
    pairs = [Pair(one, two, "first") for one, two in some if one.model != two.model]
    chance = random.Random(f"{seed}:{by}:pairs")
    chance.shuffle(pairs)
    return [replace(pair, left=chance.choice(("first", "second"))) for pair in pairs]


# Files of ratings and choices: JSON lines that only grow; what is read is checked.
SUFFIX = ".ratings.jsonl"
MAX_LINE = 40_000
MAX_RECORDS = 1_000_000
LOCK_TIMEOUT_S = 5.0


def read_records(path: Path) -> Iterator[Rating | Choice]:
    """The records in order; none if there is no file. An error names the line.

    A last line without its end is skipped: the program that wrote it was killed.
    """
    with read_errors(path):
        for number, record in enumerate(read_lines(path, _record, MAX_LINE)):
            if number == MAX_RECORDS:
                raise WorkbenchError(f"{path} has more than {MAX_RECORDS:,} lines: split it")
            yield record


def add_records(path: Path, records: Iterable[Rating | Choice]) -> None:
    """Append records and sync them to disk; a half-written last line is dropped first."""
    lines = (json.dumps(to_json(record), ensure_ascii=False) for record in records)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Or what somebody else is writing would look like the half line of a crash.
        with FileLock(path.with_name(f".{path.name}.lock"), timeout=LOCK_TIMEOUT_S):
            drop_half_line(path, MAX_LINE, _is_record)
            append_lines(path, lines)
    except Timeout:
        raise WorkbenchError(
            f"cannot write {path}: another program has been writing to it for "
            f"{LOCK_TIMEOUT_S:.0f} s. Try again"
        ) from None
    except OSError as error:
        raise WorkbenchError(f"cannot write {path}: {error.strerror or error}") from error


def ratings_beside(path: Path) -> Path:
    """Where the ratings of a file of trajectories are kept by default."""
    return path.with_name(path.name.removesuffix(".jsonl") + SUFFIX)


def _record(line: bytes) -> Rating | Choice:
    return record_from(json.loads(line))


def _is_record(line: bytes) -> bool:
    """Whether a last line without an end is whole, as an editor may leave it."""
    try:
        _record(line)
    except (ValueError, RecursionError, WorkbenchError):
        return False
    return True


# Finds the spectra of recorded trajectories, so that their pictures can be drawn again. A file of
# trajectories may come from a stranger: a spectrum is read only from the folders and sets that the
# person named, and only that with the recorded numbers is used.
SET_SUFFIX = ".parquet"


class Spectra:
    """Spectra in folders, and in sets of examples (`.parquet`), by their hash."""

    def __init__(self, places: Iterable[Path]) -> None:
        every = [place.absolute() for place in places]
        self.folders = tuple(place for place in every if place.suffix != SET_SUFFIX)
        self.sets = tuple(place for place in every if place.suffix == SET_SUFFIX)

    @cached_property
    def _examples(self) -> ExampleStore:
        return ExampleStore(self.sets)

    def of(self, ref: SpectrumRef) -> Spectrum:
        """The spectrum that was inspected. Raises TrajectoryError where it is not found."""
        if self.sets and ref.sha256 in self._examples:
            return self._examples[ref.sha256].spectrum
        name = PurePath(ref.path).name or ref.object_id
        why = "its file is not there"
        for path in self._candidates(ref.path):
            try:
                spectrum = read_numbered(str(path), ref.row)
            except ReadError as error:
                why = str(error)
                continue
            if spectrum_hash(spectrum) == ref.sha256:
                return spectrum
            why = "the file has other values than were inspected"
        raise TrajectoryError(f"the spectrum {name[:80]} was not found: {why}")

    def _candidates(self, recorded: str) -> Iterable[Path]:
        """Files in the named folders: where the record says, else of the same name."""
        path = Path(recorded)
        if not path.name:
            return
        for folder in self.folders:
            whole = path if path.is_absolute() else folder / path
            for each in dict.fromkeys((whole, folder / path.name)):
                if ".." not in each.parts and each.is_relative_to(folder) and each.is_file():
                    yield each
