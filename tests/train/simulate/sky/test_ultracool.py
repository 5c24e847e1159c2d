from __future__ import annotations

import numpy as np

from tests.train.simulate.sky.helpers import draws, median
from train.simulate.source import GRID, Source


def test_l_dwarfs_trade_oxides_for_the_wings_of_potassium() -> None:
    def level(source: Source, low: float, high: float) -> float:
        return float(source.flux[slice(*np.searchsorted(GRID, (low, high)))].mean())

    early, late = (
        [s for s in draws("L_DWARF") if low <= float(s.parameters["subtype"]) < high]
        for low, high in ((0, 2), (6, 8.1))
    )
    assert min(len(early), len(late)) > 4
    for source in (*early, *late):
        assert level(source, 7640, 7720) < 0.35 * level(source, 8120, 8160)
        assert level(source, 9000, 9200) > 4 * level(source, 7000, 7400)
    wings = [
        np.median([level(s, 7760, 7790) / level(s, 8120, 8160) for s in some])
        for some in (early, late)
    ]
    assert wings[1] < 0.6 * wings[0]
    assert median(tuple(early), "TiO5") < 0.5 < 0.85 < median(tuple(late), "TiO5")
