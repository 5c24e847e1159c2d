"""Who goes where: training, test, cold start, other surveys, other tasks. No object in two splits.

Train and test of all tasks are drawn together, since an object may be asked about twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agent.protocol.reply import Verdict
from agent.spectra.spectrum import BoolArray, FloatArray
from train.bench.objects import IntArray
from train.bench.settings import BenchSettings, Pair, Size
from train.bench.sources import Sources

TRAIN, TEST, COLD, CROSS = "train", "test", "cold", "cross"


@dataclass(frozen=True, slots=True)
class Choice:
    """A spectrum (its place among the sources), the question about it and the answer."""

    source: int
    task: str
    answer: Verdict
    split: str
    filled: bool = False
    """A negative taken below the limit of the weak classifier."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Of one task, places among the sources. Of the negatives the accepted come first, in random
    order, then the rest by falling p."""

    positives: IntArray
    negatives: IntArray
    accepted: int
    is_noise: BoolArray
    """Of `negatives`: a member in truth."""


@dataclass
class Assigned:
    """The split of each object that is in one."""

    split_of: dict[int, str] = field(default_factory=dict)

    def usable(self, objects: Sequence[int], split: str) -> list[int]:
        """Places of those that may go there: the ones that are there first."""
        there = [at for at, each in enumerate(objects) if self.split_of.get(each) == split]
        free = [at for at, each in enumerate(objects) if each not in self.split_of]
        return there + free


def candidates_of(
    pool: IntArray,
    p: FloatArray,
    is_member: BoolArray,
    is_known: BoolArray,
    is_true: BoolArray,
    settings: BenchSettings,
    rng: np.random.Generator,
) -> Candidates:
    """From the pool (places among the sources) and, for each of it, p, whether it is in the
    catalogue of the task, in any catalogue, and whether it is a member in truth."""
    positives = rng.permutation(pool[is_member])
    may = ~is_known
    if settings.label_noise == "drop":
        may &= ~is_true
    is_hard = p > settings.p_negative
    accepted = rng.permutation(np.flatnonzero(may & is_hard))
    rest = np.flatnonzero(may & ~is_hard)
    rest = rest[np.argsort(-p[rest], kind="stable")] if settings.fill else rest[:0]
    order = np.concatenate([accepted, rest]).astype(np.intp)
    return Candidates(positives, pool[order], int(accepted.size), is_true[order])


def choose(
    task: str,
    size: Size,
    candidates: Candidates,
    sources: Sources,
    assigned: Assigned,
    rng: np.random.Generator,
) -> list[Choice]:
    """Training and test rows of a task. Where there are too few, both splits shrink alike and the
    negatives keep their odds."""
    chosen = _deal(candidates.positives, (size.train[0], size.test[0]), sources, assigned)
    rows = [
        Choice(source, task, "YES", split)
        for split, places in zip((TRAIN, TEST), chosen, strict=True)
        for source in places
    ]
    wanted = _negatives_for((len(chosen[0]), len(chosen[1])), size)
    pool, below = _reachable(candidates, wanted, sources, assigned, rng)
    for split, places in zip((TRAIN, TEST), _deal(pool, wanted, sources, assigned), strict=True):
        rows += [Choice(source, task, "NO", split, source in below) for source in places]
    return rows


def _reachable(
    candidates: Candidates,
    wanted: Pair,
    sources: Sources,
    assigned: Assigned,
    rng: np.random.Generator,
) -> tuple[IntArray, set[int]]:
    """As many negatives as are wanted, and those of them that were filled in."""
    negatives = candidates.negatives.tolist()
    objects = sources.object[candidates.negatives].tolist()
    most = max(sum(wanted), candidates.accepted)
    below = set(negatives[candidates.accepted :])
    asking = [split for split, count in zip((TRAIN, TEST), wanted, strict=True) if count]
    usable = {at for split in asking for at in assigned.usable(objects, split)}
    pool = [source for at, source in enumerate(negatives) if at in usable][:most]
    return rng.permutation(np.array(pool, dtype=np.intp)), below & set(pool)


def _deal(
    pool: IntArray, wanted: Pair, sources: Sources, assigned: Assigned
) -> tuple[list[int], list[int]]:
    """Places for training and for test, each object for one of them alone."""
    places = pool.tolist()
    train, test = shared_out(len(places), wanted)
    found: dict[str, list[int]] = {}
    for split, count in ((TEST, test), (TRAIN, train)):
        objects = sources.object[pool].tolist()
        taken = set(found.get(TEST, ()))
        usable = [places[at] for at in assigned.usable(objects, split)]
        found[split] = [place for place in usable if place not in taken][:count]
        for place in found[split]:
            assigned.split_of[int(sources.object[place])] = split
    return found[TRAIN], found[TEST]


def shared_out(available: int, wanted: Pair) -> Pair:
    """What each split gets: all it wants, or its share of what there is."""
    total = sum(wanted)
    if available >= total:
        return wanted
    train = round(available * wanted[0] / total)
    return train, available - train


def _negatives_for(positives: Pair, size: Size) -> Pair:
    """Negatives in the odds asked for, whatever number of positives there was."""
    train, test = (
        round(negative * have / positive) if positive else negative
        for have, (positive, negative) in zip(positives, (size.train, size.test), strict=True)
    )
    return train, test


def cold_start(
    rows: Sequence[Choice], tasks: Sequence[str], per_task: int, rng: np.random.Generator
) -> list[Choice]:
    """Half positive, half negative, from the training rows of each task."""
    found = []
    for task in tasks:
        for answer, count in (("YES", (per_task + 1) // 2), ("NO", per_task // 2)):
            here = [
                row for row in rows if (row.task, row.answer, row.split) == (task, answer, TRAIN)
            ]
            for at in rng.permutation(len(here))[:count].tolist():
                row = here[at]
                found.append(Choice(row.source, task, row.answer, COLD, row.filled))
    return found


def other_survey(
    rows: Sequence[Choice],
    survey: str,
    settings: BenchSettings,
    sources: Sources,
    rng: np.random.Generator,
) -> list[Choice]:
    """The test objects as this survey saw them: its best spectrum of each, same answer."""
    is_its = (sources.survey == survey) & (sources.snr > settings.min_snr)
    best: dict[int, int] = {}
    for place in np.flatnonzero(is_its).tolist():
        now = best.setdefault(int(sources.object[place]), place)
        if sources.snr[place] > sources.snr[now]:
            best[int(sources.object[place])] = place
    found = []
    for task in settings.cross_survey_tasks:
        for answer, count in zip(("YES", "NO"), settings.size_of_survey_sets, strict=True):
            there = [
                Choice(place, task, row.answer, f"survey-{survey}", row.filled)
                for row in rows
                if (row.task, row.answer, row.split) == (task, answer, TEST)
                and (place := best.get(int(sources.object[row.source]), row.source)) != row.source
            ]
            picked = rng.permutation(len(there))[:count].tolist()
            found += [there[at] for at in sorted(picked)]
    return found
