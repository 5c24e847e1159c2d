"""The simulated surveys: grids, cameras, sensitivity, noise, and the quality of their spectra.

Numbers were measured on real files of each survey: sensitivity is flux times ivar of bright stars,
resolution the dispersion SDSS stores per pixel, noise the scatter around smooth fits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from agent.errors import WorkbenchError
from agent.spectra.spectrum import FloatArray
from train.simulate.telescope.optics import Arm

# The odds and strengths of every effect on the spectra of a survey.
Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Quality:
    """Odds per spectrum, and strengths relative to the spectrum unless the name has a unit."""

    velocity_error_kms: float = 5.0
    resolution_spread: float = 0.08
    throughput_spread: float = 0.25

    calibration: float = 0.10  # one sigma of the largest component of the smooth error of ln flux
    calibration_tail_odds: float = 0.1
    """Odds of a plate with few standard stars: its error is `calibration_tail` times as large."""
    calibration_tail: float = 2.5
    blue_error: float = 0.15
    """One sigma of the extra error of ln flux at 3700 A, vanishing at 4000 A."""

    join_step: float = 0.05
    join_slope: float = 0.04
    join_bump_odds: float = 0.2
    join_bump: Range = (0.04, 0.25)
    dead_block_odds: float = 0.1
    dead_block_pixels: Range = (40, 470)

    sky_residual: Range = (0.003, 0.035)
    """Fraction of a sky line that is left, log-uniform; each line varies around it."""
    sky_drift_pixels: float = 0.03
    telluric_jitter: float = 0.015
    telluric_odds: float = 0.3
    telluric_left: Range = (0.03, 0.6)
    nebular_odds: float = 0.08
    nebular_left: Range = (0.02, 0.35)
    """Height of the residual H alpha over the sky continuum, equally often negative."""
    moon_odds: float = 0.08
    moon_fraction: Range = (0.02, 0.25)
    crosstalk_odds: float = 0.05
    crosstalk_fraction: Range = (0.02, 0.35)

    cosmic_mean: float = 0.6
    bad_runs: Range = (1.2, 1.3)
    """Mean and sigma of ln of the number of short runs of masked pixels."""
    end_block_odds: float = 0.5
    ivar_spread: float = 0.1

    def scaled(self, factor: float) -> Quality:
        """Odds (up to 0.9), strengths and cosmic-ray counts multiplied by `factor`."""
        changes: dict[str, float | Range] = {}
        for name in _ODDS:
            changes[name] = min(getattr(self, name) * factor, 0.9)
        for name in _STRENGTHS:
            changes[name] = getattr(self, name) * factor
        for name in ("sky_residual", "telluric_left", "nebular_left", "join_bump"):
            low, high = getattr(self, name)
            changes[name] = (low * factor, min(high * factor, 0.9))
        return replace(self, **changes)  # type: ignore[arg-type]


_ODDS = (
    "calibration_tail_odds", "join_bump_odds", "dead_block_odds", "telluric_odds", "nebular_odds",
    "moon_odds", "crosstalk_odds", "end_block_odds",
)  # fmt: skip
_STRENGTHS = (
    "calibration", "blue_error", "join_step", "join_slope", "sky_drift_pixels", "telluric_jitter",
    "cosmic_mean",
)  # fmt: skip
GRADES = {"good": 0.4, "typical": 1.0, "poor": 2.2}


def graded(base: Quality, quality: str | Quality) -> Quality:
    """The quality of a survey scaled by a named grade, or `quality` itself if it is a Quality."""
    if isinstance(quality, Quality):
        return quality
    if quality not in GRADES:
        raise WorkbenchError(f"unknown quality {quality!r}: use one of {', '.join(GRADES)}")
    return base if quality == "typical" else base.scaled(GRADES[quality])


LAMOST_QUALITY = Quality()
SDSS_QUALITY = Quality(
    velocity_error_kms=4.0, resolution_spread=0.05, throughput_spread=0.12,
    calibration=0.025, calibration_tail=3.0, blue_error=0.06,
    join_step=0.01, join_slope=0.01, join_bump_odds=0.04, join_bump=(0.02, 0.08),
    dead_block_odds=0.01, end_block_odds=0.1, bad_runs=(-0.7, 1.2), cosmic_mean=0.4,
    sky_residual=(0.0015, 0.011), telluric_odds=0.1, telluric_left=(0.02, 0.25),
    moon_odds=0.02, moon_fraction=(0.01, 0.1), crosstalk_odds=0.03, ivar_spread=0.06,
)  # fmt: skip
DESI_QUALITY = replace(
    SDSS_QUALITY,
    calibration=0.01, blue_error=0.03,
    join_step=0.012, join_slope=0.004, join_bump_odds=0.03, join_bump=(0.01, 0.05),
    dead_block_odds=0.005, end_block_odds=0.0, bad_runs=(-1.5, 1.2), cosmic_mean=0.2,
    sky_residual=(0.001, 0.012), sky_drift_pixels=0.01, telluric_odds=0.05,
    telluric_left=(0.01, 0.1), moon_odds=0.01, crosstalk_odds=0.01, ivar_spread=0.05,
)  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Profile:
    """Instrument of a survey; `wavelength` is its widest grid, and a file holds a part of it."""

    name: str
    wavelength: FloatArray
    arms: tuple[Arm, ...]
    joins: tuple[float, ...]
    first_pixel: tuple[int, int]
    last_pixel: tuple[int, int]
    """Range of the last pixel that is kept, counted from the end of the grid."""
    sensitivity: tuple[tuple[float, float], ...]
    """(wavelength, electrons per pixel of a flat spectrum), 1 at 6500 A."""
    sky_electrons: Range
    read_variance: Range
    electrons_per_flux: Range  # mean and sigma of log10 of the electrons at 6500 A per unit of flux
    correlation: tuple[float, float]
    """Weights of the noise of the neighbours one and two pixels away."""
    noise_over_reported: Range  # mean and sigma of ln of the real noise over the stated noise
    flux_unit: str
    quality: Quality
    releases: tuple[tuple[str, float], ...]  # releases and the relative frequency of each


def _log_grid(first: float, pixels: int) -> FloatArray:
    return _constant(np.power(10.0, first + 1e-4 * np.arange(pixels, dtype=np.float64)))


def _constant(grid: FloatArray) -> FloatArray:
    grid.setflags(write=False)
    return grid


LAMOST = Profile(
    name="LAMOST",
    wavelength=_log_grid(3.5674, 3917),
    arms=(Arm("b", 3690, 5900, 1380, 2150), Arm("r", 5700, 9110, 1450, 2250)),
    joins=(5800.0,),
    first_pixel=(0, 16),
    last_pixel=(0, 16),
    sensitivity=(
        (3700, 0.009), (3800, 0.020), (3900, 0.037), (4000, 0.054), (4100, 0.073), (4300, 0.115),
        (4500, 0.17), (4700, 0.21), (4900, 0.25), (5100, 0.30), (5300, 0.34), (5500, 0.36),
        (5700, 0.29), (5800, 0.27), (5900, 0.34), (6000, 0.50), (6100, 0.63), (6300, 0.77),
        (6500, 1.00), (6700, 1.18), (6900, 1.25), (7100, 1.48), (7300, 1.52), (7500, 1.66),
        (7700, 1.65), (7900, 1.58), (8100, 1.54), (8300, 1.42), (8500, 1.28), (8700, 1.18),
        (8900, 0.95), (9000, 0.65), (9050, 0.45), (9110, 0.20),
    ),
    sky_electrons=(300.0, 3000.0),
    read_variance=(60.0, 250.0),
    electrons_per_flux=(0.9, 0.55),
    correlation=(0.17, -0.01),
    noise_over_reported=(-0.20, 0.13),
    flux_unit="",
    quality=LAMOST_QUALITY,
    releases=(("DR1", 0.2), ("DR2", 0.1), ("DR5", 0.2), ("DR8", 0.1), ("DR10", 0.4)),
)  # fmt: skip

SDSS = Profile(
    name="SDSS",
    wavelength=_log_grid(3.5784, 3880),
    arms=(Arm("b", 3780, 6150, 1430, 2120), Arm("r", 5850, 9260, 1830, 2600)),
    joins=(6000.0,),
    first_pixel=(0, 45),
    last_pixel=(0, 40),
    sensitivity=(
        (3560, 0.035), (3700, 0.09), (3800, 0.15), (3900, 0.22), (4100, 0.33), (4300, 0.40),
        (4500, 0.47), (4700, 0.57), (4900, 0.63), (5100, 0.67), (5300, 0.70), (5500, 0.72),
        (5700, 0.70), (5900, 0.68), (6100, 0.78), (6300, 0.85), (6500, 1.00), (6700, 1.08),
        (6900, 1.10), (7100, 1.24), (7300, 1.20), (7500, 1.24), (7700, 1.22), (8100, 1.22),
        (8500, 1.18), (9000, 1.08), (9200, 1.00), (9500, 0.72), (9700, 0.52), (9900, 0.44),
        (10100, 0.22), (10400, 0.08),
    ),
    sky_electrons=(150.0, 800.0),
    read_variance=(80.0, 150.0),
    electrons_per_flux=(1.45, 0.2),
    correlation=(0.13, -0.07),
    noise_over_reported=(-0.12, 0.07),
    flux_unit="1e-17 erg/s/cm2/A",
    quality=SDSS_QUALITY,
    releases=(("DR8", 0.5), ("DR17", 0.5)),
)  # fmt: skip

BOSS = replace(
    SDSS,
    name="BOSS",
    wavelength=_log_grid(3.5510, 4660),
    arms=(Arm("b", 3550, 6350, 1400, 2250), Arm("r", 5650, 10420, 1800, 2500)),
    joins=(6050.0,),
    sky_electrons=(150.0, 900.0),
    read_variance=(30.0, 80.0),
    electrons_per_flux=(1.55, 0.2),
    correlation=(0.14, -0.08),
    noise_over_reported=(-0.15, 0.08),
    releases=(("DR12", 0.4), ("DR17", 0.6)),
)

DESI = Profile(
    name="DESI",
    wavelength=_constant(3600.0 + 0.8 * np.arange(7781, dtype=np.float64)),
    arms=(
        Arm("B", 3600, 5800, 2000, 3200),
        Arm("R", 5760, 7620, 3200, 5000),
        Arm("Z", 7520, 9824, 4000, 5400),
    ),
    joins=(5780.0, 7570.0),
    first_pixel=(0, 0),
    last_pixel=(0, 0),
    sensitivity=(
        (3600, 0.08), (3700, 0.16), (3800, 0.25), (4000, 0.40), (4500, 0.58), (5000, 0.68),
        (5500, 0.70), (5800, 0.68), (6000, 0.80), (6500, 1.00), (7000, 1.10), (7500, 1.02),
        (8000, 1.18), (8500, 1.25), (9000, 1.12), (9500, 0.90), (9824, 0.65),
    ),
    sky_electrons=(50.0, 250.0),
    read_variance=(40.0, 80.0),
    electrons_per_flux=(2.2, 0.15),
    correlation=(0.0, 0.0),
    noise_over_reported=(0.08, 0.06),
    flux_unit="1e-17 erg/s/cm2/A",
    quality=DESI_QUALITY,
    releases=(("EDR", 0.3), ("DR1", 0.7)),
)  # fmt: skip

SURVEYS: dict[str, Profile] = {profile.name: profile for profile in (LAMOST, SDSS, BOSS, DESI)}
ATLAS = "ATLAS"  # spectra like those of published libraries, made without a profile by atlas.py


def profile_named(name: str) -> Profile:
    try:
        return SURVEYS[name.upper()]
    except KeyError:
        raise WorkbenchError(
            f"unknown survey {name!r}: use one of {', '.join((*SURVEYS, ATLAS))}"
        ) from None
