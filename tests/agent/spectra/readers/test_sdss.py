import numpy as np
import pytest

from agent.errors import ReadError
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("names", [False, True])
def test_tables_are_found_by_position_and_columns_in_any_case(
    given: Given, upper: bool, names: bool
) -> None:
    spectrum = given(samples.sdss(upper, names))
    assert (spectrum.survey, spectrum.object_id) == ("SDSS", "0266-51602-0031")
    assert (spectrum.class_name, spectrum.subclass) == ("GALAXY", "STARFORMING")
    assert spectrum.z == pytest.approx(0.0020578515)
    assert (spectrum.snr, spectrum.release) == (7.25, "v5_13_0")
    np.testing.assert_allclose(spectrum.wavelength, samples.WAVELENGTH, rtol=1e-6)


def test_position_is_that_of_the_object_and_bright_sky_alone_masks_nothing(given: Given) -> None:
    spectrum = given(samples.sdss())
    assert (spectrum.ra, spectrum.dec) == (147.32107, -0.0065757249)
    moved = given(samples.sdss(PLUG_RA=10.0, PLUG_DEC=20.0))
    assert (moved.ra, moved.dec) == (10.0, 20.0)
    assert spectrum.good[50]
    assert not spectrum.good[60], "NODATA"
    assert not spectrum.good[20:23].any(), "ivar 0"


def test_lite_and_full_are_distinguished(given: Given) -> None:
    assert given(samples.sdss()).format.endswith("lite")
    assert given(samples.sdss(exposures=2)).format.endswith("full")


@pytest.mark.parametrize("vacuum", [True, "T"])
def test_vacuum_flag_may_be_text(given: Given, vacuum: object) -> None:
    assert given(samples.sdss(VACUUM=vacuum)).medium_in_file == "vacuum"


def test_sdss_without_its_columns_is_refused(given: Given) -> None:
    data = samples.sdss().replace(b"'loglam  '", b"'lgolam  '")
    with pytest.raises(ReadError, match="COADD table has no flux and loglam"):
        given(data)


def test_sdss_v_names_field_and_catalogue(given: Given) -> None:
    loglam, ones = samples.LOGLAM, np.ones(samples.PIXELS)
    data = samples.bytes_of(
        samples.with_cards(samples.fits.PrimaryHDU(), {"RA": 1.0, "DEC": 2.0}),
        samples.table_hdu({"LOGLAM": ("E", loglam), "FLUX": ("E", ones), "IVAR": ("E", ones)}),
        samples.table_hdu(
            {
                "FIELD": ("K", [15000]), "MJD": ("K", [59146]), "CATALOGID": ("K", [4375900000]),
                "RACAT": ("D", [30.5]), "DECCAT": ("D", [-5.25]), "CLASS": ("4A", ["STAR"]),
            }
        ),
    )  # fmt: skip
    spectrum = given(data)
    assert spectrum.object_id == "015000-59146-4375900000"
    assert (spectrum.ra, spectrum.dec) == (30.5, -5.25)
    assert spectrum.format.startswith("SDSS-V")


def test_a_template_with_its_columns_is_not_taken_for_sdss(given: Given) -> None:
    flux = samples.FLUX / 100
    columns = {
        "LogLam": ("E", samples.LOGLAM),
        "Flux": ("E", flux),
        "PropErr": ("E", np.full(samples.PIXELS, 0.02)),
        "Std": ("E", np.full(samples.PIXELS, 0.5)),
    }
    spectrum = given(samples.fits_table(columns))
    assert (spectrum.survey, spectrum.flux_unit, spectrum.format) == ("", "", "FITS table")
    np.testing.assert_allclose(spectrum.wavelength, samples.WAVELENGTH, rtol=1e-6)
    assert spectrum.ivar[0] == pytest.approx(2500.0)


def test_neither_a_catalogue_nor_a_telescope_alone_makes_it_sdss(given: Given) -> None:
    columns = {"loglam": samples.LOGLAM, "flux": samples.FLUX, "ivar": samples.IVAR}
    table = samples.table_hdu({name: ("E", values) for name, values in columns.items()})
    classes = samples.table_hdu({"CLASS": ("6A", ["STAR"])})
    primary = samples.with_cards(samples.fits.PrimaryHDU(), {"TELESCOP": "SDSS 2.5-M"})
    assert given(samples.bytes_of(primary, table, classes)).format == "FITS table"


def test_the_place_of_a_plate_is_never_that_of_the_object(given: Given) -> None:
    data = samples.sdss().replace(b"'ivar    '", b"'other   '")
    spectrum = given(data.replace(b"'COADD   '", b"'OTHER   '"))
    assert spectrum.format == "FITS table"
    assert spectrum.ra is None


def test_spspec_third_row_is_sigma_and_wavelengths_are_needed(given: Given) -> None:
    spectrum = given(samples.spspec())
    assert spectrum.ivar is not None
    np.testing.assert_allclose(spectrum.ivar, samples.IVAR, rtol=1e-6)
    assert (spectrum.ra, spectrum.dec) == (149.46417, 10.976277)
    assert spectrum.object_id == "1307-52999-0323"
    assert (spectrum.class_name, spectrum.snr) == ("GALAXY", 13.0)
    assert spectrum.wavelength[0] == pytest.approx(10**samples.FIRST)
    with pytest.raises(ReadError, match="spSpec file without COEFF0 and COEFF1"):
        given(samples.spspec(COEFF1=0.0))
