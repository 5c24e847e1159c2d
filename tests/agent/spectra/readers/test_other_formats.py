import numpy as np
import pytest
from astropy.io import fits

from agent.errors import ReadError
from agent.spectra.air import air_to_vacuum
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples


def without_wavelengths() -> bytes:
    hdu = fits.PrimaryHDU(np.array([samples.FLUX, samples.FLUX, samples.FLUX], dtype=np.float32))
    return samples.bytes_of(hdu)


def apvisit(image: type[fits.ImageHDU | fits.CompImageHDU] = fits.ImageHDU) -> bytes:
    """APOGEE apVisit: flux, error, mask and wavelength in HDUs 1 to 4, three chips each."""
    wave = np.linspace(16900, 15100, 300).reshape(3, 100)
    hdus = [fits.PrimaryHDU()]
    hdus[0].header["SURVEY"] = "apogee"
    hdus[0].header["TELESCOP"] = "apo25m"
    hdus[0].header["HISTORY"] = "APOGEE reduction"
    parts = {"Flux": 5.0, "Flux error": 2.0, "Mask": 0.0, "Wavelength": wave}
    for unit, values in parts.items():
        hdu = image(np.broadcast_to(values, (3, 100)).astype(np.float64))
        hdu.header["BUNIT"] = unit
        hdus.append(hdu)
    return samples.bytes_of(*hdus)


def test_specutils_reads_what_ours_do_not(given: Given) -> None:
    pytest.importorskip("specutils")
    spectrum = given(apvisit(), "apVisit-r12-1.fits")
    assert spectrum.warnings[0].startswith("read by specutils as ")
    assert len(spectrum) == 300
    assert spectrum.wavelength[0] == pytest.approx(15100)


def test_pixel_numbers_are_not_wavelengths(given: Given) -> None:
    with pytest.raises(ReadError) as caught:
        given(without_wavelengths())
    assert "gives no wavelengths" in str(caught.value)


def test_without_specutils_the_refusal_names_it(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ReadError) as caught:
        given(without_wavelengths())
    assert "not installed" in caught.value.reasons["specutils"]


def test_structure_is_checked_before_specutils_sees_the_file(
    given: Given, monkeypatch: pytest.MonkeyPatch
) -> None:
    def must_not(*_: object) -> None:
        raise AssertionError("a damaged file reached specutils")

    monkeypatch.setattr("agent.spectra.readers.other_formats._loaded", must_not)
    with pytest.raises(ReadError) as caught:
        given(apvisit()[:-2000], "apVisit-r12-1.fits")
    assert "cut short" in caught.value.reasons["specutils"]


def test_packed_images_never_reach_native_code(given: Given) -> None:
    """Their packed tiles, and the sizes that they unpack to, are not checked."""
    pytest.importorskip("specutils")
    with pytest.raises(ReadError) as caught:
        given(apvisit(fits.CompImageHDU), "apVisit-r12-1.fits")
    assert "unpack them first" in caught.value.reasons["specutils"]


def with_yaml_in_comments() -> bytes:
    """A table whose header would be read as YAML that merges itself, 2 to the power of 24 times."""
    columns = [
        fits.Column(name="foo", format="D", array=samples.LINEAR, unit="Angstrom"),
        fits.Column(name="bar", format="D", array=samples.FLUX, unit="erg / (s cm2 AA)"),
    ]
    hdu = fits.BinTableHDU.from_columns(columns)
    merged = [f"- &m{n} {{<<: [*m{n - 1}, *m{n - 1}], name: b}}" for n in range(1, 24)]
    lines = ["datatype:", "- &m0 {name: foo}", *merged, "meta: {__serialized_columns__: {}}"]
    marks = ("--BEGIN-ASTROPY-SERIALIZED-COLUMNS--", "--END-ASTROPY-SERIALIZED-COLUMNS--")
    for line in (marks[0], *lines, marks[1]):
        hdu.header.add_comment(line)
    return samples.bytes_of(fits.PrimaryHDU(), hdu)


def test_a_size_given_twice_never_reaches_specutils(given: Given) -> None:
    """Without the END of its first header, astropy took the second NAXIS, and sixty seconds."""
    data = bytearray(apvisit())
    end = data.index(b"END" + b" " * 77)
    data[end : end + 80] = b"CTYPE1  = 'RA---TAN'".ljust(80)
    at = data.index(b"NAXIS   =", end)
    data[at : at + 80] = b"NAXIS   =         999999999999".ljust(80)
    with pytest.raises(ReadError) as caught:
        given(bytes(data), "apVisit-r12-1.fits")
    assert caught.value.reasons["specutils"] == "its header gives a size twice"


def test_another_beginning_after_the_end_never_reaches_specutils(given: Given) -> None:
    pytest.importorskip("specutils")
    data = samples.fits_table({"TIME": ("E", [1.0])})
    cards = ("SIMPLE  =                    T", f"NAXIS   = {2**62:>20d}", "END")
    with pytest.raises(ReadError) as caught:
        given(data + b"".join(map(samples.card, cards)).ljust(2880))
    assert caught.value.reasons["specutils"].startswith("bytes follow its last HDU")


def test_yaml_in_a_header_never_reaches_specutils(given: Given) -> None:
    pytest.importorskip("specutils")
    with pytest.raises(ReadError) as caught:
        given(with_yaml_in_comments())
    assert "columns described in YAML" in caught.value.reasons["specutils"]


W, F = samples.WAVELENGTH, samples.FLUX
N = samples.PIXELS
LINEAR = samples.LINEAR


def test_miles_is_air(given: Given) -> None:
    miles = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, TPLLIB="MILES"))
    assert (miles.survey, miles.medium_in_file) == ("MILES", "air")


@pytest.mark.parametrize(("ra", "dec", "within"), [
    (0.24965481, 0.10840919, 0.002), ("00:57:13.0", "+06:12:41", 0.01),
])  # fmt: skip
def test_stelib_is_air_with_coordinates_of_b1950_in_radians_or_as_text(
    given: Given, ra: object, dec: object, within: float
) -> None:
    about = {"STARIDEN": "HD005820", "EQUINOX": "B1950.0", "SPECTYPE": "M2III"}
    stelib = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, RA=ra, DEC=dec, **about))
    assert (stelib.survey, stelib.medium_in_file) == ("STELIB", "air")
    assert (stelib.ra, stelib.dec) == pytest.approx((14.953, 6.481), abs=within)
    assert stelib.subclass == "M2III"


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
    assert spectrum.ivar[0] == 0.25


def test_names_of_survey_files_give_medium_and_object(given: Given) -> None:
    spectrum = given(samples.text(), "spec-0343-51692-0198-catB.dat")
    assert (spectrum.survey, spectrum.object_id) == ("SDSS", "0343-51692-0198")
    assert spectrum.medium_in_file == "vacuum"
    assert given(samples.text(), "other.dat").medium_in_file == "unknown"
