import numpy as np
import pytest
from astropy import units
from astropy.coordinates import FK4, SkyCoord

from agent.errors import ReadError
from agent.spectra.fits.fits_header import Header
from agent.spectra.readers.coordinates import b1950_to_j2000, header_position, parse_sexagesimal
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

W, F = samples.WAVELENGTH, samples.FLUX
N = samples.PIXELS


@pytest.mark.parametrize("column", ["WAVE_VAC", "wavelength_air"])
def test_medium_in_the_column_name(given: Given, column: str) -> None:
    spectrum = given(samples.fits_table({column: ("D", W), "flux": ("E", F)}))
    assert spectrum.medium_in_file == ("vacuum" if "VAC" in column else "air")


def test_variance_and_mask(given: Given) -> None:
    columns = {
        "wave": ("D", W), "flux": ("E", F), "variance": ("E", np.full(N, 4.0)),
        "mask": ("L", samples.FLAGS > 0),
    }  # fmt: skip
    spectrum = given(samples.fits_table(columns))
    assert spectrum.ivar[0] == pytest.approx(0.25)
    assert spectrum.n_bad == 2


def test_useless_error_and_mask_columns_are_ignored_with_a_warning(given: Given) -> None:
    columns = {
        "wave": ("D", W), "flux": ("E", F), "err": ("E", np.zeros(N)), "mask": ("I", np.ones(N)),
    }  # fmt: skip
    spectrum = given(samples.fits_table(columns))
    assert spectrum.ivar is None
    assert spectrum.n_bad == 0
    assert any("gives no errors" in warning for warning in spectrum.warnings)
    assert any("masks everything" in warning for warning in spectrum.warnings)


def test_calspec_systematic_error_replaces_a_missing_one(given: Given) -> None:
    stat = np.where(np.arange(N) < 9, 0.0, 2.0)
    columns = {
        "WAVELENGTH": ("D", W), "FLUX": ("E", F * 1e-12), "STATERROR": ("E", stat),
        "SYSERROR": ("E", np.full(N, 4.0)), "DATAQUAL": ("I", np.ones(N)),
    }  # fmt: skip
    cards = {"MAPKEY": "calspec", "TARGETID": "HD205905"}
    spectrum = given(samples.fits_table(columns, cards, WAVELENGTH="ANGSTROMS", FLUX="FLAM"))
    assert (spectrum.survey, spectrum.object_id) == ("CALSPEC", "HD205905")
    assert spectrum.medium_in_file == "vacuum"
    assert spectrum.n_bad == 0, "DATAQUAL 1 means good"
    assert spectrum.ivar[0] == pytest.approx(1 / 16)
    assert spectrum.flux_unit == "FLAM"


def test_a_catalogue_is_refused_with_its_columns(given: Given) -> None:
    with pytest.raises(ReadError) as caught:
        given(samples.fits_table({"RA": ("D", W), "DEC": ("D", F)}))
    assert "no column is named like a wavelength (columns: RA, DEC)" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.reasons["FITS table"] in str(caught.value)
    assert {"LAMOST LRS", "SDSS", "DESI"} <= set(caught.value.reasons)


ARCSEC = 1 / 3600


@pytest.mark.parametrize("ra", [0.0, 14.3, 130.0, 266.4, 359.99])
@pytest.mark.parametrize("dec", [-89.0, -59.3, 0.0, 6.2, 47.0, 88.0])
def test_b1950_agrees_with_astropy(ra: float, dec: float) -> None:
    expected = SkyCoord(ra, dec, unit="deg", frame=FK4(equinox="B1950")).icrs
    found = SkyCoord(*b1950_to_j2000(ra, dec), unit="deg", frame="icrs")
    assert found.separation(expected) < 1.0 * units.arcsec


@pytest.mark.parametrize(("text", "value"), [
    ("00:57:13.0", 0 + 57 / 60 + 13 / 3600), ("+06 12 41", 6 + 12 / 60 + 41 / 3600),
    ("-00:30:00", -0.5), ("12h30m36s", 12.51), ("nonsense", None), ("12:30", None),
])  # fmt: skip
def test_sexagesimal(text: str, value: float | None) -> None:
    assert parse_sexagesimal(text) == (None if value is None else pytest.approx(value))


