import numpy as np
import pytest
from astropy.io import fits

from agent.errors import ReadError
from agent.spectra.air import air_to_vacuum
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

VACUUM = air_to_vacuum(samples.LINEAR)


def test_one_spectrum_as_eso_archives_it(given: Given) -> None:
    spectrum = given(samples.fourmost())
    assert (spectrum.survey, spectrum.format) == ("4MOST", "4MOST L1")
    # OBJECT names the field.
    assert spectrum.object_id == "QMOST20562750-4111450"
    assert (spectrum.ra, spectrum.dec) == (314.1146, -41.19583)
    assert (spectrum.resolution, spectrum.snr) == (4933.2, 12.5)
    assert spectrum.flux_unit == "erg/(s*cm^2*Angstrom)"
    assert spectrum.meta["TRG_UID"] == 11031146069
    np.testing.assert_allclose(spectrum.wavelength, VACUUM, rtol=1e-7)
    np.testing.assert_allclose(spectrum.flux, 1e-17 * samples.FLUX, rtol=1e-6)
    assert np.flatnonzero(~spectrum.good).tolist() == [20, 21, 22, 40]
    np.testing.assert_allclose(spectrum.ivar[0], 0.25e34, rtol=1e-6)


def test_the_ucd_says_air_or_vacuum(given: Given) -> None:
    assert given(samples.fourmost()).medium_in_file == "air"
    spectrum = given(samples.fourmost(ucd="em.wl"))
    assert spectrum.medium_in_file == "vacuum"
    np.testing.assert_allclose(spectrum.wavelength, samples.LINEAR, rtol=1e-7)


@pytest.mark.parametrize("in_header", [True, False])
def test_the_fibres_of_an_exposure(given: Given, in_header: bool) -> None:
    data = samples.fourmost_table(in_header=in_header)
    for row in range(3):
        spectrum = given(data, row=row)
        assert (spectrum.object_id, spectrum.row, spectrum.rows) == (f"target{row}", row, 3)
        assert (spectrum.ra, spectrum.dec, spectrum.snr) == (10.0 + row, -30.0 - row, 5.0 + row)
        np.testing.assert_allclose(spectrum.wavelength, VACUUM, rtol=1e-7)
        np.testing.assert_allclose(spectrum.flux, 1e-17 * samples.FLUX * (row + 1), rtol=1e-6)
        assert spectrum.n_bad == 4
        assert given(data, target=f"target{row}").row == row
        assert given(data, target=70_000_000_000 + row).row == row
    with pytest.raises(ReadError, match=r"3 spectra \(rows 0 to 2\)"):
        given(data, row=3)
    with pytest.raises(ReadError, match="it holds 3 targets, none of them target9"):
        given(data, target="target9")


def test_what_is_missing_is_named(given: Given) -> None:
    assert given(samples.fourmost(SPEC_RES=0.0)).resolution == 5500.0
    columns = {"FLUX": ("240E", samples.FLUX[None, :])}
    with pytest.raises(ReadError, match="neither ERR_FLUX nor FLUX_IVAR"):
        given(samples.fits_table(columns, {"INSTRUME": "QMOST"}))
    columns["ERR_FLUX"] = columns["FLUX"]
    with pytest.raises(ReadError, match="that gives no wavelengths"):
        given(samples.fits_table(columns, {"INSTRUME": "QMOST"}))
    with pytest.raises(ReadError, match="no table of it has a column FLUX"):
        given(samples.fits_table({"TIME": ("E", [1.0])}, {"INSTRUME": "QMOST"}))


def test_the_fibres_of_one_arm(given: Given) -> None:
    for row in range(3):
        spectrum = given(samples.weave(), row=row)
        assert (spectrum.survey, spectrum.format) == ("WEAVE", "WEAVE L1, blue")
        assert (spectrum.object_id, spectrum.row, spectrum.rows) == (f"target{row}", row, 3)
        assert (spectrum.ra, spectrum.dec, spectrum.snr) == (120.0 + row, 40.0 + row, 20.0 + row)
        assert spectrum.meta["CNAME"] == f"WVE_0000000{row}+1234567"
        np.testing.assert_allclose(spectrum.wavelength, air_to_vacuum(samples.LINEAR))
        good = spectrum.good
        expected = 1e-17 * samples.FLUX[good] * (row + 1)
        np.testing.assert_allclose(spectrum.flux[good], expected, rtol=1e-6)
        np.testing.assert_allclose(spectrum.ivar[good], 0.25e34, rtol=1e-5)
        # Dead pixels, and one that the instrument does not see.
        assert np.flatnonzero(~good).tolist() == [20, 21, 22, 60]
        assert given(samples.weave(), target=f"target{row}").row == row
        assert given(samples.weave(), target=f"WVE_0000000{row}+1234567").row == row


def test_the_width_of_arc_lines_gives_the_resolution(given: Given) -> None:
    assert given(samples.weave()).resolution == pytest.approx(4240.0 / 0.8, rel=1e-3)
    without = given(samples.weave(without=("FIBTABLE",), VPH="HighRes1"))
    assert (without.resolution, without.object_id) == (20_000, "object#0")


def test_one_object_a_green_arm_and_two_arms(given: Given) -> None:
    alone = given(samples.weave(("GREEN",), rows=1))
    assert (alone.rows, alone.format, alone.warnings) == (1, "WEAVE L1, green", ())
    both = given(samples.weave(("BLUE", "RED")), row=1)
    assert len(both) == 2 * samples.PIXELS
    assert np.diff(both.wavelength).max() > 1000


def test_a_fibre_on_the_sky_and_flux_without_calibration(given: Given) -> None:
    assert given(samples.weave(), row=2).warnings == ("this fibre was on the sky",)
    counts = given(samples.weave(without=("SENSFUNC",)))
    assert counts.warnings == ("its flux is not calibrated: it has no sensitivity function",)
    assert counts.flux_unit == "adu"
    np.testing.assert_allclose(counts.flux[0], samples.FLUX[0], rtol=1e-6)


def test_cubes_and_damaged_arms_are_refused(given: Given) -> None:
    cube = np.ones((60, 3, 4), dtype=np.float32)
    images = [fits.ImageHDU(cube, name=f"BLUE_{part}") for part in ("DATA", "IVAR", "SENSFUNC")]
    with pytest.raises(ReadError, match="a WEAVE cube"):
        given(samples.bytes_of(fits.PrimaryHDU(), *images))
    rows = [
        fits.ImageHDU(np.ones((3, size), dtype=np.float32), name=f"RED_{part}")
        for part, size in (("DATA", 60), ("IVAR", 59), ("SENSFUNC", 60))
    ]
    with pytest.raises(ReadError, match="RED_DATA and RED_IVAR differ in size"):
        given(samples.bytes_of(fits.PrimaryHDU(), *rows))
    rows[1] = fits.ImageHDU(np.ones((3, 60), dtype=np.float32), name="RED_IVAR")
    with pytest.raises(ReadError, match="RED_DATA gives no wavelengths"):
        given(samples.bytes_of(fits.PrimaryHDU(), *rows))


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
