import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

DEAD = [20, 21, 22]
NO_DATA, BAD_FLUXCAL, CR = 30, 31, 32
"""Pixels of the samples with these flags; OVERLAP, at 33, is no fault."""


@pytest.mark.parametrize("wcs", [True, False])
def test_one_object_with_wavelengths_in_its_header_or_in_an_image(given: Given, wcs: bool) -> None:
    spectrum = given(samples.pfs_object(wcs=wcs))
    assert (spectrum.survey, spectrum.format) == ("PFS", "PFS object")
    assert (spectrum.object_id, spectrum.meta["CATID"]) == ("25769810000", 10_091)
    assert (spectrum.ra, spectrum.dec) == (150.5, 2.25)
    assert (spectrum.medium_in_file, spectrum.resolution) == ("vacuum", 3000)
    np.testing.assert_allclose(spectrum.wavelength, 10.0 * samples.PFS_NM, rtol=1e-12)


def test_nanojansky_become_a_flux_per_wavelength(given: Given) -> None:
    spectrum = given(samples.pfs_object())
    assert spectrum.flux_unit == "1e-17 erg/s/cm2/A"
    np.testing.assert_allclose(spectrum.flux, samples.FLUX, rtol=1e-6)
    good = spectrum.good
    np.testing.assert_allclose(spectrum.ivar[good], 0.25, rtol=1e-6)


def test_flags_are_known_by_name_and_cosmic_rays_only_spoil_a_single_visit(given: Given) -> None:
    single = given(samples.pfs_object(visits=(101, 101)))
    assert np.flatnonzero(~single.good).tolist() == [*DEAD, NO_DATA, BAD_FLUXCAL, CR]
    coadd = given(samples.pfs_object(visits=(101, 102)))
    assert np.flatnonzero(~coadd.good).tolist() == [*DEAD, NO_DATA, BAD_FLUXCAL]


@pytest.mark.parametrize("packed", [True, False])
def test_several_objects_with_packed_flags_or_plain_ones(given: Given, packed: bool) -> None:
    data = samples.pfs_objects(packed=packed)
    for row in range(3):
        spectrum = given(data, row=row)
        assert (spectrum.object_id, spectrum.row, spectrum.rows) == (str(9000 + row), row, 3)
        assert (spectrum.ra, spectrum.dec) == (150.0 + row, 2.0 + row)
        np.testing.assert_allclose(spectrum.flux, samples.FLUX * (row + 1), rtol=1e-6)
        assert np.flatnonzero(~spectrum.good).tolist() == [*DEAD, NO_DATA, BAD_FLUXCAL, CR]
        assert given(data, target=9000 + row).row == row
    with pytest.raises(ReadError, match="it holds 3 targets, none of them 5"):
        given(data, target=5)


def test_packed_flags_that_are_nowhere_else_are_told(given: Given) -> None:
    spectrum = given(samples.pfs_objects(native=False))
    assert spectrum.warnings == ("its MASK is packed: bad pixels are known by their errors alone",)
    assert np.flatnonzero(~spectrum.good).tolist() == DEAD


def test_the_medium_arm_alone_is_sharper(given: Given, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "PFS_NM", 710.0 + 0.7 * np.arange(samples.PIXELS))
    assert given(samples.pfs_object(wcs=False)).resolution == 5000


@pytest.mark.parametrize("part", ["COVAR", "OBSERVATIONS", "TARGET"])
def test_files_without_a_part_are_not_of_an_object(given: Given, part: str) -> None:
    assert given(samples.pfs_object(without=part)).survey == ""