def header(**cards: object) -> Header:
    def body(value: object) -> str:
        return f"'{value}'" if isinstance(value, str) else str(value)

    return Header(b"".join(f"{k:8}= {body(v)}".encode().ljust(80) for k, v in cards.items()))


def test_positions_of_headers() -> None:
    assert header_position(header(RA=10.0, DEC=-5.0)) == {"ra": 10.0, "dec": -5.0}
    assert header_position(header(RA="01:00:00", DEC="-05:30:00")) == {"ra": 15.0, "dec": -5.5}
    assert header_position(header(RA=10.0)) == {}
    assert header_position(header(RA=10.0, DEC=-999.0)) == {}
    assert header_position(header(RA=400.0, DEC=0.0)) == {}
    moved = header_position(header(RA=10.0, DEC=-5.0, EQUINOX=1950.0))
    assert moved["ra"] == pytest.approx(10.634, abs=0.01)


@pytest.mark.parametrize(("name", "values", "unit"), [
    ("loglam", np.log10(W), None), ("LNLAM", np.log(W), None), ("lambda", W / 1e4, "um"),
    ("Wavelength_nm", W / 10, None), ("wave", W / 1e4, "micron"),
    ("wl", np.log10(W), "log10(Angstrom)"), ("wave", W / 1e10, "m"),
])  # fmt: skip
def test_names_and_units(given: Given, name: str, values: np.ndarray, unit: str | None) -> None:
    units = {name: unit} if unit else {}
    spectrum = given(samples.fits_table({name: ("D", values), "flux": ("E", F)}, None, **units))
    np.testing.assert_allclose(spectrum.wavelength, W, rtol=1e-9)


@pytest.mark.parametrize(
    ("unit", "scale"), [("nm", 10.0), ("um", 1e4), ("m", 1e10), ("Angstrom", 1.0)]
)
def test_units(given: Given, unit: str, scale: float) -> None:
    data = samples.image_1d(CRVAL1=4000.0 / scale, CDELT1=2.0 / scale, CUNIT1=unit)
    np.testing.assert_allclose(given(data).wavelength, samples.LINEAR)


def test_a_guessed_unit_is_a_warning(given: Given) -> None:
    for scale, word in ((10.0, "nanometre"), (1e4, "micrometre")):
        spectrum = given(samples.text((W / scale, F)), "a.dat")
        np.testing.assert_allclose(spectrum.wavelength, W, atol=0.02)
        assert any(word in warning for warning in spectrum.warnings)


def test_columns_of_scalars_of_vectors_and_of_variable_length(given: Given) -> None:
    columns = {"wavelength": ("D", W), "flux": ("E", F), "ivar": ("E", samples.IVAR)}
    spectrum = given(samples.fits_table(columns, {"SURVEY": "CFLIB", "WAVEMED": "vacuum"}))
    np.testing.assert_allclose(spectrum.wavelength, W)
    assert (spectrum.survey, spectrum.medium_in_file) == ("CFLIB", "vacuum")
    assert spectrum.n_bad == 3
    assert not spectrum.warnings
    form = f"{N}D"
    one = samples.fits_table({"WAVE": (form, W[None]), "FLUX": (form, F[None])})
    assert len(given(one)) == N
    two = samples.fits_table({"WAVE": (form, np.array([W, W])), "FLUX": (form, np.array([F, -F]))})
    assert given(two, row=1).flux[0] == -F[0]
    with pytest.raises(ReadError, match="rows 0 to 1"):
        given(two, row=2)
    cells, fluxes = np.empty(1, dtype=object), np.empty(1, dtype=object)
    cells[0], fluxes[0] = W, F
    spectrum = given(samples.fits_table({"WAVE": ("PD()", cells), "FLUX": ("QD()", fluxes)}))
    np.testing.assert_allclose(spectrum.wavelength, W)
    np.testing.assert_allclose(spectrum.flux, F)
