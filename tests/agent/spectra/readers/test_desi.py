from __future__ import annotations

import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

NAME = samples.DESI_NAME


def test_rows_by_index_and_by_target(given: Given) -> None:
    for row, target in enumerate(samples.TARGETS):
        by_row = given(samples.desi(), NAME, row=row)
        by_target = given(samples.desi(), NAME, target=target)
        assert by_row.object_id == by_target.object_id == str(target)
        assert by_row.row == by_target.row == row
        assert by_row.rows == 5
        assert by_row.ra == 120.0 + row
        assert by_row.flux[0] == 10.0 * (row + 1) + 1
        np.testing.assert_array_equal(by_row.flux, by_target.flux)


def test_target_may_be_text(given: Given) -> None:
    assert given(samples.desi(), NAME, target=f" {samples.TARGETS[2]} ").row == 2


@pytest.mark.parametrize("target", [123, "LAMOST J1", "1e3", "٣"])
def test_a_target_that_is_not_there(given: Given, target: object) -> None:
    with pytest.raises(ReadError, match="it holds 5 targets, none of them"):
        given(samples.desi(), NAME, target=target)


@pytest.mark.parametrize("row", [5, -1])
def test_a_row_that_is_not_there(given: Given, row: int) -> None:
    with pytest.raises(ReadError, match=r"5 spectra \(rows 0 to 4\)"):
        given(samples.desi(), NAME, row=row)


def test_snr_and_release(given: Given) -> None:
    spectrum = given(samples.desi(), NAME)
    assert spectrum.release == "fuji"
    assert spectrum.snr == pytest.approx(np.median(spectrum.flux * np.sqrt(spectrum.ivar)))


def test_missing_camera_parts_are_named(given: Given) -> None:
    with pytest.raises(ReadError, match="a DESI file without B_FLUX: a camera is incomplete"):
        given(samples.desi(without=("B_FLUX",)))
    gone = tuple(f"{arm}_{part}" for arm in "BZ" for part in ("WAVELENGTH", "FLUX", "IVAR"))
    with pytest.raises(ReadError, match=r"without B_WAVELENGTH, .* and Z_IVAR"):
        given(samples.desi(without=gone))


def test_mask_hdus_may_be_missing(given: Given) -> None:
    data = samples.desi(without=("B_MASK", "R_MASK", "Z_MASK"))
    assert given(data).n_bad == 0


def test_several_spectra_of_one_target(given: Given) -> None:
    spectrum = given(samples.desi(targets=(7, 8, 7)), "spectra-x.fits", target=7)
    assert spectrum.row == 0
    assert "2 spectra of this target" in spectrum.warnings[0]
    assert spectrum.format == "DESI spectra"
