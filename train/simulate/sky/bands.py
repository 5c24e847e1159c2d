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

PIVOT = 6500.0
JOIN = 7330.0  # keep_high of the blue and keep_low of the red range in fit_plan.toml
STEEPEST = {"giant": 4.0, "dwarf": 2.0}
"""Steepest power law blueward of the fit, for kinds that get line blanketing added there."""
SYSTEM_SPREAD = 0.12  # bands of one molecule do not keep exact ratios from star to star

TIO = (
    4352, 4395, 4422, 4462.6, 4506, 4548, 4584.3, 4626.1, 4668, 4715, 4761.1, 4804.3, 4847.9,
    4896, 4954.6, 4999.1, 5044, 5094, 5166.8, 5240.5, 5308, 5356, 5448.3, 5497.1, 5542, 5591,
    5597.7, 5629, 5661, 5759.3, 5810, 5862, 5910, 5847.6, 5877, 5954, 6003, 6080, 6148.6,
    6158.5, 6174, 6187, 6214.9, 6268.9, 6321, 6341, 6351, 6358, 6379, 6398, 6416, 6448, 6478, 6512,
    6569, 6594, 6629, 6651.5, 6681.1, 6714.4,
    6747.6, 6781.8, 6815, 6852, 6880, 6920, 7054.5, 7087.9, 7125.5, 7159, 7197.7, 7230, 7269,
    7589.6, 7627.8, 7666.4, 7705.2, 7743.1, 7783, 7820, 8206, 8250, 8289, 8375, 8420, 8432, 8442.3,
    8451.7, 8505.5, 8569, 8859.6, 8868.5, 8937.4, 9014, 9105, 9209, 9728, 9814,
)  # fmt: skip
VO = (
    7334, 7372, 7393, 7405, 7444, 7472, 7534, 7851, 7865, 7896, 7919, 7939, 7973, 8521, 8537,
    8572, 8604, 8624, 8657, 9497, 9512, 9535,
)  # fmt: skip
ZRO = (
    4471, 4496, 4519, 4547, 4580, 4619.8, 4640.6, 5299, 5340, 5378, 5419, 5456, 5491, 5515,
    5551.7, 5629.0, 5658.1, 5718.1, 5724, 5749, 5839, 5860, 6020, 6054, 6085, 6136, 6154, 6183,
    6229.4, 6260.9, 6292.8, 6344.9, 6378.3, 6412.3, 6473.7, 6508.1, 6542.9, 6578, 6612,
    9299, 9330,
)  # fmt: skip
LAO = (5599.9, 5626, 5655, 7379.8, 7403.5, 7433, 7465, 7876.8, 7910.3, 7943, 7977)
YO = (5939.1, 5972.2, 5987, 6020, 6132.1, 6148, 6165)
C2 = (
    4365, 4371, 4382.5, 4680, 4684.8, 4697.6, 4715.2, 4737.1, 5041, 5068, 5097.7, 5129.3, 5165.2,
    5430, 5470, 5501.9, 5540.7, 5585.5, 5635.5, 5860, 5925, 5958.7, 6004.9, 6059.7, 6122.1, 6191.2,
    6480, 6534, 6599, 6677,
)  # fmt: skip
CN_RED = (
    5730, 5748, 5858, 5878, 5993, 6206, 6332, 6355, 6478, 6502, 6631, 6656, 6790, 6926, 6952, 7088,
    7119, 7259, 7283, 7437, 7872.7, 7904, 8067.2, 8100, 8271.3, 8305, 8485, 8704, 9140, 9168, 9387,
    9417, 9640,
)  # fmt: skip
CN_VIOLET = (3590.4, 3850.9, 3861.9, 3871.4, 3883.4, 4152.4, 4158.1, 4167.8, 4181.0, 4197.2, 4216.0)
CH = (3871, 3889.0, 4292, 4300, 4308, 4314.2, 4324)
MGH = (4780, 4844, 4943, 5007, 5086, 5125, 5156, 5182, 5211.0)
CAH_B = (6346, 6382, 6389)
CAH = tuple(range(6340, 6422, 8)) + tuple(range(6720, 7048, 9))
CAOH = (
    tuple(range(6200, 6266, 9))
    + tuple(range(5530, 5580, 10))
    + tuple(range(5690, 5756, 9))
    + tuple(range(6010, 6156, 9))
)

HEADS: dict[str, tuple[str, tuple[float, ...]]] = {
    "TiO": ("red", TIO),
    "VO": ("red", VO),
    "ZrO": ("red", ZRO),
    "LaO": ("red", LAO),
    "YO": ("red", YO),
    "C2": ("violet", C2),
    "CN": ("red", CN_RED),
    "CNv": ("violet", CN_VIOLET),
    "CH": ("violet", CH),
    "MgH": ("violet", MGH),
    "CaHB": ("red", CAH_B),
    "CaH": ("complex", CAH),
    "CaOH": ("complex", CAOH),
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
