from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.air import air_to_vacuum
from tests.agent.spectra.readers import samples
from tests.agent.spectra.conftest import Given

W, F = samples.WAVELENGTH, samples.FLUX
N = samples.PIXELS


def test_scalar_columns(given: Given) -> None:
    columns = {"wavelength": ("D", W), "flux": ("E", F), "ivar": ("E", samples.IVAR)}
    spectrum = given(samples.fits_table(columns, {"SURVEY": "CFLIB", "WAVEMED": "vacuum"}))
    np.testing.assert_allclose(spectrum.wavelength, W)
    assert (spectrum.survey, spectrum.medium_in_file) == ("CFLIB", "vacuum")
    assert spectrum.n_bad == 3
    assert not spectrum.warnings


def test_one_row_of_vectors_and_several(given: Given) -> None:
    form = f"{N}D"
    one = samples.fits_table({"WAVE": (form, W[None]), "FLUX": (form, F[None])})
    assert len(given(one)) == N
    two = samples.fits_table({"WAVE": (form, np.array([W, W])), "FLUX": (form, np.array([F, -F]))})
    assert given(two, row=1).flux[0] == -F[0]
    with pytest.raises(ReadError, match="rows 0 to 1"):
        given(two, row=2)


def test_variable_length_cells(given: Given) -> None:
    cells = np.empty(1, dtype=object)
    cells[0] = W
    fluxes = np.empty(1, dtype=object)
    fluxes[0] = F
    spectrum = given(samples.fits_table({"WAVE": ("PD()", cells), "FLUX": ("QD()", fluxes)}))
    np.testing.assert_allclose(spectrum.wavelength, W)
    np.testing.assert_allclose(spectrum.flux, F)


def test_xsl_is_nanometre_in_air(given: Given) -> None:
    columns = {"WAVE": ("D", W / 10), "FLUX": ("E", F), "ERR": ("E", np.full(N, 2.0))}
    cards = {"XSL_ID": "X0360", "SNR": 20.68, "RA": 215.4, "DEC": 0.78, "SPEC_RES": 9994.6}
    spectrum = given(samples.fits_table(columns, cards, WAVE="nm"))
    np.testing.assert_allclose(spectrum.wavelength, air_to_vacuum(W))
    assert (spectrum.survey, spectrum.snr, spectrum.resolution) == ("XSL", 20.68, 9994.6)
    assert spectrum.ivar is not None
    assert spectrum.ivar[0] == 0.25


def test_calspec_systematic_error_stands_in_for_a_missing_one(given: Given) -> None:
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


@pytest.mark.parametrize(
    ("name", "values", "unit"),
    [
        ("loglam", np.log10(W), None),
        ("LNLAM", np.log(W), None),
        ("lambda", W / 1e4, "um"),
        ("Wavelength_nm", W / 10, None),
        ("wave", W / 1e4, "micron"),
        ("wl", np.log10(W), "log10(Angstrom)"),
        ("wave", W / 1e10, "m"),
    ],
)
def test_names_and_units(given: Given, name: str, values: np.ndarray, unit: str | None) -> None:
    units = {name: unit} if unit else {}
    spectrum = given(samples.fits_table({name: ("D", values), "flux": ("E", F)}, None, **units))
    np.testing.assert_allclose(spectrum.wavelength, W, rtol=1e-9)


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


def test_useless_error_and_mask_columns_are_left_out_and_said(given: Given) -> None:
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


def test_unusable_wavelengths_are_dropped_duplicates_too(given: Given) -> None:
    wave = W.copy()
    wave[3], wave[4], wave[9] = np.nan, -1.0, wave[8]
    spectrum = given(samples.fits_table({"wave": ("D", wave), "flux": ("E", F)}))
    assert len(spectrum) == N - 3
    assert any("2 pixels without a usable wavelength" in text for text in spectrum.warnings)
    assert any("duplicates dropped" in text for text in spectrum.warnings)


def test_a_catalogue_is_refused_with_its_columns(given: Given) -> None:
    with pytest.raises(ReadError) as caught:
        given(samples.fits_table({"RA": ("D", W), "DEC": ("D", F)}))
    assert "no column is named like a wavelength (columns: RA, DEC)" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.reasons["FITS table"] in str(caught.value)
    assert {"LAMOST LRS", "SDSS", "DESI"} <= set(caught.value.reasons)
