from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.sky.helpers import kept_lines
from train.simulate.sky import bands
from train.simulate.sky.bands import HEADS
from train.simulate.sky.fit_bands import LENGTHS
from train.simulate.sky.physics import vacuum
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
