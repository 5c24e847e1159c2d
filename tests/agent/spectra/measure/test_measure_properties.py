"""Properties for every spectrum: invariance to scale and Doppler shift, and no exceptions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from agent.evidence.star_velocity import velocity_from_lines
from agent.spectra.lines import Line
from agent.spectra.measure.continuum import power_law_index, pseudo_continuum
from agent.spectra.measure.features import feature_names, feature_vector
from agent.spectra.measure.indices import measure_indices
from agent.spectra.measure.line_measure import equivalent_width, measure_line
from agent.spectra.measure.measurement import Measurement
from agent.spectra.measure.noise import quality, signal_to_noise
from agent.spectra.measure.window_measure import measure_window
from agent.spectra.pixel_grid import LIGHT_KMS
from agent.spectra.smoothing import smooth_gaussian
from agent.spectra.spectrum import Spectrum
from tests.agent.spectra.measure.known_lines import BROAD, WAVELENGTH, WIDE, gaussian, observed
from tests.night import examples

LINES = [BROAD, WIDE, gaussian("Na", "NaI_D", 5894.0, 9.0, -0.5)]
FEW = settings(max_examples=examples(25), deadline=None, derandomize=True)
MANY = settings(max_examples=examples(60), deadline=None, derandomize=True)
ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True, width=64)


def example(seed: int = 5) -> Spectrum:
    return observed(LINES, 25.0, np.random.default_rng(seed), (WAVELENGTH / 6000.0) ** -1.3)


def same(first: Measurement, second: Measurement, scale: float = 1.0) -> bool:
    if first.value is None or second.value is None:
        return first.value is None and second.value is None
    room = 1e-6 * max(1.0, abs(first.value) * scale)
    return math.isclose(first.value * scale, second.value, rel_tol=1e-6, abs_tol=room)


@FEW
@given(exponent=st.floats(-200.0, 200.0))
def test_indices_do_not_depend_on_the_flux_unit(exponent: float) -> None:
    before = example()
    factor = 10.0**exponent
    after = Spectrum(wavelength=WAVELENGTH, flux=before.flux * factor, ivar=None, survey="LAMOST")
    plain = Spectrum(wavelength=WAVELENGTH, flux=before.flux, survey="LAMOST")
    found, expected = measure_indices(after), measure_indices(plain)
    assert [name for name in expected if not same(expected[name], found[name])] == []
    line, other = measure_line(plain, "H_alpha"), measure_line(after, "H_alpha")
    assert other.ew == pytest.approx(line.ew, rel=1e-6)
    assert other.fwhm == pytest.approx(line.fwhm, rel=1e-6)
    assert same(signal_to_noise(plain), signal_to_noise(after))


@FEW
@given(velocity=st.floats(-900.0, 900.0))
def test_a_moving_star_has_the_same_lines(velocity: float) -> None:
    rest = example()
    factor = 1.0 + velocity / LIGHT_KMS
    moving, still = (
        Spectrum(wavelength=wavelength, flux=rest.flux, ivar=rest.ivar, resolution=1800.0)
        for wavelength in (WAVELENGTH * factor, WAVELENGTH)
    )
    found, expected = measure_indices(moving, velocity), measure_indices(still)
    # Windows left out for a sky line stay where they are, and so does what they leave.
    assert [n for n in expected if n != "aTiO" and not same(expected[n], found[n])] == []
    line, other = measure_line(still, "H_alpha"), measure_line(moving, "H_alpha", velocity)
    assert other.ew == pytest.approx(line.ew, rel=1e-5)
    assert other.fwhm_kms == pytest.approx(line.fwhm_kms, rel=1e-5)
    assert line.velocity_kms is not None and other.velocity_kms is not None
    added = (1 + line.velocity_kms / LIGHT_KMS) * factor - 1
    assert other.velocity_kms == pytest.approx(added * LIGHT_KMS, abs=0.1)


@st.composite
def hostile_spectra(draw: st.DrawFn) -> Spectrum:
    size = draw(st.integers(2, 300))
    start = draw(st.floats(10.0, 1e5))
    step = draw(st.floats(1e-3, 100.0))
    irregular = draw(st.booleans())
    flux = draw(hnp.arrays(np.float64, size, elements=ANY_FLOAT, fill=ANY_FLOAT))
    ivar = draw(st.none() | hnp.arrays(np.float64, size, elements=ANY_FLOAT, fill=ANY_FLOAT))
    mask = draw(st.none() | hnp.arrays(np.bool_, size, fill=st.booleans()))
    wavelength = start + step * np.arange(size)
    if irregular:
        wavelength[size // 2 :] += 500.0
    resolution = draw(st.none() | ANY_FLOAT)
    survey = draw(st.sampled_from(["", "LAMOST", "SDSS", "DESI"]))
    return Spectrum(
        wavelength=wavelength, flux=flux, ivar=ivar, mask=mask, resolution=resolution, survey=survey
    )


@st.composite
def spoiled_spectra(draw: st.DrawFn) -> Spectrum:
    """A good spectrum with wild values here and there: it gets further than noise."""
    whole = example(draw(st.integers(0, 5)))
    flux, ivar = np.array(whole.flux), np.array(whole.ivar)
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, flux.size - 1))
        upto = at + draw(st.integers(1, 400))
        flux[at:upto] = draw(st.sampled_from([0.0, -1.0, np.nan, np.inf, 1e308, -1e308, 1e-300]))
        ivar[at:upto] = draw(st.sampled_from([0.0, np.nan, -1.0, 1e300, 1e-300, 1.0]))
    has_errors = draw(st.booleans())
    return Spectrum(
        wavelength=WAVELENGTH, flux=flux, ivar=ivar if has_errors else None, survey="LAMOST"
    )


def measure_everything(spectrum: Spectrum, velocity: float, lo: float, hi: float) -> None:
    vector = feature_vector(spectrum, velocity)
    assert tuple(vector) == feature_names()
    assert not any(math.isinf(value) for value in vector.values())
    for item in measure_indices(spectrum, velocity).values():
        assert (item.value is None) == bool(item.reason)
    for name in ("H_alpha", "CaII_K", "OI_5577"):
        line = measure_line(spectrum, name, velocity)
        assert line.ew is not None or line.reason
    at_rest = Line("x", "x", lo, window=(lo, hi))
    for item in (
        *([equivalent_width(spectrum, at_rest)] if lo < hi else []),
        signal_to_noise(spectrum, lo, hi),
        power_law_index(spectrum, 4000.0, 8200.0),
        velocity_from_lines(spectrum),
    ):
        assert (item.value is None) == bool(item.reason)
    measure_window(spectrum, lo, hi, velocity)
    quality(spectrum)
    assert pseudo_continuum(spectrum).shape == spectrum.flux.shape
    assert smooth_gaussian(spectrum.flux, spectrum.good, 4.0).shape == spectrum.flux.shape


@MANY
@given(spectrum=hostile_spectra(), velocity=ANY_FLOAT, lo=ANY_FLOAT, hi=ANY_FLOAT)
def test_nothing_raises_on_noise(spectrum: Spectrum, velocity: float, lo: float, hi: float) -> None:
    measure_everything(spectrum, velocity, lo, hi)


@FEW
@given(
    spectrum=spoiled_spectra(), velocity=st.floats(-2000.0, 2000.0), lo=st.floats(3000.0, 9500.0),
    width=st.floats(0.1, 3000.0),
)  # fmt: skip
def test_nothing_raises_on_spoiled_spectra(
    spectrum: Spectrum, velocity: float, lo: float, width: float
) -> None:
    measure_everything(spectrum, velocity, lo, lo + width)
