"""The redshift of the header, else of the list."""

from __future__ import annotations

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.core.session.records import Candidate
from app.ui.controls.listed_redshift import listed_redshift


def listed(**own):
    return Candidate(id=1, list_id=1, line=1, object_id="a", path="", own=own)


def spectrum(z):
    return Spectrum(wavelength=np.arange(1.0, 9.0) * 1e3, flux=np.ones(8), z=z)


def test_the_header_comes_first():
    assert listed_redshift(spectrum(0.3), listed(z=0.1)) == (0.3, "header")
    assert listed_redshift(spectrum(None), listed(Redshift="0.1")) == (0.1, "list")
    assert listed_redshift(None, None) is None


@pytest.mark.parametrize("value", ["", "none", None, True, "nan", "inf", 0.0, -9999.0, 1e9])
def test_what_is_no_redshift_is_not_offered(value):
    assert listed_redshift(None, listed(z=value)) is None
