"""What a rater is given, and in which order: shuffled by seed and name, what is left first."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice
from typing import Literal

from agent.ratings.records import (
    Choice,
    Preferred,
    Rating,
    Side,
    subject_of,
    timestamp,
    trajectory_id,
)
from agent.trajectory.trajectory import Trajectory
from train.review.statistics import latest_choices, latest_ratings

MAX_TRAJECTORIES = 20_000
MAX_PAIRS = 100_000
"""Looked at; a stranger's file may hold thousands of trajectories of one spectrum."""
Pressed = Literal["left", "right", "tie"]


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
            first=subject_of(self.first),
            second=subject_of(self.second),
            preferred=preferred,
            left=self.left,
            by=by,
            note=note,
            at=timestamp(),
        )


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
    pairs = [
        Pair(first, second, "first")
        for first, second in islice(every, MAX_PAIRS)
        if first.model != second.model
    ]
    chance = random.Random(f"{seed}:{by}:pairs")
    chance.shuffle(pairs)
    return [replace(pair, left=chance.choice(("first", "second"))) for pair in pairs]


def ratings_by(records: Iterable[Rating | Choice], by: str) -> dict[str, Rating]:
    """This person's last rating of each trajectory."""
    ratings = latest_ratings(records)
    return {
        each.subject.trajectory: each for each in ratings if each.by == by and not each.by_model
    }


def choices_by(records: Iterable[Rating | Choice], by: str) -> dict[frozenset[str], Choice]:
    """This person's last choice of each pair."""
    choices = latest_choices(records)
    return {
        frozenset((each.first.trajectory, each.second.trajectory)): each
        for each in choices
        if each.by == by and not each.by_model
    }
