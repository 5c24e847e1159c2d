"""Assigning objects to training, test, cold start, other surveys and other tasks.

No object is in both training and test. These are drawn for all tasks together, since there may be
questions of several tasks about one object.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from agent.protocol.reply import Verdict
from agent.spectra.pixel_grid import IndexArray
from agent.spectra.spectrum import BoolArray, FloatArray
from train.bench.settings import BenchSettings, ExampleCounts, Size
from train.bench.sources import Sources
from train.simulate.source import Rng

TRAIN, TEST, COLD, CROSS = "train", "test", "cold", "cross"


@dataclass(frozen=True, slots=True)
class Choice:
    """A spectrum (its index in the sources), the question about it and the answer."""

    source: int
    task: str
    answer: Verdict
    split: str
    filled: bool = False  # whether this is a negative below the limit of the weak classifier


@dataclass(frozen=True, eq=False)
class Candidates:
    """Indices in the sources of the candidates of a task.

    Accepted negatives come first, in random order, then the rest by falling p.
    """

    positives: IndexArray
    negatives: IndexArray
    accepted: int


Assigned = dict[int, str]  # the split of each object that has been assigned to one


def _usable(objects: Sequence[int], split: str, assigned: Assigned) -> list[int]:
    """Positions of the objects that may be in a split, those already in it first."""
    present = [at for at, each in enumerate(objects) if assigned.get(each) == split]
    return present + [at for at, each in enumerate(objects) if each not in assigned]


def candidates_of(
    pool: IndexArray,
    p: FloatArray,
    is_member: BoolArray,
    is_known: BoolArray,
    is_true: BoolArray,
    settings: BenchSettings,
    rng: Rng,
) -> Candidates:
    """Candidates from a pool of indices in the sources.

    The arrays state for each source of the pool its p, whether it is in the catalogue of the task
    or in any catalogue, and whether it is a true member.
    """
    positives = rng.permutation(pool[is_member])
    may_be_negative = ~is_known
    if settings.label_noise == "drop":
        may_be_negative &= ~is_true
    is_hard = p > settings.p_negative
    accepted = rng.permutation(np.flatnonzero(may_be_negative & is_hard))
    rest = np.flatnonzero(may_be_negative & ~is_hard)
    rest = rest[np.argsort(-p[rest], kind="stable")] if settings.fill else rest[:0]
    order = np.concatenate([accepted, rest]).astype(np.intp)
    return Candidates(positives, pool[order], int(accepted.size))


def choose(
    task: str, size: Size, candidates: Candidates, sources: Sources, assigned: Assigned, rng: Rng
) -> list[Choice]:
    """Training and test rows of a task.

    Where there are too few, both splits shrink by the same factor and keep their odds.
    """
    chosen = _deal(candidates.positives, (size.train[0], size.test[0]), sources, assigned)
    rows: list[Choice] = []
    for split, indices in zip((TRAIN, TEST), chosen, strict=True):
        rows += [Choice(source, task, "YES", split) for source in indices]
    wanted = _negatives_for((len(chosen[0]), len(chosen[1])), size)
    pool, below = _reachable(candidates, wanted, sources, assigned, rng)
    for split, indices in zip((TRAIN, TEST), _deal(pool, wanted, sources, assigned), strict=True):
        rows += [Choice(source, task, "NO", split, source in below) for source in indices]
    return rows


def _reachable(
    candidates: Candidates, wanted: ExampleCounts, sources: Sources, assigned: Assigned, rng: Rng
) -> tuple[IndexArray, set[int]]:
    """As many negatives as are wanted, and those of them below the limit of the classifier."""
    negatives = candidates.negatives.tolist()
    objects = sources.object[candidates.negatives].tolist()
    most = max(sum(wanted), candidates.accepted)
    below = set(negatives[candidates.accepted :])
    asking = [split for split, count in zip((TRAIN, TEST), wanted, strict=True) if count]
    usable = {at for split in asking for at in _usable(objects, split, assigned)}
    pool = [source for at, source in enumerate(negatives) if at in usable][:most]
    return rng.permutation(np.array(pool, dtype=np.intp)), below & set(pool)


def _deal(
    pool: IndexArray, wanted: ExampleCounts, sources: Sources, assigned: Assigned
) -> tuple[list[int], list[int]]:
    """Sources for training and for test, with each object in only one of them."""
    indices = pool.tolist()
    train, test = allocate(len(indices), wanted)
    found: dict[str, list[int]] = {}
    for split, count in ((TEST, test), (TRAIN, train)):
        objects = sources.object[pool].tolist()
        used = set(found.get(TEST, ()))
        usable = [indices[at] for at in _usable(objects, split, assigned)]
        found[split] = [index for index in usable if index not in used][:count]
        for index in found[split]:
            assigned[int(sources.object[index])] = split
    return found[TRAIN], found[TEST]


def allocate(available: int, wanted: ExampleCounts) -> ExampleCounts:
    """Number for each split: all that is wanted, or its share of what is available."""
    total = sum(wanted)
    if available >= total:
        return wanted
    train = round(available * wanted[0] / total)
    return train, available - train


def _negatives_for(positives: ExampleCounts, size: Size) -> ExampleCounts:
    """Number of negatives that gives the requested odds for the actual number of positives."""
    asked = zip(positives, (size.train, size.test), strict=True)
    train, test = (round(no * have / yes) if yes else no for have, (yes, no) in asked)
    return train, test


def cold_start(
    rows: Sequence[Choice], tasks: Sequence[str], per_task: int, rng: Rng
) -> list[Choice]:
    """Training rows of each task, half of them positive."""
    found = []
    for task in tasks:
        for answer, count in (("YES", (per_task + 1) // 2), ("NO", per_task // 2)):
            wanted = (task, answer, TRAIN)
            here = [row for row in rows if (row.task, row.answer, row.split) == wanted]
            picked = rng.permutation(len(here))[:count].tolist()
            found += [replace(here[at], split=COLD) for at in picked]
    return found


def other_survey(
    rows: Sequence[Choice], survey: str, settings: BenchSettings, sources: Sources, rng: Rng
) -> list[Choice]:
    """The test objects as observed by this survey: its best spectrum of each, same answer."""
    is_its = (sources.survey == survey) & (sources.snr > settings.min_snr)
    best: dict[int, int] = {}
    for index in np.flatnonzero(is_its).tolist():
        known = best.setdefault(int(sources.object[index]), index)
        if sources.snr[index] > sources.snr[known]:
            best[int(sources.object[index])] = index
    found = []
    for task in settings.cross_survey_tasks:
        for answer, count in zip(("YES", "NO"), settings.size_of_survey_sets, strict=True):
            available = [
                replace(row, source=index, split=f"survey-{survey}")
                for row in rows
                if (row.task, row.answer, row.split) == (task, answer, TEST)
                and (index := best.get(int(sources.object[row.source]), row.source)) != row.source
            ]
            picked = rng.permutation(len(available))[:count].tolist()
            found += [available[at] for at in sorted(picked)]
    return found
