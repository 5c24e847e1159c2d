from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from agent.spectra.spectrum import Spectrum
from tests.train.baselines.helpers import LINE, lines
from train.baselines.specialist import INPUTS, over_continuum


class TestInputs:
    @pytest.mark.parametrize("name", INPUTS)
    def test_the_unit_of_flux_does_not_matter(self, name: str):
        prepare, grid = INPUTS[name]
        one = lines(1)[0]
        scaled = Spectrum(wavelength=one.wavelength, flux=one.flux * 1e-17)
        row = prepare(one)
        assert row.shape == grid.shape
        assert row.dtype == np.float32
        np.testing.assert_allclose(row, prepare(scaled), atol=2e-3)

    @pytest.mark.parametrize("name", INPUTS)
    def test_nothing_good_gives_a_row_of_one_value(self, name: str):
        prepare, _ = INPUTS[name]
        wavelength = np.linspace(4000.0, 5000.0, 50)
        broken = Spectrum(wavelength=wavelength, flux=np.full(50, np.nan))
        assert np.ptp(prepare(broken)) == 0.0

    def test_the_line_stands_above_the_continuum(self):
        row = over_continuum(lines(1)[0])
        assert abs(float(INPUTS["branch-cnn"][1][row.argmax()]) - LINE) < 90.0
