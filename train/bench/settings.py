"""Settings of a benchmark: tasks, sizes, the S/N cut, selection of negatives."""

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
ExampleCounts = tuple[int, int]  # positives and negatives


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """Settings of a benchmark; the defaults are those of the published SpecVI-Bench."""

    tasks: tuple[str, ...] = ("CV", "CS", "SS", "MG", "WD")
    cross_tasks: tuple[str, ...] = ("O", "B", "A")
    sizes: tuple[str, ...] = PUBLISHED_SIZES
    """Training positives/negatives, then test positives/negatives, of each task; * is any other."""
    survey: str = "LAMOST"  # Survey of the training and test sets; empty for any.
    cross_surveys: tuple[str, ...] = ("SDSS", "DESI")
    cross_survey_tasks: tuple[str, ...] = ("CV", "CS", "MG")
    cross_survey_size: str = "50/250"
    cold_per_task: int = 200  # cold-start candidates from the training set, half of them positive
    min_snr: float = 10.0
    p_negative: float = 0.8  # score above which a source in no catalogue becomes a hard negative
    fill: bool = False  # whether to add sources with the next highest p where too few pass
    random_per_positive: int = 5
    """Random sources per positive in the training of the weak classifier."""
    folds: int = 5
    uncatalogued: float = 0.05
    """Share of the true members of a simulated archive that its catalogues lack."""
    label_noise: Literal["keep", "drop"] = "keep"
    """Whether hard negatives that are true members are kept, where the truth is known."""
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.tasks:
            raise WorkbenchError("bench.tasks: name at least one task")
        if not 0.0 <= self.p_negative < 1.0 or not 0.0 <= self.uncatalogued < 1.0:
            raise WorkbenchError(
                "bench.p_negative and bench.uncatalogued must be from 0 to below 1"
            )
        if not 2 <= self.folds <= 20 or not 1 <= self.random_per_positive <= 100:
            raise WorkbenchError("bench.folds must be 2 to 20, and random_per_positive 1 to 100")
        if min(self.seed, self.cold_per_task) < 0:
            raise WorkbenchError("bench.seed and bench.cold_per_task must not be negative")
        self.size_of_survey_sets  # noqa: B018  checked here, before hours of measuring
        for task in self.all_tasks:
            self.size(task)

    @property
    def all_tasks(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.tasks, *self.cross_tasks)))

    def size(self, task: str) -> Size:
        """Sizes of the sets of a task; a cross-task only has a test set."""
        found = _sizes(self.sizes)
        if task not in found and ANY not in found:
            raise WorkbenchError(f"bench.sizes: no size for {task}, and no * for other tasks")
        size = found.get(task) or found[ANY]
        return size if task in self.tasks else Size((0, 0), size.test)

    @property
    def size_of_survey_sets(self) -> ExampleCounts:
        match = _PAIR.fullmatch(self.cross_survey_size.strip())
        if match is None:
            text = shown(self.cross_survey_size)
            raise WorkbenchError(f"bench.cross_survey_size: {text} is not of the form 50/250")
        return int(match[1]), int(match[2])


@dataclass(frozen=True)
class Size:
    train: ExampleCounts
    test: ExampleCounts


def _sizes(texts: Sequence[str]) -> Mapping[str, Size]:
    found = {}
    for text in texts:
        match = _SIZE.fullmatch(text.strip())
        if match is None:
            raise WorkbenchError(f"bench.sizes: {shown(text)} is not like CV 343/368 229/1229")
        a, b, c, d = (int(number) for number in match.groups()[1:])
        found[match[1]] = Size((a, b), (c, d))
    return found
