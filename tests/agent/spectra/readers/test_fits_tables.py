from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

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
