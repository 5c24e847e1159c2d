from __future__ import annotations

import numpy as np

from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


def test_medium_resolution_joins_two_arms_with_a_gap(given: Given) -> None:
    spectrum = given(samples.lamost_mrs())
    assert spectrum.survey == "LAMOST-MRS"
    assert spectrum.resolution == 7500
    assert len(spectrum) == 2 * samples.PIXELS
    gap = np.diff(spectrum.wavelength).argmax()
    assert spectrum.wavelength[gap] < 5400
    assert spectrum.wavelength[gap + 1] > 6200
    assert spectrum.snr == 60.0
    assert (spectrum.meta["SNR_B"], spectrum.meta["SNR_R"]) == (40.0, 80.0)


def test_medium_resolution_with_one_arm_warns(given: Given) -> None:
    spectrum = given(samples.lamost_mrs(arms=("R",)))
    assert len(spectrum) == samples.PIXELS
    assert spectrum.warnings == ("the arm COADD_B is missing",)
