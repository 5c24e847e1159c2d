from __future__ import annotations

import json

import numpy as np
import pytest

from agent.spectra.measure.line_result import LineMeasurement
from agent.spectra.measure.zoom_measurements import line_row, zoom_numbers
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import BROAD, H_ALPHA, WAVELENGTH, band, observed


def test_numbers_of_a_window_with_a_line(rng: np.random.Generator) -> None:
    numbers = zoom_numbers(observed([BROAD], 25.0, rng), 6450.0, 6680.0)
    assert json.loads(json.dumps(numbers)) == numbers
    assert numbers["snr"] == pytest.approx(26.0, rel=0.2)
    assert numbers["feature"]["nearest"][0] == "Hα"
    assert numbers["feature"]["kind"] == "emission"
    assert numbers["feature"]["ew"] == pytest.approx(BROAD.ew, rel=0.08)
    assert [line["name"] for line in numbers["lines"]] == ["H_alpha"]


def test_wavelengths_are_at_rest_if_the_pictures_are() -> None:
    z = 300.0 / LIGHT_KMS
    rest = observed([BROAD], 100.0, None)
    moving = Spectrum(wavelength=WAVELENGTH * (1 + z), flux=rest.flux, ivar=rest.ivar)
    at_rest = zoom_numbers(moving, 6450.0, 6680.0, z)["feature"]["centroid"]
    as_observed = zoom_numbers(moving, 6450.0, 6680.0)["feature"]["centroid"]
    assert at_rest == pytest.approx(H_ALPHA, abs=0.5)
    assert as_observed == pytest.approx(H_ALPHA * (1 + z), abs=0.5)


def test_edges_unsafe_regions_and_the_reason_for_no_feature(rng: np.random.Generator) -> None:
    carbon = zoom_numbers(observed([band("C2_5165", 0.4)], 30.0, rng), 4950.0, 5250.0)
    assert carbon["edges"][0]["name"] == "C2_5165_edge"
    assert carbon["edges"][0]["drop"] > 0.2
    assert "O₂ A" in zoom_numbers(observed([], 25.0, rng), 7560.0, 7620.0)["unsafe"]
    outside = zoom_numbers(observed([], 25.0, rng), 9500.0, 9600.0)
    assert outside == {"n_pixels": 0, "n_bad": 0, "reason": "outside the spectrum"}


def test_without_a_profile_the_significance_is_that_of_the_width():
    hidden = LineMeasurement(line="OIII_4959", ew=-0.06, ew_error=0.24, significance=2.9)
    found = LineMeasurement(
        line="H_9", peak=0.4, centroid=3836.5, ew=-4.0, ew_error=1.0, significance=26.0
    )
    assert line_row(hidden, 1.0)["sigma"] == 0.25
    assert line_row(found, 1.0)["sigma"] == 26.0
    assert "sigma" not in line_row(LineMeasurement(line="H_9", significance=2.9), 1.0)


@pytest.mark.parametrize(
    ("peak", "ew", "told"),
    [(0.4, -4.0, "emission"), (-0.4, 4.0, "absorption"), (0.2, 0.6, ""), (-0.2, -0.6, "")],
)
def test_a_line_is_named_only_where_peak_and_width_agree(peak: float, ew: float, told: str) -> None:
    line = LineMeasurement(line="H_9", peak=peak, ew=ew, ew_error=0.02, significance=26.0)
    assert line_row(line, 1.0)["kind"] == told
