import numpy as np
import pytest
from astropy.io import fits

from agent.errors import ReadError
from agent.spectra.air import air_to_vacuum
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


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
