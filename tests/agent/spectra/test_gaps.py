from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.gaps import gap_starts

EVEN = np.arange(4000.0, 4100.0)


def test_a_hole_between_two_arms_is_a_gap() -> None:
    wavelength = np.concatenate([EVEN, EVEN + 1275.0])
    assert gap_starts(wavelength, 20.0).tolist() == [100]
    assert gap_starts(wavelength[98:], 20.0).tolist() == [2]
    assert gap_starts(wavelength[99:], 20.0).tolist() == [1]
    assert gap_starts(wavelength[:101], 20.0).tolist() == [100]


def test_islands_of_single_pixels_stand_alone() -> None:
    wavelength = np.concatenate([EVEN, [4500.0, 5000.0], EVEN + 2000.0])
    assert gap_starts(wavelength, 20.0).tolist() == [100, 101, 102]


@pytest.mark.parametrize("factor", [4.0, 30.0, 1000.0])
def test_nothing_is_missing_where_a_table_becomes_coarser(factor: float) -> None:
    wavelength = np.concatenate([EVEN, EVEN[-1] + factor * np.arange(1, 60)])
    assert gap_starts(wavelength, 6.0).size == 0
    assert gap_starts(wavelength, 20.0).size == 0


def test_a_gap_in_the_finer_part_of_a_coarse_table() -> None:
    coarse = 4200.0 + 50.0 * np.arange(400)
    wavelength = np.concatenate([EVEN[:40], EVEN[40:] + 70.0, coarse + 70.0])
    assert gap_starts(wavelength, 20.0).tolist() == [40]


def test_missing_pixels_short_of_the_threshold_are_bridged() -> None:
    wavelength = np.delete(EVEN, slice(50, 60))
    assert gap_starts(wavelength, 20.0).size == 0
    assert gap_starts(wavelength, 6.0).tolist() == [50]


def test_spectra_of_a_few_pixels() -> None:
    assert gap_starts(np.array([4000.0]), 6.0).size == 0
    assert gap_starts(np.array([4000.0, 9000.0]), 6.0).size == 0
    assert gap_starts(np.array([4000.0, 4001.0, 9000.0]), 6.0).size <= 1
    assert gap_starts(10.0 ** np.linspace(3.0, 6.0, 4000), 6.0).size == 0
