"""Settings of a set of questions: tasks, spectra, distortions."""

from dataclasses import dataclass

from agent.errors import WorkbenchError
from train.simulate.campaign import CONTAMINANTS, MIXED
from train.simulate.production import LIBRARY_SHARE
from train.simulate.telescope.surveys import Range


@dataclass(frozen=True, kw_only=True)
class DistortionSettings:
    """`..._odds` are relative odds of the distortions; values are drawn uniformly from ranges."""

    untouched: float = 0.4  # share of the spectra without any distortion
    numbers: tuple[float, ...] = (0.35, 0.3, 0.2, 0.15)
    """Odds of one, two, three ... distortions at once."""
    gentle_below_snr: float = 15.0  # S/N per pixel below which lines are not weakened

    contrast_odds: float = 2.0
    contrast: Range = (0.7, 1.4)  # power of flux over continuum, log-uniform
    bend_odds: float = 3.0
    bend: Range = (0.03, 0.3)  # largest relative shift of a knot of the continuum, log-uniform
    bend_knots: Range = (300.0, 1500.0)
    """Angstrom between knots, log-uniform; below 900 A the shift is reduced in proportion."""
    dust_odds: float = 2.0
    dust: Range = (-0.6, 1.0)  # Optical depth at 5500 A; negative for overcorrected dust.
    step_odds: float = 1.5
    step: float = 0.15  # largest relative step where two arms join
    telluric_odds: float = 1.0
    telluric: Range = (-0.15, 0.8)
    """Share of the telluric bands that is left; negative for overcorrected bands."""
    blur_odds: float = 1.5
    blur_pixels: Range = (0.3, 3.0)  # sigma in pixels, log-uniform
    coarsest_angstrom: float = 14.0  # limit of the full width at half maximum after blurring
    resample_odds: float = 1.5
    resample: Range = (0.7, 3.0)
    """New pixel width over old, log-uniform; at most half a resolution element."""
    slip_odds: float = 1.5
    slip_pixels: float = 0.5
    slip_kms: float = 100.0
    slip_air: float = 0.1  # share of the slips that mistake air wavelengths for vacuum
    block_odds: float = 1.0
    block: Range = (10.0, 120.0)  # length of a masked block in angstrom, log-uniform
    cut_odds: float = 1.5
    cut_to: Range = (4000.0, 6900.0)
    """Range in angstrom that is always kept, except in a share `cut_deep` of the cuts."""
    cut_deep: float = 0.1
    cut_deep_to: Range = (4100.0, 6650.0)
    errors_odds: float = 2.0
    errors: Range = (0.5, 2.0)  # factor of ivar, log-uniform
    errors_missing: float = 0.5  # share of the error distortions that remove the errors
    flat_odds: float = 1.5
    flat_by_continuum: float = 0.5
    """Share of the normalised spectra divided by a continuum; the others by their median."""
    flat_width: Range = (500.0, 1500.0)
    """Angstrom between the points of that continuum, log-uniform."""


@dataclass(frozen=True, kw_only=True)
class QuestionSettings(DistortionSettings):
    """Everything that determines the questions, except seed, count and library."""

    tasks: tuple[str, ...] = tuple(CONTAMINANTS)
    noes: float = 1.0  # number of NO for every YES of a task, since members are rare in real use
    hard: float = 0.85
    """Share of the NO that are contaminants of a task; the rest are of any other class."""
    both: float = 0.6  # share of the NO about classes with a task in which that task is asked, too
    even: float = 0.0
    """Share of the spectra of classes with a task that are drawn with equally frequent subtypes."""
    survey: str = MIXED
    snr: Range = (5.0, 100.0)
    quality: str = "mixed"
    partial: float = 0.0  # share of the spectra that miss an arm, a gap or more
    library_share: float = LIBRARY_SHARE
    """Share of library bases in the spectra of classes that the library has."""
    split: str = "train"

    def __post_init__(self) -> None:
        for task in self.tasks:
            if task not in CONTAMINANTS:
                known = ", ".join(CONTAMINANTS)
                raise WorkbenchError(f"questions.tasks: unknown task {task!r}: use some of {known}")
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise WorkbenchError("questions.tasks: name each task once, and at least one")
        if not 0.1 <= self.noes <= 100:
            raise WorkbenchError("questions.noes must be between 0.1 and 100")
        for name in (
            "untouched", "hard", "both", "even", "partial", "library_share", "slip_air", "cut_deep",
            "errors_missing", "flat_by_continuum",
        ):  # fmt: skip
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise WorkbenchError(f"questions.{name} must be between 0 and 1")
        for name in (
            "contrast", "bend", "bend_knots", "blur_pixels", "resample", "block", "errors",
            "flat_width", "cut_to", "cut_deep_to",
        ):  # fmt: skip
            low, high = getattr(self, name)
            if not 0.0 < low <= high:
                raise WorkbenchError(
                    f"questions.{name}: {low:g} to {high:g} is not a range of positive numbers"
                )
        if min(self.numbers, default=-1.0) < 0 or not sum(self.numbers) > 0:
            raise WorkbenchError("questions.numbers: give odds of one, two, three ... distortions")
        if not (0.0 <= self.step < 0.9 and -0.9 < self.telluric[0] <= self.telluric[1] <= 1.0):
            raise WorkbenchError(
                "questions.step must be below 0.9, and questions.telluric above -0.9 and up to 1"
            )
        if not self.bend[1] < 0.9:
            raise WorkbenchError("questions.bend must be below 0.9")
