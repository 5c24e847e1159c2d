import numpy as np
import pytest

from agent.spectra.air import air_to_vacuum
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX
N = samples.PIXELS
LINEAR = samples.LINEAR


def test_miles_is_air_and_stelib_has_b1950_radians(given: Given) -> None:
    miles = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, TPLLIB="MILES"))
    assert (miles.survey, miles.medium_in_file) == ("MILES", "air")
    stelib = given(
        samples.image_1d(
            CRVAL1=4000.0, CDELT1=2.0, STARIDEN="HD005820", RA=0.24965481, DEC=0.10840919,
            EQUINOX="B1950.0", SPECTYPE="M2III",
        )
    )  # fmt: skip
    assert (stelib.survey, stelib.medium_in_file) == ("STELIB", "air")
    assert stelib.ra == pytest.approx(14.953, abs=0.002)
    assert stelib.dec == pytest.approx(6.481, abs=0.002)
    assert stelib.subclass == "M2III"


def test_stelib_coordinates_as_text(given: Given) -> None:
    spectrum = given(
        samples.image_1d(
            CRVAL1=4000.0, CDELT1=2.0, STARIDEN="HD005820", RA="00:57:13.0", DEC="+06:12:41",
            EQUINOX="B1950.0",
        )
    )  # fmt: skip
    assert spectrum.ra == pytest.approx(14.953, abs=0.01)
    assert spectrum.dec == pytest.approx(6.481, abs=0.01)


@pytest.mark.parametrize(
    "cards", [{"CTYPE1": "AWAV"}, {"WAVEMED": "air"}, {"VACUUM": False}, {"AIRORVAC": "air"}]
)
def test_air_is_converted(given: Given, cards: dict[str, object]) -> None:
    spectrum = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, **cards))
    assert spectrum.medium_in_file == "air"
    np.testing.assert_allclose(spectrum.wavelength, air_to_vacuum(LINEAR))
    assert not spectrum.warnings


def test_xsl_is_nanometre_in_air(given: Given) -> None:
    columns = {"WAVE": ("D", W / 10), "FLUX": ("E", F), "ERR": ("E", np.full(N, 2.0))}
    cards = {"XSL_ID": "X0360", "SNR": 20.68, "RA": 215.4, "DEC": 0.78, "SPEC_RES": 9994.6}
    spectrum = given(samples.fits_table(columns, cards, WAVE="nm"))
    np.testing.assert_allclose(spectrum.wavelength, air_to_vacuum(W))
    assert (spectrum.survey, spectrum.snr, spectrum.resolution) == ("XSL", 20.68, 9994.6)
    assert spectrum.ivar is not None
    assert spectrum.ivar[0] == 0.25


def test_names_of_survey_files_give_medium_and_object(given: Given) -> None:
    spectrum = given(samples.text(), "spec-0343-51692-0198-catB.dat")
    assert (spectrum.survey, spectrum.object_id) == ("SDSS", "0343-51692-0198")
    assert spectrum.medium_in_file == "vacuum"
    assert given(samples.text(), "other.dat").medium_in_file == "unknown"
