"""Quality of the spectra of a survey: the odds and strengths of every effect."""

from __future__ import annotations

from dataclasses import dataclass, replace

from agent.errors import WorkbenchError

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
