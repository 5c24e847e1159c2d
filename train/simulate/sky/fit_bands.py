"""Measure the strengths of molecular bands on observed library stars, and write bands.txt.

    python -m train.simulate.sky.fit_bands LIBRARY PLAN.toml OUT.txt

Each star is fitted in log flux as a quadratic in log wavelength minus non-negative optical depths
of sharp-edged bands at laboratory head wavelengths, each with several possible lengths of its tail.
PLAN (fit_plan.toml) names the stars of each anchor and the range of heads to keep from them. The
strengths of an anchor are means over its stars. Only band strengths and the three coefficients of
the smooth part are kept: no observed flux is stored.
"""

import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import nnls

from agent.errors import WorkbenchError
from agent.spectra.air import air_to_vacuum
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from train.simulate.sky.bands import HEADS
from train.simulate.sky.physics import vacuum
from train.simulate.sky.profiles import head_profile

PIVOT = 6500.0
LENGTHS = {"red": (5.0, 12.0, 40.0, 110.0, 260.0), "violet": (12.0, 40.0, 110.0), "complex": (6.0,)}
RIDGE = 0.3
KEEP = 0.01
MIN_PIXELS = 100

Key = tuple[str, float, float]  # molecule, air head, tail length


def band_basis(
    wavelength: FloatArray, fwhm: float, molecules: list[str]
) -> tuple[FloatArray, list[Key]]:
    """Columns of unit optical depth, smoothed to the resolution of the star, and their keys."""
    step = float(np.median(np.diff(wavelength)))
    columns, keys = [], []
    for molecule in molecules:
        shaded, heads = HEADS[molecule]
        for head in heads:
            centre = float(vacuum(head))
            if not wavelength[0] + 5 < centre < wavelength[-1] - 10:
                continue
            for length in LENGTHS[shaded]:
                profile = head_profile(wavelength - centre, length, shaded)
                columns.append(gaussian_filter1d(profile, fwhm / 2.3548 / step))
                keys.append((molecule, head, length))
    return np.array(columns).T, keys


def fit_star(
    wavelength: FloatArray, flux: FloatArray, fwhm: float, molecules: list[str]
) -> tuple[dict[Key, float], FloatArray, FloatArray]:
    """Optical depth of each band, the quadratic (constant first), and the fitted log flux."""
    bands, keys = band_basis(wavelength, fwhm, molecules)
    x = np.log(wavelength / PIVOT)
    smooth = np.stack([np.ones_like(x), x, x * x], axis=1)
    log_flux = np.log(flux / np.median(flux))
    # The part that a quadratic explains is projected out of both sides first. The rest has no free
    # terms, so an active-set solver solves it exactly; interior-point solvers stop early for the
    # latest giants, whose bands overlap most.
    basis, _ = np.linalg.qr(smooth)
    tau, _ = nnls(
        np.vstack([bands - basis @ (basis.T @ bands), RIDGE * np.eye(len(keys))]),
        np.concatenate([basis @ (basis.T @ log_flux) - log_flux, np.zeros(len(keys))]),
        maxiter=30 * len(keys),
    )
    quadratic = np.linalg.lstsq(smooth, log_flux + bands @ tau, rcond=None)[0]
    strengths = dict(zip(keys, tau.tolist(), strict=True))
    return strengths, quadratic, smooth @ quadratic - bands @ tau


@dataclass(frozen=True)
class FitTarget:
    """The stars of one anchor, and the range and molecules that are fitted on them."""

    kind: str
    level: float
    files: list[str]
    low: float
    high: float
    fwhm: float
    molecules: list[str]
    keep_low: float
    keep_high: float
    unknown_medium: str = "vacuum"
    """Medium of the wavelengths, "air" or "vacuum", where the file does not state it."""


def read_plan(plan: Path) -> list[FitTarget]:
    """The anchors to fit; wavelengths and `fwhm`, the resolution of the stars, are in angstrom."""
    try:
        tables = tomllib.loads(plan.read_text(encoding="utf-8"))["anchor"]
        targets = [FitTarget(**table) for table in tables]
        for target in targets:
            _check(target)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError) as error:
        raise WorkbenchError(f"{plan} is not a plan of anchors to fit: {error}") from error
    except ValueError as error:
        raise WorkbenchError(f"{plan}: {error}") from error
    return targets


def _check(target: FitTarget) -> None:
    name = f"anchor {target.kind} {target.level}"
    unknown = set(target.molecules) - HEADS.keys()
    if unknown or not target.molecules:
        raise ValueError(
            f"{name}: unknown molecules {sorted(unknown)}; use some of {', '.join(HEADS)}"
        )
    if not target.files:
        raise ValueError(f"{name} names no files")
    if not 0 < target.low < target.high or not target.fwhm > 0:
        raise ValueError(f"{name}: low, high and fwhm must be positive, and low less than high")
    if target.unknown_medium not in ("air", "vacuum"):
        raise ValueError(f"{name}: unknown_medium must be air or vacuum")


def read_star(path: Path, target: FitTarget) -> tuple[FloatArray, FloatArray]:
    """Vacuum wavelength and flux of the usable pixels between `low` and `high`."""
    star = read(path)
    wavelength = star.wavelength
    if star.medium_in_file == "unknown" and target.unknown_medium == "air":
        # The reader assumed vacuum: 1.8 angstrom off at 7000, too much for sharp band heads.
        wavelength = air_to_vacuum(wavelength)
    use = star.good & (star.flux > 0) & (wavelength > target.low) & (wavelength < target.high)
    if np.count_nonzero(use) < MIN_PIXELS:
        raise WorkbenchError(
            f"{path.name} has too few good pixels between {target.low:g} and {target.high:g} A"
        )
    return wavelength[use], star.flux[use]


def fit_plan(library: Path, plan: Path) -> list[str]:
    """The lines of bands.txt."""
    lines = [
        "# Written by fit_bands.py: kind level molecule head_air tail_length tau",
        "# and per fitted range: kind level continuum low high slope curvature (ln-ln)",
    ]
    for target in read_plan(plan):
        lines += fit_target(library, target)
    return lines


def fit_target(library: Path, target: FitTarget) -> list[str]:
    """The lines of bands.txt of one anchor: means over its stars."""
    sums: dict[Key, list[float]] = {}
    smooth = []
    for file in target.files:
        wavelength, flux = read_star(library / file, target)
        taus, quadratic, _ = fit_star(wavelength, flux, target.fwhm, target.molecules)
        smooth.append(quadratic)
        for key, tau in taus.items():
            sums.setdefault(key, []).append(tau)
    name = f"{target.kind} {target.level}"
    low, high = target.keep_low, target.keep_high
    _, slope, curve = np.mean(smooth, axis=0)
    lines = [f"{name} continuum {low} {high} {slope:.3f} {curve:.3f}"]
    for (molecule, head, length), values in sorted(sums.items()):
        tau = float(np.mean(values))
        if low <= head <= high and tau >= KEEP:
            lines.append(f"{name} {molecule} {head} {length:g} {tau:.3f}")
    return lines


def main(arguments: list[str]) -> None:
    library, plan, out = (Path(word) for word in arguments)
    out.write_text("\n".join(fit_plan(library, plan)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
