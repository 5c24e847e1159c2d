"""What a benchmark is made to: tasks, sizes, the cut in S/N, how negatives are found."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agent.checked_toml import shown
from agent.errors import WorkbenchError

PUBLISHED_SIZES = (
    "CV 343/368 229/1229",
    "CS 355/316 237/1084",
    "SS 341/365 228/1214",
    "MG 327/331 218/1103",
    "WD 315/303 210/1002",
    "O 0/0 50/250",
    "B 0/0 50/250",
    "A 0/0 50/250",
)
ANY = "*"
_SIZE = re.compile(r"(\S{1,40})\s+(\d{1,7})/(\d{1,7})\s+(\d{1,7})/(\d{1,7})")
_PAIR = re.compile(r"(\d{1,7})/(\d{1,7})")

Pair = tuple[int, int]
"""Positives and negatives."""


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """The defaults are those of the published SpecVI-Bench."""

    tasks: tuple[str, ...] = ("CV", "CS", "SS", "MG", "WD")
    cross_tasks: tuple[str, ...] = ("O", "B", "A")
    sizes: tuple[str, ...] = PUBLISHED_SIZES
    """For each task: training positives/negatives, then test positives/negatives; * is any task
    not named."""
    survey: str = "LAMOST"
    """Whose spectra make training and test sets; empty for all alike."""
    cross_surveys: tuple[str, ...] = ("SDSS", "DESI")
    cross_survey_tasks: tuple[str, ...] = ("CV", "CS", "MG")
    cross_survey_size: str = "50/250"
    cold_per_task: int = 200
    """Candidates for the cold start, half of them positive, taken from the training set."""
    min_snr: float = 10.0
    p_negative: float = 0.8
    """A source in no catalogue becomes a hard negative above this."""
    fill: bool = False
    """Where too few pass, take those with the next highest p."""
    random_per_positive: int = 5
    """Random sources that the weak classifier is trained against, for each positive."""
    folds: int = 5
    uncatalogued: float = 0.05
    """Part of the true members of a simulated archive that its catalogues miss."""
    label_noise: Literal["keep", "drop"] = "keep"
    """What becomes of hard negatives that are members in truth, where the truth is known."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.tasks:
            raise WorkbenchError("bench.tasks: name at least one task")
        if not 0.0 <= self.p_negative < 1.0 or not 0.0 <= self.uncatalogued < 1.0:
            raise WorkbenchError("bench.p_negative and bench.uncatalogued go from 0 to below 1")
        if not 2 <= self.folds <= 20 or not 1 <= self.random_per_positive <= 100:
            raise WorkbenchError("bench.folds goes from 2 to 20, random_per_positive from 1 to 100")
        if min(self.seed, self.cold_per_task) < 0:
            raise WorkbenchError("bench.seed and bench.cold_per_task may not be negative")
        self.size_of_survey_sets  # noqa: B018  a faulty one is told before hours of measuring
        for task in self.all_tasks:
            self.size(task)

    @property
    def all_tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.tasks, *self.cross_tasks)))

    def size(self, task: str) -> Size:
        """The sets of a task; those of a cross-task are for testing alone."""
        found = _sizes(self.sizes)
        if task not in found and ANY not in found:
            raise WorkbenchError(f"bench.sizes: none for {task}, and no * for the rest")
        size = found.get(task) or found[ANY]
        return size if task in self.tasks else Size((0, 0), size.test)

    @property
    def size_of_survey_sets(self) -> Pair:
        match = _PAIR.fullmatch(self.cross_survey_size.strip())
        if match is None:
            text = shown(self.cross_survey_size)
            raise WorkbenchError(f"bench.cross_survey_size: {text} is not of the form 50/250")
        return int(match[1]), int(match[2])


@dataclass(frozen=True)
class Size:
    train: Pair
    test: Pair


def _sizes(texts: Sequence[str]) -> Mapping[str, Size]:
    found = {}
    for text in texts:
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            raise WorkbenchError(f"bench.sizes: {shown(text)} is not like CV 343/368 229/1229")
        a, b, c, d = (int(number) for number in match.groups()[1:])
        found[match[1]] = Size((a, b), (c, d))
    return found
