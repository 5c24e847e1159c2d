import numpy as np
import pytest

from agent.errors import ReadError
from agent.spectra.readers.image_1d import is_wavelengths
from tests.agent.spectra.conftest import Given
from tests.agent.spectra.readers import samples

LINEAR = samples.LINEAR
LOG = samples.WAVELENGTH


def test_linear_axes_by_any_of_their_cards(given: Given) -> None:
    spectrum = given(samples.image_1d(CRVAL1=4000.0, CDELT1=2.0, OBJECT="HD 1", BUNIT="Jy"))
    np.testing.assert_allclose(spectrum.wavelength, LINEAR)
    assert (spectrum.object_id, spectrum.flux_unit) == ("HD 1", "Jy")
    assert spectrum.medium_in_file == "unknown"
    assert "does not say air or vacuum" in spectrum.warnings[0]
    spectrum = given(samples.image_1d(CRVAL1=4020.0, CRPIX1=11, CD1_1=2.0, CDELT1=1.0))
    np.testing.assert_allclose(spectrum.wavelength, LINEAR)
    spectrum = given(samples.image_1d(CRVAL1=4020.0, CRPIX1=11, PC1_1=4.0, CDELT1=0.5))
    np.testing.assert_allclose(spectrum.wavelength, LINEAR)


@pytest.mark.parametrize("cards", [
    {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "DC-FLAG": 1, "CTYPE1": "LINEAR"},
    {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "CTYPE1": "WAVE-LOG"},
    {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP, "CTYPE1": "LOGLAM"},
    {"CRVAL1": samples.FIRST, "CDELT1": samples.STEP},
    {
        "CRVAL1": samples.FIRST * np.log(10), "CDELT1": samples.STEP * np.log(10),
        "CTYPE1": "WAVE-LN",
    },
    {
        "CRVAL1": LOG[0], "CDELT1": LOG[0] * samples.STEP * np.log(10), "CTYPE1": "WAVE-LOG",
        "CUNIT1": "Angstrom",
    },
], ids=["dc-flag", "mastar", "loglam", "unnamed", "ln", "standard WAVE-LOG"])  # fmt: skip
def test_logarithmic_axes(given: Given, cards: dict[str, object]) -> None:
    np.testing.assert_allclose(given(samples.image_1d(**cards)).wavelength, LOG, rtol=1e-12)


def test_extensions_give_errors_and_mask(given: Given) -> None:
    cards = {"CRVAL1": 4000.0, "CDELT1": 2.0}
    ivar = given(samples.image_1d(extensions={"IVAR": samples.IVAR}, **cards))
    np.testing.assert_array_equal(ivar.ivar, samples.IVAR)
    beside = {"ERR": np.full(samples.PIXELS, 2.0), "MASK": samples.FLAGS}
    sigma = given(samples.image_1d(extensions=beside, **cards))
    np.testing.assert_array_equal(sigma.ivar, np.full(samples.PIXELS, 0.25))
    assert sigma.n_bad == 2
    assert given(samples.image_1d(extensions={"IVAR": [1.0, 2.0]}, **cards)).ivar is None


def test_rows_of_an_image(given: Given) -> None:
    data = samples.image_1d(np.array([samples.FLUX, samples.FLUX * 2]), CRVAL1=4000.0, CDELT1=2.0)
    assert given(data, row=1).flux[0] == 2 * samples.FLUX[0]
    assert given(data, row=1).rows == 2


@pytest.mark.parametrize(("cards", "reason"), [
    ({}, "gives no wavelengths"),
    ({"CRVAL1": 10.0, "CDELT1": 1.0, "CTYPE1": "RA---TAN"}, "not a wavelength"),
    ({"CRVAL1": 1.0, "CDELT1": 1.0, "CUNIT1": "GHz"}, "in GHz"),
    ({"CRVAL1": 3.6, "CDELT1": 1.0, "DC-FLAG": 1}, "logarithms up to"),
])  # fmt: skip
def test_images_that_are_no_spectra(given: Given, cards: dict[str, object], reason: str) -> None:
    with pytest.raises(ReadError, match=reason):
        given(samples.image_1d(**cards))


KAST = {"CTYPE1": "-999", "CTYPE2": "-999", "CRVAL1": 347.25, "CRVAL2": 30.1, "CRPIX1": 1.0}
KAST |= {"CD1_1": 1e-3, "RA": "23:09:00.0", "DEC": "+30:06:00.0", "OBJECT": "SN2023x"}


