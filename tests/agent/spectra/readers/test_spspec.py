from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


def test_spspec_third_row_is_sigma(given: Given) -> None:
    spectrum = given(samples.spspec())
    assert spectrum.ivar is not None
    np.testing.assert_allclose(spectrum.ivar, samples.IVAR, rtol=1e-6)
    assert (spectrum.ra, spectrum.dec) == (149.46417, 10.976277)
    assert spectrum.object_id == "1307-52999-0323"
    assert (spectrum.class_name, spectrum.snr) == ("GALAXY", 13.0)
    assert spectrum.wavelength[0] == pytest.approx(10**samples.FIRST)


def test_spspec_without_wavelengths(given: Given) -> None:
    with pytest.raises(ReadError, match="spSpec file without COEFF0 and COEFF1"):
        given(samples.spspec(COEFF1=0.0))
