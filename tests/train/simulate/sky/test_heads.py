from __future__ import annotations

import numpy as np

from tests.train.simulate.sky.helpers import kept_lines
from train.simulate.sky.fit_bands import (
    LENGTHS,
)
from train.simulate.sky.heads import HEADS


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
