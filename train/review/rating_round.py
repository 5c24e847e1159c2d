"""What one person rates: trajectories in this person's order, and how far they have got."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agent.errors import WorkbenchError
from agent.ratings.records import Choice, Rating, subject_of, timestamp, trajectory_id
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import read_trajectories
from train.review.ratings_file import add_records, ratings_beside, read_records
from train.review.rounds import Pair, Pressed, choices_by, in_order, pairs_of, ratings_by, unique
from train.review.spectra import Spectra


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
        self._ratings = ratings_by(self.records, self.by)
        self._choices = choices_by(self.records, self.by)

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
            subject=subject_of(trajectory),
            by=self.by,
            coherence=coherence,
            consistency=consistency,
            note=note,
            at=timestamp(),
        )
        add_records(self.out, [rating])
        self.records.append(rating)
        self._ratings[rating.subject.trajectory] = rating
        return rating

    def choose(self, pair: Pair, pressed: Pressed, note: str = "") -> Choice:
        choice = pair.choice(pressed, self.by, note)
        add_records(self.out, [choice])
        self.records.append(choice)
        self._choices[pair.key] = choice
        return choice

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
    sets = [path for folder in dict.fromkeys(folders) for path in sorted(folder.glob("*.parquet"))]
    return RatingRound(
        by=by,
        out=target,
        trajectories=in_order(trajectories, seed, by),
        pairs=pairs_of(trajectories, seed, by),
        spectra=Spectra([*places, *folders, *_sets_of_examples(sets)]),
        records=records,
    )


def _sets_of_examples(paths: Sequence[Path]) -> list[Path]:
    """Those of these Parquet files that are sets of examples."""
    from agent.examples.examples import open_set

    found = []
    for path in paths:
        try:
            open_set(path).close()
        except WorkbenchError:
            continue
        found.append(path)
    return found
