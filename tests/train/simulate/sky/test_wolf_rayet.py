"""Wolf-Rayet stars have the lines of their type, and more of them than a cataclysmic variable."""

import numpy as np
import pytest

from train.simulate.sky.wolf_rayet import wolf_rayet
from train.simulate.source import GRID, LIGHT_KMS, Source

HALPHA, HELIUM_TWO, HELIUM_ONE, CARBON_THREE, CARBON_FOUR = 6564.0, 4687.0, 5877.3, 5697.5, 5808.0


def of_type(kind: str, late: bool) -> list[Source]:
    rng = np.random.default_rng(31)
    drawn = [wolf_rayet(rng) for _ in range(150)]
    asked = (kind, "late" if late else "early")
    return [source for source in drawn if (source.subtype, source.parameters["type"]) == asked]


def peak(source: Source, wavelength: float) -> float:
    """By how much the flux at a line exceeds that three widths beside it, to either side."""
    width = float(source.parameters["fwhm_kms"]) / LIGHT_KMS
    top, *sides = np.interp(wavelength * (1 + width * np.array([0, -3, 3])), GRID, source.flux)
    return float(top / np.mean(sides) - 1)


def middle(sources: list[Source], wavelength: float) -> float:
    return float(np.median([peak(source, wavelength) for source in sources]))


@pytest.mark.parametrize("kind", ["WN", "WC"])
@pytest.mark.parametrize("late", [False, True])
def test_each_type_comes(kind: str, late: bool) -> None:
    assert len(of_type(kind, late)) >= 15


def test_late_nitrogen_stars_show_hydrogen_and_neutral_helium() -> None:
    late, early = of_type("WN", True), of_type("WN", False)
    assert middle(late, HALPHA) > 0.8 * middle(late, HELIUM_TWO)
    assert middle(early, HALPHA) < 0.6 * middle(early, HELIUM_TWO)
    assert middle(late, HELIUM_ONE) > 0.1 > middle(early, HELIUM_ONE)


def test_carbon_stars_outshine_hydrogen_with_carbon() -> None:
    late, early = of_type("WC", True), of_type("WC", False)
    assert middle(late, CARBON_THREE) > max(middle(late, CARBON_FOUR), 1.2 * middle(late, HALPHA))
    assert middle(early, CARBON_FOUR) > 4 * middle(early, HALPHA)


def test_winds_of_late_stars_absorb_ahead_of_neutral_helium() -> None:
    def trough(source: Source) -> float:
        width = float(source.parameters["fwhm_kms"]) / LIGHT_KMS
        lows = GRID[(HELIUM_ONE * (1 - 1.5 * width) < GRID) & (GRID < HELIUM_ONE)]
        beside = np.interp(HELIUM_ONE * (1 - 3 * width), GRID, source.flux)
        return float(np.interp(lows, GRID, source.flux).min() / beside)

    late, early = ([trough(source) for source in of_type("WN", late)] for late in (True, False))
    assert np.median(late) < 0.95 < np.median(early)
