"""Thinning keeps peaks and gaps."""

from __future__ import annotations

import numpy as np

from app.ui.plot.canvas.thinning import pieces, thin, visible


def test_peaks_of_one_pixel_survive():
    x, y = np.linspace(0, 500, 100_000), np.zeros(100_000)
    y[61_234], y[40_000] = 9.0, -7.0
    thin_x, thin_y = thin(x, y, 500)
    assert thin_x.size <= 2 * 502
    assert (thin_y.max(), thin_y.min()) == (9.0, -7.0)
    assert abs(thin_x[np.argmax(thin_y)] - x[61_234]) <= 1.0


def test_a_gap_survives_and_few_points_stay_as_they_are():
    x, y = np.linspace(0, 500, 100_000), np.zeros(100_000)
    y[50_000:60_000] = np.nan
    _, thin_y = thin(x, y, 500)
    assert len(pieces(thin_y)) == 2
    few = np.arange(100.0)
    assert thin(few, few, 500)[1] is few


def test_pieces_are_the_stretches_between_gaps():
    y = np.array([np.nan, 1, 2, np.nan, np.nan, 3])
    assert pieces(y) == [slice(1, 3), slice(5, 6)]
    assert pieces(np.empty(0)) == [] and pieces(np.full(3, np.nan)) == []


def test_what_is_visible_runs_to_the_edge():
    grid = np.arange(10.0)
    assert visible(grid, 2.5, 4.5) == slice(2, 6)
    assert visible(grid, -5, 50) == slice(0, 10)
