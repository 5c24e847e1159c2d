from __future__ import annotations

import numpy as np

from tests.train.simulate.sky.helpers import draws, measure, median


def test_swan_bands_are_of_carbon_stars() -> None:
    """The flux jumps up redward of a violet-shaded head, and falls from one shaded red."""
    edges = [measure(source, "C2_5165_edge") for source in draws("CS")]
    assert np.mean(np.array(edges) > 0) > 0.9
    assert median(draws("MG"), "C2_5165_edge") < -0.1
    assert median(draws("K"), "C2_5165_edge") < 0
