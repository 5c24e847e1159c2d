from __future__ import annotations

import numpy as np
import pytest

from tests.train.simulate.sky.helpers import draws, measure, median
from train.simulate.sky.cataclysmic import _absorb_cores
from train.simulate.sky.physics import SIZE, value_at


def test_cataclysmic_variables_emit() -> None:
    quiet, polar = draws("CV", "quiescent", 15), draws("CV", "polar", 15)
    assert all(measure(source, "EW_H_alpha") < -5 for source in quiet)
    ratios = [
        np.median([measure(s, "EW_HeII_4686") / measure(s, "EW_H_beta") for s in some])
        for some in (quiet, polar)
    ]
    assert ratios[1] > 2 * ratios[0] and ratios[1] > 0.2
    helium = draws("CV", "AM CVn", 6)
    assert median(helium, "EW_H_beta") > -1 and median(helium, "EW_HeI_5876") < -2


def test_a_disc_seen_edge_on_absorbs_the_centres_of_its_lines() -> None:
    flux = np.ones(SIZE)
    _absorb_cores(flux, np.random.default_rng(4))
    assert 0.35 < value_at(flux, 4102.9) < 0.85
    assert value_at(flux, 4102.9) == pytest.approx(value_at(flux, 6564.61), abs=0.02)
    assert value_at(flux, 4130.0) == pytest.approx(1.0, abs=1e-3)