def kast(rng: np.random.Generator, rows: str = "wfe", **cards: object) -> bytes:
    """A reduced Kast spectrum: the rows are wavelength, flux and error, the axes the sky."""
    wavelength = 3472.0 + np.cumsum(1.0 + 0.1 * np.linspace(0, 1, 2000) ** 2)
    error = 1e-16 * (1.0 + np.linspace(0, 1, 2000))
    flux = 3e-15 + rng.normal(0, error)
    made = {"w": wavelength, "f": flux, "e": error, "m": flux * wavelength**2 / 3e18}
    return samples.image_1d(np.array([made[each] for each in rows]), **(KAST | cards))


def test_rows_of_wavelength_flux_and_error_in_any_order(
    given: Given, rng: np.random.Generator
) -> None:
    spectrum = given(kast(rng))
    assert spectrum.range == pytest.approx((3473.0, 5539.0), abs=1.0)
    assert np.median(spectrum.flux) == pytest.approx(3e-15, rel=0.01)
    assert spectrum.ivar[0] == pytest.approx(1e32, rel=1e-5)
    assert (spectrum.ra, spectrum.dec) == pytest.approx((347.25, 30.1))
    assert "row 0 of the image was taken as wavelengths" in spectrum.warnings[0]
    assert spectrum.rows == 1
    assert given(kast(rng, "fw")).range[0] == pytest.approx(3473.0, abs=1.0)
    millijansky = given(kast(rng, "wfm"))
    assert millijansky.ivar is None
    for axis in ({}, {"DC-FLAG": 0}, {"CTYPE1": ""}, {"CTYPE1": "RA---TAN"}, {"CTYPE1": "PIXEL"}):
        assert given(kast(rng, **axis)).range[0] == pytest.approx(3473.0, abs=1.0)


@pytest.mark.parametrize(("cards", "reason"), [
    ({}, "its first axis is -999, not a wavelength"),
    ({"CTYPE1": ""}, "CRVAL1 is its right ascension"),
    ({"CTYPE1": "", "RA": "", "CD1_1": 5e-5}, "steps of .* which no spectrum has"),
    ({"CTYPE1": "MULTISPE"}, "its first axis is MULTISPE"),
    ({"CTYPE1": "", "CUNIT1": "deg"}, "its first axis is in deg"),
    ({"CTYPE1": "", "CUNIT1": "pixel", "CRVAL1": 1.5}, "its first axis is in pixel"),
    ({"CTYPE1": "WAVE-TAB"}, "whose wavelengths are not in the header"),
    ({"CTYPE1": "", "CRVAL1": 1.0, "CD1_1": 1.0}, "counts pixels"),
    ({"CTYPE1": "WAVE", "CUNIT1": "m", "CRVAL1": 3600.0, "CD1_1": 1.0}, "so name its unit"),
])  # fmt: skip
def test_axes_that_are_not_wavelengths_are_refused_with_the_reason(
    given: Given, rng: np.random.Generator, cards: dict[str, object], reason: str
) -> None:
    with pytest.raises(ReadError, match=reason):
        given(kast(rng, "fe", **cards))


@pytest.mark.parametrize("row", [
    np.linspace(3500.0, 9000.0, 300),
    np.linspace(9000.0, 3500.0, 300),
    10 ** np.linspace(3.5, 4.0, 300),
    np.concatenate([np.linspace(3500.0, 5500.0, 200), np.linspace(6600.0, 9000.0, 300)]),
], ids=["linear", "falling", "log", "two arms"])  # fmt: skip
def test_wavelengths(row: np.ndarray) -> None:
    assert is_wavelengths(row)


@pytest.mark.parametrize("row", [
    np.arange(300.0),
    np.linspace(0.3, 0.9, 300),
    np.full(300, 5000.0),
    5000.0 + np.cumsum(np.random.default_rng(3).exponential(1.0, 300) ** 2),
    5000.0 + np.random.default_rng(3).normal(0, 50, 300),
    np.append(np.linspace(3500.0, 9000.0, 299), np.nan),
    np.linspace(3500.0, 9e6, 300),
], ids=["pixels", "micron", "constant", "uneven", "flux", "not finite", "beyond"])  # fmt: skip
def test_other_rows(row: np.ndarray) -> None:
    assert not is_wavelengths(row)
