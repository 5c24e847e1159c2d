"""The class, survey and S/N of each spectrum of a campaign.

Everything about spectrum `index` follows from (seed, index) and the settings, so neither the number
of workers nor the order of work changes a single byte.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from agent.errors import WorkbenchError
from train.simulate.sky import LABELS
from train.simulate.source import Rng
from train.simulate.telescope.surveys import ATLAS, GRADES

MIXED = "MIXED"
SURVEY_SHARES = {"LAMOST": 0.52, "SDSS": 0.18, "BOSS": 0.12, "DESI": 0.10, ATLAS: 0.08}
QUALITY_SHARES = {"good": 0.15, "typical": 0.75, "poor": 0.10}
MOST_SHARE = 1000.0
MAX_COUNT = 10_000_000

# Contaminants in a candidate list of each class: hardest first, with relative weights.
CONTAMINANTS: dict[str, dict[str, float]] = {
    "CV": {
        "QSO": 2, "GALAXY": 2, "A": 2, "M_DWARF": 2, "WD": 1.5, "SDB": 1, "SYMBIOTIC": 1,
        "ARTEFACT": 1.5, "NEBULA": 1.5, "WR": 0.6, "YSO": 1.2, "B": 1, "O": 0.3, "F": 0.6,
        "L_DWARF": 0.4,
    },
    "CS": {"K": 3, "M_DWARF": 2, "SS": 1.5, "WD": 1, "MG": 2, "G": 1, "SYMBIOTIC": 0.5,
           "ARTEFACT": 1, "GALAXY": 0.7, "YSO": 0.3, "L_DWARF": 0.7},
    "SS": {"MG": 4, "M_DWARF": 2, "CS": 1.5, "K": 2, "SYMBIOTIC": 0.8, "ARTEFACT": 0.7,
           "L_DWARF": 0.4},
    "MG": {"M_DWARF": 4, "K": 3, "SS": 1.5, "SYMBIOTIC": 1, "CS": 1.2, "YSO": 0.7,
           "ARTEFACT": 0.7, "GALAXY": 0.4, "L_DWARF": 0.5},
    "WD": {"A": 3, "SDB": 2.5, "B": 2, "O": 0.5, "QSO": 1.5, "CV": 1.2, "F": 1.5, "GALAXY": 0.5,
           "ARTEFACT": 1},
    "O": {"B": 4, "SDB": 2, "WR": 1.2, "WD": 1.5, "A": 1, "CV": 0.7, "QSO": 0.5, "NEBULA": 0.7,
          "ARTEFACT": 0.7},
    "B": {"A": 4, "O": 1.5, "SDB": 2.5, "WD": 1.5, "F": 0.7, "CV": 0.5, "WR": 0.3, "YSO": 0.3,
          "ARTEFACT": 0.7},
    "A": {"F": 3.5, "B": 3, "SDB": 1.2, "WD": 2, "G": 0.7, "QSO": 0.5, "CV": 0.5, "NEBULA": 0.5,
          "ARTEFACT": 0.7},
}  # fmt: skip


NATURAL_LABELS = "NATURAL"
# Shares of what a survey of the Galaxy sees when it aims at nothing in particular; those of the
# rare classes are rough, as nobody has counted them.
NATURAL: dict[str, float] = {
    "F": 0.30, "G": 0.285, "K": 0.19, "A": 0.08, "M_DWARF": 0.06, "ARTEFACT": 0.025, "MG": 0.02,
    "B": 0.01, "GALAXY": 0.01, "QSO": 0.005, "WD": 0.004, "SDB": 0.001, "NEBULA": 0.001,
    "YSO": 0.001, "CS": 0.0008, "CV": 0.0005, "O": 0.0002, "SS": 0.0002, "L_DWARF": 0.0002,
    "SYMBIOTIC": 0.0001, "WR": 0.0001,
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that determines the content of a campaign."""

    seed: int
    count: int
    task: str = ""
    labels: tuple[str, ...] = ()
    """Drawn with equal odds where there is no task, or with a share, as CV:0.01; `NATURAL` stands
    for those of a survey. Empty means every label."""
    odds: tuple[float, float] = (1.0, 5.0)  # odds of the task's class against its contaminants
    survey: str = MIXED
    """One survey, several separated by commas, or MIXED for all of them in their usual shares.
    `ATLAS:0.3` overrides the usual share of a survey."""
    snr: tuple[float, float] = (5.0, 100.0)
    quality: str = "mixed"
    library: str = ""
    arrays: bool = False
    gzip: bool = True
    sky: int | None = None
    """Campaigns with the same sky observe the same objects, each with its own noise."""

    def __post_init__(self) -> None:
        if self.task and self.task not in CONTAMINANTS:
            tasks = ", ".join(CONTAMINANTS)
            raise WorkbenchError(f"unknown task {self.task!r}: use one of {tasks}")
        for label, share in self.label_shares.items():
            if label not in LABELS:
                raise WorkbenchError(
                    f"unknown class {label!r}: use {NATURAL_LABELS}, or of {', '.join(LABELS)}"
                )
            if not 0.0 < share <= MOST_SHARE:
                raise WorkbenchError(f"--labels {label}: write the share as a number: {label}:0.3")
        if self.task and self.labels:
            raise WorkbenchError("a task determines the classes: give --task or --labels, not both")
        for survey, share in self.shares.items():
            if survey not in SURVEY_SHARES:
                known_surveys = ", ".join((*SURVEY_SHARES, MIXED))
                raise WorkbenchError(f"unknown survey {survey!r}: use one of {known_surveys}")
            if not 0.0 < share <= MOST_SHARE:
                raise WorkbenchError(
                    f"--survey {survey}: write the share as a number, like {survey}:0.3"
                )
        if self.quality not in (*GRADES, "mixed"):
            grades = ", ".join((*GRADES, "mixed"))
            raise WorkbenchError(f"unknown quality {self.quality!r}: use {grades}")
        low, high = self.snr
        if not 0.5 <= low <= high <= 1000:
            given = f"S/N {low} to {high}"
            raise WorkbenchError(f"{given}: give two rising values between 0.5 and 1000")
        if not 1 <= self.count <= MAX_COUNT or min(self.seed, self.sky or 0) < 0:
            raise WorkbenchError(
                f"count must be between 1 and {MAX_COUNT}, and seeds must not be negative"
            )
        if not (min(self.odds) >= 0 and sum(self.odds) > 0):
            raise WorkbenchError(f"invalid odds {self.odds[0]}:{self.odds[1]}: write them like 1:5")

    @property
    def label_shares(self) -> Mapping[str, float]:
        """Relative share of each label where there is no task; NaN where it is not a number."""
        shares: dict[str, float] = {}
        for text in self.labels or LABELS:
            name, colon, share = text.partition(":")
            if name == NATURAL_LABELS:
                shares |= NATURAL
            else:
                shares[name] = _share(share) if colon else 1.0
        return shares

    @property
    def shares(self) -> Mapping[str, float]:
        """Relative share of each survey; NaN where the text is not a number."""
        if self.survey == MIXED:
            return SURVEY_SHARES
        parts = [part.partition(":") for part in self.survey.split(",")]
        return {
            name.strip(): _share(text) if colon else SURVEY_SHARES.get(name.strip(), 0.0)
            for name, colon, text in parts
        }

    def as_json(self) -> dict[str, object]:
        return {name: value for name, value in asdict(self).items() if value is not None}


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return math.nan


