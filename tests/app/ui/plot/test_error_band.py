"""The band of errors, reduced to one value per column."""

from __future__ import annotations

import numpy as np

from app.ui.plot.error_band import column_values


def test_a_column_of_the_band_is_interpolated_or_the_extreme():
    sparse = column_values(np.array([0.5, 4.5]), np.array([0.0, 4.0]), 5, np.fmax)
    assert sparse.tolist() == [0, 1, 2, 3, 4]
    dense = column_values(
        np.array([0.1, 0.5, 0.9, 1.5]), np.array([1.0, 8.0, 1.0, 2.0]), 2, np.fmax
    )
    assert dense.tolist() == [8, 2]
    gap = column_values(np.array([0.5, 1.5, 2.5]), np.array([1.0, np.nan, 3.0]), 3, np.fmax)
    assert gap[0] == 1 and np.isnan(gap[1]) and gap[2] == 3
