from __future__ import annotations

import numpy as np

from tests.train.simulate.sky.helpers import draws, measure, median


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
