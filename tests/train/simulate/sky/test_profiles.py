from __future__ import annotations

import numpy as np
import pytest

from train.simulate.sky.profiles import add_head
from train.simulate.source import GRID


@pytest.mark.parametrize(("shaded", "sign"), [("red", 1), ("violet", -1)])
def test_bands_are_sharp_on_the_right_side(shaded: str, sign: int) -> None:
    head = 6000.0
    tau = np.zeros(GRID.size)
    add_head(tau, head, 1.0, 60.0, shaded)
    dark, clear, tail = (
        float(np.interp(head + sign * offset, GRID, tau)) for offset in (6, -6, 60)
    )
    assert dark > 0.85 and clear < 0.01 and tail == pytest.approx(np.exp(-1), abs=0.02)
