"""Molecular bands of cool stars, interpolated between anchors measured on observed stars."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from agent.spectra.spectrum import FloatArray
from train.simulate.sky.physics import SIZE, smooth_warp, vacuum
from train.simulate.sky.profiles import add_head
from train.simulate.source import GRID, Rng
from train.toml_beside import toml_beside

PIVOT = 6500.0
JOIN = 7330.0  # keep_high of the blue and keep_low of the red range in fit_plan.toml
STEEPEST = {"giant": 4.0, "dwarf": 2.0}
"""Steepest power law blueward of the fit, for kinds that get line blanketing added there."""
SYSTEM_SPREAD = 0.12  # bands of one molecule do not keep exact ratios from star to star

HEADS: dict[str, tuple[str, list[float]]] = {
    molecule: (bands["shaded"], bands["heads"])
    for molecule, bands in toml_beside(__file__, "heads.toml").items()
}


@dataclass(frozen=True, eq=False)
class Anchor:
    """Optical depth of each molecule on GRID and log of the smooth continuum, at one level."""

    level: float
    tau: dict[str, FloatArray]
    log_continuum: FloatArray


@cache
def anchors(kind: str) -> tuple[Anchor, ...]:
    """Anchors of a kind: "giant" or "dwarf" (level: TiO5), "carbon" or "s" (archetype number)."""
    tau: dict[float, dict[str, FloatArray]] = {}
    smooth: dict[float, list[tuple[float, float, float, float]]] = {}
    text = resources.files("train.simulate.sky").joinpath("bands.txt").read_text()
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        of_kind, level, molecule, *numbers = line.split()
        if of_kind != kind:
            continue
        if molecule == "continuum":
            low, high, slope, curve = (float(word) for word in numbers)
            smooth.setdefault(float(level), []).append((low, high, slope, curve))
            continue
        head, length, depth = (float(word) for word in numbers)
        arrays = tau.setdefault(float(level), {})
        out = arrays.setdefault(molecule, np.zeros(SIZE))
        add_head(out, vacuum(head), depth, length, HEADS[molecule][0])
    steepest = STEEPEST.get(kind, 9.0)
    return tuple(Anchor(level, tau[level], _join(smooth[level], steepest)) for level in sorted(tau))


def _join(parts: list[tuple[float, float, float, float]], steepest: float) -> FloatArray:
    """One smooth log continuum from the quadratics of the blue and the red range.

    They are joined where the band heads of one end and those of the other begin: a quadratic is
    only the continuum of its own bands, and elsewhere the two differ by a fifth or more.
    """
    curves = [_extended(*part, steepest) for part in sorted(parts)]
    if len(curves) == 1:
        return curves[0]
    blue, red = curves
    join = int(np.searchsorted(GRID, JOIN))
    weight = np.clip((GRID - JOIN) / 100.0 + 0.5, 0, 1)
    return blue * (1 - weight) + (red + blue[join] - red[join]) * weight


def _extended(low: float, high: float, slope: float, curve: float, steepest: float) -> FloatArray:
    """The fitted quadratic, continued beyond the fitted range as a moderate power law."""
    x = np.log(GRID / PIVOT)
    first, last = np.log(max(low, 4250.0) / PIVOT), np.log(max(high, 7200.0) / PIVOT)
    inside = np.clip(x, first, last)
    beyond = np.clip(slope + 2 * curve * inside, -2.0, steepest) * (x - inside)
    return slope * inside + curve * inside**2 + beyond


def interpolate(kind: str, level: float) -> Anchor:
    """Bands and continuum between the two nearest anchors, constant beyond the last."""
    known = anchors(kind)
    levels = [anchor.level for anchor in known]
    upper = min(max(bisect_right(levels, level), 1), len(known) - 1)
    low, high = known[upper - 1], known[upper]
    share = float(np.clip((level - low.level) / (high.level - low.level), 0, 1))
    return mixed(low, high, share, level)


def mixed(low: Anchor, high: Anchor, share: float | FloatArray, level: float) -> Anchor:
    """A mixture with `share` of the second anchor; an array gives a share per wavelength."""
    tau = {
        molecule: _mix(low.tau.get(molecule), high.tau.get(molecule), share)
        for molecule in low.tau.keys() | high.tau.keys()
    }
    return Anchor(level, tau, (1 - share) * low.log_continuum + share * high.log_continuum)


def _mix(low: FloatArray | None, high: FloatArray | None, share: float | FloatArray) -> FloatArray:
    out = np.zeros(SIZE)
    if low is not None:
        out += (1 - share) * low
    if high is not None:
        out += share * high
    return out


def transmission(anchor: Anchor, strengths: dict[str, float], rng: Rng) -> FloatArray:
    """exp(-tau), with molecules scaled by `strengths` (1 for those not named)."""
    total = np.zeros(SIZE)
    for molecule in sorted(anchor.tau):
        strength = strengths.get(molecule, 1.0)
        if strength > 0:
            total += strength * anchor.tau[molecule]
    return np.exp(-total * smooth_warp(rng, SYSTEM_SPREAD))
