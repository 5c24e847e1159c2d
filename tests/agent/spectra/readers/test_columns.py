from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX
N = samples.PIXELS


@pytest.mark.parametrize("column", ["WAVE_VAC", "wavelength_air"])
def test_medium_in_the_column_name(given: Given, column: str) -> None:
    spectrum = given(samples.fits_table({column: ("D", W), "flux": ("E", F)}))
    assert spectrum.medium_in_file == ("vacuum" if "VAC" in column else "air")


def test_variance_and_mask(given: Given) -> None:
    columns = {
        "wave": ("D", W),
        "flux": ("E", F),
        "variance": ("E", np.full(N, 4.0)),
        "mask": ("L", samples.FLAGS > 0),
    }
    spectrum = given(samples.fits_table(columns))
    assert spectrum.ivar is not None
    assert spectrum.ivar[0] == pytest.approx(0.25)
    assert spectrum.n_bad == 2


def test_useless_error_and_mask_columns_are_ignored_with_a_warning(given: Given) -> None:
    columns = {
        "wave": ("D", W),
        "flux": ("E", F),
        "err": ("E", np.zeros(N)),
        "mask": ("I", np.ones(N)),
    }
    spectrum = given(samples.fits_table(columns))
    assert spectrum.ivar is None
    assert spectrum.n_bad == 0
    assert any("gives no errors" in warning for warning in spectrum.warnings)
    assert any("masks everything" in warning for warning in spectrum.warnings)


def test_calspec_systematic_error_replaces_a_missing_one(given: Given) -> None:
    stat = np.where(np.arange(N) < 9, 0.0, 2.0)
    columns = {
        "WAVELENGTH": ("D", W),
        "FLUX": ("E", F * 1e-12),
        "STATERROR": ("E", stat),
        "SYSERROR": ("E", np.full(N, 4.0)),
        "DATAQUAL": ("I", np.ones(N)),
    }
    cards = {"MAPKEY": "calspec", "TARGETID": "HD205905"}
    spectrum = given(samples.fits_table(columns, cards, WAVELENGTH="ANGSTROMS", FLUX="FLAM"))
    assert (spectrum.survey, spectrum.object_id) == ("CALSPEC", "HD205905")
    assert spectrum.medium_in_file == "vacuum"
    assert spectrum.n_bad == 0, "DATAQUAL 1 means good"
    assert spectrum.ivar is not None
    assert spectrum.ivar[0] == pytest.approx(1 / 16)
    assert spectrum.flux_unit == "FLAM"


def test_a_catalogue_is_refused_with_its_columns(given: Given) -> None:
    with pytest.raises(ReadError) as caught:
        given(samples.fits_table({"RA": ("D", W), "DEC": ("D", F)}))
    assert "no column is named like a wavelength (columns: RA, DEC)" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.reasons["FITS table"] in str(caught.value)
    assert {"LAMOST LRS", "SDSS", "DESI"} <= set(caught.value.reasons)
