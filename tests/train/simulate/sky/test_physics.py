from __future__ import annotations

import numpy as np
import pytest

from train.simulate.sky.physics import reddening
from train.simulate.source import GRID


def test_dust_dims_and_reddens() -> None:
    little, more = reddening(0.1), reddening(0.6)
    assert (more < little).all() and (little < 1).all()
    measured = GRID < 9091.0  # the curve of O'Donnell (1994) was measured to here
    assert (np.diff(more[measured]) > 0).all()
    assert little * reddening(0.5) == pytest.approx(more)
    at_v = float(np.interp(5494.0, GRID, more))
    assert -2.5 * np.log10(at_v) == pytest.approx(3.1 * 0.6, rel=0.01)
    assert (reddening(0.0) == 1).all()
