from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.measure.indices import measure_index
from tests.agent.spectra.measure.known_lines import H_BETA, observed, stark


@pytest.mark.parametrize("fwhm", [14.0, 25.0, 45.0])
def test_half_depth_width_is_the_width(fwhm: float) -> None:
    line = stark("wide", "H_beta", H_BETA, fwhm, 0.6, power=3.5)
    found = measure_index(observed([line], 200.0, None), "H_beta_D2")
    assert found.value == pytest.approx(fwhm, rel=0.08)


def test_half_depth_width_errors_are_calibrated(rng: np.random.Generator) -> None:
    line = stark("wide", "H_beta", H_BETA, 30.0, 0.6, power=3.5)
    truth = measure_index(observed([line], 1e4, None), "H_beta_D2").number
    found = [measure_index(observed([line], 20.0, rng), "H_beta_D2") for _ in range(80)]
    pulls = np.array([(item.number - truth) / (item.error or np.nan) for item in found])
    assert 0.6 < np.nanstd(pulls) < 1.4
    assert abs(np.nanmean([item.number for item in found]) / truth - 1.0) < 0.05
