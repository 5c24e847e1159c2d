from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import FloatArray
from tests.train.simulate.sky.helpers import kept_lines
from train.simulate.sky import bands
from train.simulate.sky.bands import HEADS
from train.simulate.sky.fit_bands import LENGTHS
from train.simulate.sky.line_blanketing import (
    Atmosphere,
    add_atoms,
    add_cool_hydrogen,
    add_heavy,
    add_strong_metals,
    lines_between_bands,
    unresolved_lines,
    weak_line_patterns,
)
from train.simulate.sky.physics import LN_STEP, SIZE, reddening, vacuum
from train.simulate.sky.profiles import add_head
from train.simulate.source import GRID


@pytest.mark.parametrize(
    ("kind", "molecule", "air"),
    [("giant", "TiO", 7054.5), ("dwarf", "TiO", 7054.5), ("carbon", "C2", 5165.2)],
)
def test_measured_bands_have_their_edges_where_the_heads_are(
    kind: str, molecule: str, air: float
) -> None:
    head = float(vacuum(air))
    tau = bands.anchors(kind)[-1].tau[molecule]
    blueward, redward = (float(np.interp(head + step, GRID, tau)) for step in (-6, 6))
    assert (redward - blueward) * (1 if molecule == "TiO" else -1) > 0.2


@pytest.mark.parametrize("kind", ["giant", "dwarf", "carbon", "s"])
def test_every_kind_has_anchors_to_interpolate(kind: str) -> None:
    known = bands.anchors(kind)
    levels = [anchor.level for anchor in known]
    assert len(levels) >= 2 and levels == sorted(levels)
    for anchor in known:
        assert np.isfinite(anchor.log_continuum).all() and anchor.tau
        assert all((tau >= 0).all() for tau in anchor.tau.values())
    middle = 0.5 * (levels[0] + levels[1])
    between = bands.interpolate(kind, middle)
    molecule = next(iter(known[0].tau.keys() & known[1].tau.keys()))
    mean = 0.5 * (known[0].tau[molecule] + known[1].tau[molecule])
    assert between.tau[molecule] == pytest.approx(mean)


def test_bands_are_of_known_molecules_and_heads_with_positive_depths() -> None:
    for _, level, molecule, *numbers in kept_lines():
        assert float(level) > 0
        if molecule == "continuum":
            low, high, slope, curve = (float(word) for word in numbers)
            assert 3500 < low < high < 10700 and np.isfinite([slope, curve]).all()
            continue
        head, length, tau = (float(word) for word in numbers)
        shaded, heads = HEADS[molecule]
        assert head in heads and length in LENGTHS[shaded] and 0 < tau < 5


SUN = Atmosphere(5777.0, 4.44)


def opacity(star: Atmosphere) -> FloatArray:
    tau = np.zeros(SIZE)
    add_atoms(tau, star, np.random.default_rng(1))
    return tau


def strength(tau: FloatArray, low: float, high: float) -> float:
    """Integrated optical depth, angstrom."""
    inside = (low < GRID) & (high > GRID)
    return float((tau[inside] * GRID[inside]).sum() * LN_STEP)


def test_metal_lines_follow_metallicity_and_temperature() -> None:
    poor, hot = Atmosphere(5777.0, 4.44, -2.0), Atmosphere(9500.0, 4.2)
    solar = strength(opacity(SUN), 5000, 5500)
    assert solar > 5 * strength(opacity(poor), 5000, 5500)
    assert solar > 5 * strength(opacity(hot), 5000, 5500) > 0


def test_weak_lines_crowd_towards_the_blue() -> None:
    for pattern in weak_line_patterns():
        assert strength(pattern, 4000, 4500) > 5 * strength(pattern, 6000, 6500)
    break_ = unresolved_lines()
    assert break_[np.searchsorted(GRID, 3900)] > 0.7 > 0.1 > break_[np.searchsorted(GRID, 4500)] > 0


def test_lines_between_bands_have_no_mean() -> None:
    lines = lines_between_bands(SUN, np.random.default_rng(1))
    assert lines.max() > 0.3
    assert abs(lines[1000:-1000].mean()) < 0.01


def test_calcium_k_and_hydrogen_trade_places_with_temperature() -> None:
    ratios = []
    for kelvin in (4500.0, 6500.0, 7400.0):
        tau, star = np.zeros(SIZE), Atmosphere(kelvin, 4.4)
        add_strong_metals(tau, star, np.random.default_rng(1))
        add_cool_hydrogen(tau, star)
        ratios.append(strength(tau, 3924, 3945) / strength(tau, 4842, 4883))
    assert ratios == sorted(ratios, reverse=True) and ratios[0] > 4 * ratios[2]


def test_s_process_lines_have_the_areas_given() -> None:
    tau = np.zeros(SIZE)
    add_heavy(tau, 0.5, (1.0, 0.5), 80.0)
    assert strength(tau, 4540, 4570) == pytest.approx(0.5, rel=0.01)
    assert strength(tau, 4920, 4950) == pytest.approx(0.25, rel=0.01)
    assert strength(tau, 6100, 6600) == 0


@pytest.mark.parametrize(("shaded", "sign"), [("red", 1), ("violet", -1)])
def test_bands_are_sharp_on_the_right_side(shaded: str, sign: int) -> None:
    head = 6000.0
    tau = np.zeros(GRID.size)
    add_head(tau, head, 1.0, 60.0, shaded)
    dark, clear, tail = (
        float(np.interp(head + sign * offset, GRID, tau)) for offset in (6, -6, 60)
    )
    assert dark > 0.85 and clear < 0.01 and tail == pytest.approx(np.exp(-1), abs=0.02)


def test_dust_dims_and_reddens() -> None:
    little, more = reddening(0.1), reddening(0.6)
    assert (more < little).all() and (little < 1).all()
    measured = GRID < 9091.0  # the curve of O'Donnell (1994) was measured to here
    assert (np.diff(more[measured]) > 0).all()
    assert little * reddening(0.5) == pytest.approx(more)
    at_v = float(np.interp(5494.0, GRID, more))
    assert -2.5 * np.log10(at_v) == pytest.approx(3.1 * 0.6, rel=0.01)
    assert (reddening(0.0) == 1).all()
