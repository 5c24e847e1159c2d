from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import FloatArray
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
from train.simulate.sky.physics import LN_STEP, SIZE
from train.simulate.source import GRID

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
