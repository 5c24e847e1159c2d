from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.air import AIR_BEGINS, air_to_vacuum, vacuum_to_air

# Balmer lines, Ca II, Mg b, Na D, He I, Paschen as line lists print them: air, vacuum (two
# decimals, and two formulae in use differ by 0.001 A).
PUBLISHED = [
    (3835.39, 3836.48),
    (3970.07, 3971.19),
    (4101.74, 4102.90),
    (4340.47, 4341.69),
    (4471.48, 4472.73),
    (4861.33, 4862.69),
    (5015.68, 5017.08),
    (5875.62, 5877.25),
    (6562.80, 6564.61),
    (7065.19, 7067.14),
    (8598.39, 8600.75),
    (9229.01, 9231.54),
]
# NIST Atomic Spectra Database, O III and Na I: (air, vacuum) to four decimals, Edlen-type index.
PRECISE = [(5006.843, 5008.240), (4958.911, 4960.295), (5889.951, 5891.583), (5895.924, 5897.558)]


@pytest.mark.parametrize(("air", "vacuum"), PUBLISHED)
def test_published_pairs(air: float, vacuum: float) -> None:
    assert air_to_vacuum(air) == pytest.approx(vacuum, abs=0.012)
    assert vacuum_to_air(vacuum) == pytest.approx(air, abs=0.012)


@pytest.mark.parametrize(("air", "vacuum"), PRECISE)
def test_nist_pairs(air: float, vacuum: float) -> None:
    assert air_to_vacuum(air) == pytest.approx(vacuum, abs=0.002)


def test_known_offsets() -> None:
    offsets = air_to_vacuum([3700.0, 5000.0, 6563.0, 8500.0]) - [3700.0, 5000.0, 6563.0, 8500.0]
    np.testing.assert_allclose(offsets, [1.05, 1.39, 1.81, 2.33], atol=0.03)


def test_there_and_back_is_far_below_a_millionth_of_an_angstrom() -> None:
    air = np.linspace(AIR_BEGINS, 25000.0, 20001)
    np.testing.assert_allclose(vacuum_to_air(air_to_vacuum(air)), air, rtol=0, atol=1e-9)
    vacuum = np.linspace(AIR_BEGINS + 1.0, 25000.0, 20001)
    np.testing.assert_allclose(air_to_vacuum(vacuum_to_air(vacuum)), vacuum, rtol=0, atol=1e-9)


def test_below_2000_both_are_vacuum() -> None:
    ultraviolet = np.linspace(900.0, 1999.9, 50)
    np.testing.assert_array_equal(air_to_vacuum(ultraviolet), ultraviolet)
    np.testing.assert_array_equal(vacuum_to_air(ultraviolet), ultraviolet)


def test_order_is_kept_across_the_border() -> None:
    wavelength = np.arange(1900.0, 2100.0, 0.05)
    assert (np.diff(air_to_vacuum(wavelength)) > 0).all()


def test_a_number_is_as_good_as_an_array() -> None:
    assert float(air_to_vacuum(6562.80)) == pytest.approx(6564.61, abs=0.01)
