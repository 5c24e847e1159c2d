"""A template comes to the height of the spectrum, whatever stands out of it."""

from __future__ import annotations

import numpy as np
import pytest

from app.ui.plot.template_overlay import scale_template
from app.ui.plot.trace import trace
from tests.app.ui.plot.spectra import spectrum

GRID = np.linspace(3000, 10000, 900)


def test_the_factor_is_that_of_the_continuum():
    drawn = trace(spectrum(peak=80.0))
    wavelength, flux = scale_template(drawn, GRID, np.full(900, 1e-17), 0.01)
    assert flux[0] == pytest.approx(1.0, rel=0.02)
    assert wavelength[0] == pytest.approx(3030.0)


@pytest.mark.parametrize(
    ("grid", "flux"),
    [
        (GRID + 90_000, np.ones(900)),
        (GRID, np.full(900, np.nan)),
        (GRID, np.zeros(900)),
        (GRID, -np.ones(900)),
    ],
)
def test_what_has_nothing_in_common_is_not_drawn(grid, flux):
    assert scale_template(trace(spectrum()), grid, flux, 0.0) is None
