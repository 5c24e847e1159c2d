from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.window_measure import measure_window
from tests.agent.spectra.measure.known_lines import BROAD, band, observed


def test_window_names_the_line_it_shows(rng: np.random.Generator) -> None:
    seen = measure_window(observed([BROAD], 25.0, rng), 6450.0, 6680.0)
    assert seen.feature is not None and seen.feature.kind == "emission"
    assert seen.nearest[0].line.id == "H_alpha" and abs(seen.nearest[0].offset) < 1.0
    assert seen.feature.ew == pytest.approx(BROAD.ew, rel=0.08)
    assert seen.snr.value == pytest.approx(26.0, rel=0.2)
    assert [line.line for line in seen.lines] == ["H_alpha"]
    assert seen.n_bad == 0 and not seen.reason


def test_window_finds_the_band_head_and_not_its_mirror(rng: np.random.Generator) -> None:
    carbon = measure_window(observed([band("C2_5165", 0.4)], 30.0, rng), 4950.0, 5250.0)
    names = [edge.name for edge in carbon.edges]
    assert names[0] == "C2_5165_edge" and "TiO_5167_edge" not in names
    giant = measure_window(observed([band("TiO_5167", 0.4)], 30.0, rng), 4950.0, 5250.0)
    assert "TiO_5167_edge" in [edge.name for edge in giant.edges]
    assert "C2_5165_edge" not in [edge.name for edge in giant.edges]


def test_empty_windows_are_described(rng: np.random.Generator) -> None:
    spectrum = observed([], 25.0, rng)
    outside = measure_window(spectrum, 9500.0, 9600.0)
    assert outside.reason == "outside the spectrum" and outside.n_pixels == 0
    assert "O₂ A" in measure_window(spectrum, 7560.0, 7620.0).unsafe
    for lo, hi in ((6000.0, 6001.0), (6001.0, 6000.0), (float("nan"), 6000.0), (-1e9, 1e9)):
        assert measure_window(spectrum, lo, hi).n_pixels >= 0
