from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.sky.helpers import draws, measure, median
from train.simulate.sky.cool import m_giant
from train.simulate.source import GRID, Source


def test_titanium_oxide_deepens_from_early_to_late_giants() -> None:
    subtypes = "MG early", "MG mid", "MG late"
    early, mid, late = (median(draws("MG", subtype, 12), "TiO5") for subtype in subtypes)
    assert early > mid + 0.05 > mid > late + 0.1


def test_giant_is_as_deep_as_asked(rng: np.random.Generator) -> None:
    medians = []
    for level in (0.25, 0.35, 0.45, 0.65):
        measured = []
        for _ in range(8):
            flux, said, _ = m_giant(rng, level)
            assert said == level
            measured.append(measure(Source("MG", "test", flux), "TiO5"))
        medians.append(float(np.median(measured)))
    assert medians == sorted(medians)
    assert medians[1:] == pytest.approx([0.35, 0.45, 0.65], abs=0.08)


def test_hydrides_are_of_dwarfs() -> None:
    """CaH ratios are lower where the band is deeper."""
    for index in ("CaH1", "CaH2"):
        assert median(draws("MG"), index) > median(draws("M_DWARF"), index) + 0.05


def test_zirconium_oxide_is_of_s_stars() -> None:
    assert median(draws("SS"), "ZrO_6474") < median(draws("MG"), "ZrO_6474") - 0.05
    assert median(draws("SS"), "ZrO_6345_edge") > median(draws("MG"), "ZrO_6345_edge") + 0.05


def test_active_dwarfs_emit_and_others_do_not() -> None:
    """Seen beside the line: bands at its sides make the equivalent width negative in all."""
    line = np.abs(GRID - 6564.6) < 2
    beside = (GRID > 6568) & (GRID < 6573)
    active, quiet = (
        [s.flux[line].mean() / s.flux[beside].mean() for s in draws("M_DWARF", subtype, 12)]
        for subtype in ("M dwarf active", "M dwarf")
    )
    assert np.percentile(active, 20) > 1.4 > 1.25 > np.percentile(quiet, 90)


def test_l_dwarfs_trade_oxides_for_the_wings_of_potassium() -> None:
    def level(source: Source, low: float, high: float) -> float:
        return float(source.flux[slice(*np.searchsorted(GRID, (low, high)))].mean())

    stars = [(star, float(star.parameters["subtype"])) for star in draws("L_DWARF")]
    early = [star for star, subtype in stars if subtype < 2]
    late = [star for star, subtype in stars if subtype >= 6]
    assert min(len(early), len(late)) > 4
    for source in (*early, *late):
        assert level(source, 7640, 7720) < 0.35 * level(source, 8120, 8160)
        assert level(source, 9000, 9200) > 4 * level(source, 7000, 7400)
    both = early, late
    wings = [
        np.median([level(s, 7760, 7790) / level(s, 8120, 8160) for s in some]) for some in both
    ]
    assert wings[1] < 0.6 * wings[0]
    assert median(tuple(early), "TiO5") < 0.5 < 0.85 < median(tuple(late), "TiO5")
