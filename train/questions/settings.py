"""What questions are made: of which tasks, on which spectra, and how far those are distorted."""

from __future__ import annotations

from dataclasses import dataclass

from agent.errors import WorkbenchError
from train.simulate.campaign import CONTAMINANTS, MIXED
from train.simulate.production import LIBRARY_SHARE
from train.simulate.telescope.quality import Range


@dataclass(frozen=True, kw_only=True)
class DistortionSettings:
    """`..._odds` are those of one distortion against the others; ranges are drawn from evenly."""

    untouched: float = 0.4
    """Part of the spectra that stay as the telescope left them."""
    numbers: tuple[float, ...] = (0.35, 0.3, 0.2, 0.15)
    """Odds of one, two, three ... distortions at once."""
    gentle_below_snr: float = 15.0
    """Below this S/N per pixel lines are not weakened."""

    contrast_odds: float = 2.0
    contrast: Range = (0.7, 1.4)
    """Power of flux over continuum, log-uniform."""
    bend_odds: float = 3.0
    bend: Range = (0.03, 0.3)
    """Farthest a knot of the continuum moves, relative, log-uniform."""
    bend_knots: Range = (300.0, 1500.0)
    """Angstrom between knots, log-uniform; those nearer than 900 A move less in proportion."""
    dust_odds: float = 2.0
    dust: Range = (-0.6, 1.0)
    """Optical depth at 5500 A, negative where too much was taken out."""
    step_odds: float = 1.5
    step: float = 0.15
    """Largest step where two arms join."""
    telluric_odds: float = 1.0
    telluric: Range = (-0.15, 0.8)
    """Part of the bands left; negative where they were overcorrected."""
    blur_odds: float = 1.5
    blur_pixels: Range = (0.3, 3.0)
    """One sigma, log-uniform."""
    coarsest_angstrom: float = 14.0
    """Full width at half maximum that no blur goes beyond."""
    resample_odds: float = 1.5
    resample: Range = (0.7, 3.0)
    """New pixel over old, log-uniform; never coarser than half a resolution element."""
    slip_odds: float = 1.5
    slip_pixels: float = 0.5
    slip_kms: float = 100.0
    slip_air: float = 0.1
    """Part of the slips that take air wavelengths for vacuum."""
    block_odds: float = 1.0
    block: Range = (10.0, 120.0)
    """Angstrom without weight."""
    cut_odds: float = 1.5
    cut_to: Range = (4000.0, 6900.0)
    """Range that is always kept, but for `cut_deep` of the cuts."""
    cut_deep: float = 0.1
    cut_deep_to: Range = (4100.0, 6650.0)
    errors_odds: float = 2.0
    errors: Range = (0.5, 2.0)
    """What ivar is multiplied by, log-uniform."""
    errors_missing: float = 0.5
    """Part of the distorted errors that are gone altogether."""
    flat_odds: float = 1.5
    flat_by_continuum: float = 0.5
    """Part of the normalised spectra divided by a continuum; the others by their median."""
    flat_width: Range = (500.0, 1500.0)
    """Angstrom between the points of that continuum, log-uniform."""


@dataclass(frozen=True, kw_only=True)
class QuestionSettings(DistortionSettings):
    """All that decides what questions are made, but for seed, count and library."""

    tasks: tuple[str, ...] = tuple(CONTAMINANTS)
    noes: float = 1.0
    """NO asked of a task for every YES: members are rare where a model is used."""
    hard: float = 0.85
    """Part of the NO asked of what contaminates a task; the rest of any other class."""
    both: float = 0.6
    """Where a NO falls on a class that has a task, how often its own task is asked as well."""
    even: float = 0.0
    """Of the spectra of a class that has a task: how many are drawn with its rare kinds as often
    as its common ones."""
    survey: str = MIXED
    snr: Range = (5.0, 100.0)
    quality: str = "mixed"
    library_share: float = LIBRARY_SHARE
    """Of the spectra of classes that the library knows."""
    split: str = "train"

    def __post_init__(self) -> None:
        for task in self.tasks:
            if task not in CONTAMINANTS:
                known = ", ".join(CONTAMINANTS)
                raise WorkbenchError(f"questions.tasks: no task {task!r}: use some of {known}")
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise WorkbenchError("questions.tasks: name each task once, and at least one")
        if not 0.1 <= self.noes <= 100:
            raise WorkbenchError("questions.noes lies between 0.1 and 100")
        for name in (
            "untouched", "hard", "both", "even", "library_share", "slip_air", "cut_deep",
            "errors_missing", "flat_by_continuum",
        ):  # fmt: skip
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise WorkbenchError(f"questions.{name}: a part goes from 0 to 1")
        for name in (
            "contrast", "bend", "bend_knots", "blur_pixels", "resample", "block", "errors",
            "flat_width", "cut_to", "cut_deep_to",
        ):  # fmt: skip
            low, high = getattr(self, name)
            if not 0.0 < low <= high:
                raise WorkbenchError(f"questions.{name}: {low:g} to {high:g} is no range")
        if min(self.numbers, default=-1.0) < 0 or not sum(self.numbers) > 0:
            raise WorkbenchError("questions.numbers: give odds of one, two, three ... distortions")
        if not (0.0 <= self.step < 0.9 and -0.9 < self.telluric[0] <= self.telluric[1] <= 1.0):
            raise WorkbenchError("questions.step and questions.telluric stay below 0.9 and 1")
        if not self.bend[1] < 0.9:
            raise WorkbenchError("questions.bend: stay below 0.9")