@dataclass(frozen=True)
class Assignment:
    index: int
    label: str
    survey: str


def spectrum_rng(seed: int, index: int) -> Rng:
    return np.random.default_rng(np.random.SeedSequence((seed, index)))


def object_rng(sky: int, index: int) -> Rng:
    """Generator for the nature and position of an object, the same for every survey."""
    return np.random.default_rng(np.random.SeedSequence((sky, index), spawn_key=(2,)))


def assignments(settings: Settings) -> list[Assignment]:
    """Class and survey of every spectrum: the positives are exact in number, random in order."""
    rng = np.random.default_rng(np.random.SeedSequence(settings.seed, spawn_key=(1,)))
    labels = _labels(settings, rng if settings.sky is None else object_rng(settings.sky, 0))
    shares = np.array(list(settings.shares.values()))
    surveys = rng.choice(list(settings.shares), settings.count, p=shares / shares.sum())
    pairs = enumerate(zip(labels, surveys, strict=True))
    return [Assignment(index, str(label), str(survey)) for index, (label, survey) in pairs]


def _labels(settings: Settings, rng: Rng) -> np.ndarray:
    if not settings.task:
        if not any(":" in label or label == NATURAL_LABELS for label in settings.labels):
            return rng.choice(list(settings.labels or LABELS), settings.count)
        shares = np.array(list(settings.label_shares.values()))
        return rng.choice(list(settings.label_shares), settings.count, p=shares / shares.sum())
    share = settings.odds[0] / sum(settings.odds)
    positives = round(settings.count * share)
    contaminants = CONTAMINANTS[settings.task]
    weights = np.array(list(contaminants.values()))
    others = rng.choice(list(contaminants), settings.count - positives, p=weights / weights.sum())
    labels = np.concatenate([np.full(positives, settings.task), others])
    return rng.permutation(labels)


def draw_quality(settings: Settings, label: str, rng: Rng) -> str:
    if settings.quality != "mixed":
        return settings.quality
    if label == "ARTEFACT" and rng.random() < 0.5:
        return "poor"
    return str(rng.choice(list(QUALITY_SHARES), p=list(QUALITY_SHARES.values())))
