from pathlib import Path

import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.readers import read
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


@pytest.mark.parametrize("target", [123, "LAMOST J1", "1e3", "٣"])
def test_a_target_that_is_not_there(given: Given, target: object) -> None:
    with pytest.raises(ReadError, match="it holds 5 targets, none of them"):
        given(samples.desi(), NAME, target=target)


@pytest.mark.parametrize("row", [5, -1])
def test_a_row_that_is_not_there(given: Given, row: int) -> None:
    with pytest.raises(ReadError, match=r"5 spectra \(rows 0 to 4\)"):
        given(samples.desi(), NAME, row=row)


def test_snr_release_and_the_target_as_text(given: Given) -> None:
    spectrum = given(samples.desi(), NAME)
    assert spectrum.release == "fuji"
    assert spectrum.snr == pytest.approx(np.median(spectrum.flux * np.sqrt(spectrum.ivar)))
    assert given(samples.desi(), NAME, target=f" {samples.TARGETS[2]} ").row == 2


def test_masks_may_be_missing_cameras_may_not_and_a_target_may_be_there_twice(given: Given) -> None:
    data = samples.desi(without=("B_MASK", "R_MASK", "Z_MASK"))
    assert given(data).n_bad == 0
    with pytest.raises(ReadError, match="a DESI file without B_FLUX: a camera is incomplete"):
        given(samples.desi(without=("B_FLUX",)))
    gone = tuple(f"{arm}_{part}" for arm in "BZ" for part in ("WAVELENGTH", "FLUX", "IVAR"))
    with pytest.raises(ReadError, match=r"without B_WAVELENGTH, .* and Z_IVAR"):
        given(samples.desi(without=gone))
    spectrum = given(samples.desi(targets=(7, 8, 7)), "spectra-x.fits", target=7)
    assert spectrum.row == 0
    assert "2 spectra of this target" in spectrum.warnings[0]
    assert spectrum.format == "DESI spectra"


def test_overlaps_are_weighted_by_ivar_without_masked_pixels_or_joined(given: Given) -> None:
    spectrum = given(samples.desi(), NAME)
    assert len(spectrum) == 340
    assert np.allclose(np.diff(spectrum.wavelength), 0.8)
    assert spectrum.flux[109] == 11.0
    assert spectrum.flux[115] == pytest.approx((1 * 11 + 3 * 12) / 4)
    assert spectrum.ivar[115] == 4.0
    spectrum = given(samples.desi(mask={"B": (50, 115), "R": (2,)}), NAME)
    assert spectrum.flux[115] == 12.0, "only R is left"
    assert spectrum.flux[112] == 11.0, "only B is left"
    assert not spectrum.good[50], "nothing is left"
    assert spectrum.n_bad == 1
    spectrum = given(samples.desi(shift=0.3), NAME)
    assert (np.diff(spectrum.wavelength) > 0).all()
    assert "the arms share no grid" in spectrum.warnings[0]
    assert len(spectrum) < 345


@pytest.mark.parametrize("packed", [False, True])
def test_class_and_z_come_from_the_redrock_file_next_to_it(tmp_path: Path, packed: bool) -> None:
    (tmp_path / NAME).write_bytes(samples.desi())
    data = samples.redrock()
    companion = tmp_path / (NAME.replace("coadd", "redrock") + (".gz" if packed else ""))
    companion.write_bytes(samples.gz(data) if packed else data)
    spectrum = read(tmp_path / NAME, row=4)
    assert (spectrum.class_name, spectrum.z) == ("QSO", 4.1)
    assert read(tmp_path / NAME, row=0).class_name == "GALAXY"


def test_a_broken_or_foreign_redrock_file_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(samples.desi())
    companion = tmp_path / NAME.replace("coadd", "redrock")
    companion.write_bytes(b"SIMPLE  = nonsense")
    spectrum = read(tmp_path / NAME)
    assert spectrum.z is None
    assert "was not used" in spectrum.warnings[0]
    companion.write_bytes(samples.redrock(targets=(1, 2)))
    assert "does not list target" in read(tmp_path / NAME).warnings[0]
    companion.write_bytes(samples.redrock(warn=4))
    assert "ZWARN 4" in read(tmp_path / NAME).warnings[0]


def test_a_redrock_table_is_refused_with_its_coadd(given: Given) -> None:
    with pytest.raises(ReadError, match=f"companion of {NAME}, without spectra: open the coadd"):
        given(samples.redrock(), NAME.replace("coadd", "redrock"))
