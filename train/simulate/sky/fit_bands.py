"""Measure band-head strengths on observed atlas stars; writes bands.txt.

    python -m train.simulate.sky.fit_bands LIBRARY PLAN.toml OUT.txt

Each star is fitted in log flux as a quadratic in log wavelength minus non-negative optical depths
of
sharp-edged bands at laboratory head wavelengths, each with three possible lengths of its tail. PLAN
names the stars of each anchor (`[[anchor]] kind, level, files, low, high, fwhm, molecules,
keep_low,
keep_high`); strengths of an anchor are means over its stars. Only band strengths and the three
numbers of the smooth part are kept: no observed flux is stored.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import numpy as np
from scipy.ndimage import gaussian_filter1d
from scipy.optimize import lsq_linear

from agent.spectra.readers import read
from train.simulate.sky.heads import HEADS
from train.simulate.sky.physics import vacuum
from train.simulate.sky.profiles import head_profile
from train.simulate.source import FloatArray

PIVOT = 6500.0
LENGTHS = {"red": (5.0, 12.0, 40.0, 110.0, 260.0), "violet": (12.0, 40.0, 110.0), "complex": (6.0,)}
RIDGE = 0.3
KEEP = 0.01

Key = tuple[str, float, float]  # molecule, air head, tail length


def band_basis(
    wavelength: FloatArray, fwhm: float, molecules: list[str]
) -> tuple[FloatArray, list[Key]]:
    """Columns of unit optical depth, smoothed to the star's resolution."""
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
    design = np.hstack([smooth, -bands])
    penalty = np.hstack([np.zeros((len(keys), 3)), RIDGE * np.eye(len(keys))])
    result = lsq_linear(
        np.vstack([design, penalty]),
        np.concatenate([log_flux, np.zeros(len(keys))]),
        bounds=(np.concatenate([np.full(3, -np.inf), np.zeros(len(keys))]), np.inf),
    )
    return dict(zip(keys, result.x[3:].tolist(), strict=True)), result.x[:3], design @ result.x


def fit_plan(library: Path, plan: Path) -> list[str]:
    lines = [
        "# Written by fit_bands.py: kind level molecule head_air tail_length tau",
        "# and per fitted range: kind level continuum low high slope curvature (ln-ln)",
    ]
    for anchor in tomllib.loads(plan.read_text())["anchor"]:
        sums: dict[Key, list[float]] = {}
        smooth = []
        for name in anchor["files"]:
            star = read(library / name)
            use = (
                star.good
                & (star.wavelength > anchor["low"])
                & (star.wavelength < anchor["high"])
                & (star.flux > 0)
            )
            taus, quadratic, _ = fit_star(
                star.wavelength[use], star.flux[use], anchor["fwhm"], anchor["molecules"]
            )
            smooth.append(quadratic)
            for key, tau in taus.items():
                sums.setdefault(key, []).append(tau)
        name = f"{anchor['kind']} {anchor['level']}"
        _, slope, curve = np.mean(smooth, axis=0)
        lines.append(
            f"{name} continuum {anchor['keep_low']} {anchor['keep_high']} {slope:.3f} {curve:.3f}"
        )
        for (molecule, head, length), values in sorted(sums.items()):
            tau = float(np.mean(values))
            keep = anchor["keep_low"] <= head <= anchor["keep_high"] and tau >= KEEP
            if keep:
                lines.append(f"{name} {molecule} {head} {length:g} {tau:.3f}")
    return lines


if __name__ == "__main__":
    library, plan, out = (Path(word) for word in sys.argv[1:4])
    out.write_text("\n".join(fit_plan(library, plan)) + "\n")
