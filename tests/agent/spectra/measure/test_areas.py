from __future__ import annotations

import numpy as np

from agent.spectra.measure.areas import centroid, equivalent_width
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import gaussian, observed


def test_equivalent_width_of_a_named_window(rng: np.random.Generator) -> None:
    line = gaussian("x", "H_alpha", 6100.0, 10.0, -0.5)
    found = [equivalent_width(observed([line], 20, rng), (6080.0, 6120.0)) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - line.ew) / np.array([item.error for item in found])
    assert abs(values.mean() / line.ew - 1.0) < 3 * values.std() / line.ew / 10 + 0.01
    assert 0.8 < pulls.std() < 1.25


def test_centroid_errors_are_calibrated(rng: np.random.Generator) -> None:
    line = gaussian("x", "H_alpha", 6101.3, 10.0, -0.5)
    found = [centroid(observed([line], 30, rng), (6080.0, 6120.0)) for _ in range(100)]
    values = np.array([item.number for item in found])
    pulls = (values - 6101.3) / np.array([item.error for item in found])
    assert abs(values.mean() - 6101.3) < 3 * values.std() / 10 + 0.02
    assert 0.8 < pulls.std() < 1.25


def test_windows_that_cannot_be_measured_are_refused() -> None:
    spectrum = observed([], 50.0, None)
    for window in ((9000.0, 9200.0), (6010.0, 6000.0), (float("nan"), 6000.0), (1.0, 2.0)):
        for function in (equivalent_width, centroid):
            found = function(spectrum, window)
            assert found.value is None and found.reason, (function, window)
    assert centroid(spectrum, (6000.0, 6040.0)).reason == "no line above 3 sigma"
    two_pixels = Spectrum(wavelength=np.array([6000.0, 6001.0]), flux=np.ones(2))
    assert equivalent_width(two_pixels, (6000.0, 6001.0)).value is None
