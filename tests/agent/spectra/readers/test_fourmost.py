import numpy as np
import pytest

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
