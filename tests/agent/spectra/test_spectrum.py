import copy
import dataclasses
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra import numpy as arrays

from agent.errors import SpectrumError, WorkbenchError
from agent.spectra.gaps import gap_starts
from agent.spectra.instrument import arm_join, lsf_fwhm, resolution_at, unsafe_regions
from agent.spectra.spectrum import Spectrum, frame_z

WAVELENGTH = np.linspace(4000.0, 5000.0, 11)
FLUX = np.arange(11.0)


def made(**changed: Any) -> Spectrum:
    return Spectrum(**({"wavelength": WAVELENGTH, "flux": FLUX} | changed))


def test_good_pixels_are_finite_unmasked_and_weighted() -> None:
    flux = FLUX.copy()
    flux[0] = np.nan
    flux[1] = -5.0
    ivar = np.ones(11)
    ivar[2], ivar[3], ivar[4] = 0.0, -1.0, np.inf
    mask = np.zeros(11, dtype=bool)
    mask[5] = True
    spectrum = made(flux=flux, ivar=ivar, mask=mask)
    assert not spectrum.good[[0, 2, 3, 4, 5]].any()
    assert spectrum.good[1], "negative flux is a measurement"
    assert spectrum.n_bad == 5


def test_without_errors_finite_flux_is_enough_and_sigma_is_known_where_they_are() -> None:
    assert made().n_bad == 0
    assert made().sigma is None
    sigma = made(ivar=np.full(11, 0.25)).sigma
    assert sigma is not None
    np.testing.assert_array_equal(sigma, np.full(11, 2.0))
    without = made(ivar=np.zeros(11)).sigma
    assert without is not None
    assert np.isinf(without).all()
    assert made().range == (4000.0, 5000.0)
    assert len(made()) == 11
    spectrum = made(wavelength=WAVELENGTH.astype(">f4"), flux=FLUX.astype(">f4"))
    assert spectrum.wavelength.dtype == np.dtype("=f8")


def test_nothing_can_be_changed_from_outside() -> None:
    flux = FLUX.copy()
    spectrum = made(flux=flux, ivar=np.ones(11), meta={"KEY": 1})
    flux[0] = 99.0
    assert spectrum.flux[0] == 0.0
    for values in (spectrum.wavelength, spectrum.flux, spectrum.ivar, spectrum.good):
        assert values is not None
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1.0
    with pytest.raises(FrozenInstanceError):
        spectrum.flux = flux  # type: ignore[misc]
    with pytest.raises(TypeError):
        spectrum.meta["KEY"] = 2  # type: ignore[index]


def test_a_copy_for_another_process_is_the_same_and_as_safe() -> None:
    spectrum = made(ivar=np.ones(11), meta={"KEY": 1}, z=0.1, path="a.fits", warnings=("odd",))
    again = copy.copy(spectrum)
    assert again is not spectrum
    for each in dataclasses.fields(Spectrum):
        one, other = getattr(spectrum, each.name), getattr(again, each.name)
        np.testing.assert_array_equal(one, other)
    assert not again.flux.flags.writeable
    with pytest.raises(TypeError):
        again.meta["KEY"] = 2  # type: ignore[index]


@pytest.mark.parametrize("changed", [
    {"wavelength": WAVELENGTH[::-1]},
    {"wavelength": np.zeros(11)},
    {"wavelength": WAVELENGTH - 4000},
    {"wavelength": np.where(FLUX == 4, np.nan, WAVELENGTH)},
    {"wavelength": WAVELENGTH[:9]},
    {"wavelength": WAVELENGTH.reshape(1, 11), "flux": FLUX.reshape(1, 11)},
    {"wavelength": WAVELENGTH[:1], "flux": FLUX[:1]},
    {"ivar": np.ones(10)},
    {"mask": np.zeros(12, dtype=bool)},
])  # fmt: skip
def test_what_is_no_spectrum_is_our_own_error(changed: dict[str, Any]) -> None:
    with pytest.raises(SpectrumError) as caught:
        made(**changed)
    assert isinstance(caught.value, WorkbenchError)


NUMBERS = arrays.arrays(np.float64, 11, elements=some.floats(width=64))


@given(flux=NUMBERS, ivar=NUMBERS)
def test_any_numbers_keep_the_promises(flux: np.ndarray, ivar: np.ndarray) -> None:
    spectrum = made(flux=flux, ivar=ivar)
    assert spectrum.ivar is not None
    assert np.isfinite(spectrum.ivar).all()
    assert (spectrum.ivar >= 0).all()
    assert np.isfinite(spectrum.flux[spectrum.good]).all()
    assert (spectrum.ivar[spectrum.good] > 0).all()
    assert spectrum.n_bad == int((~spectrum.good).sum())


@given(arrays.arrays(np.float64, some.integers(0, 12), elements=some.floats(width=64)))
def test_a_wavelength_is_accepted_only_if_it_increases(wavelength: np.ndarray) -> None:
    try:
        spectrum = made(wavelength=wavelength, flux=np.zeros(wavelength.shape))
    except SpectrumError:
        return
    assert (np.diff(spectrum.wavelength) > 0).all()
    assert (spectrum.wavelength > 0).all()


@pytest.mark.parametrize(
    ("z", "expected"), [(None, None), (0.0, None), (-0.001, -0.001), (0.005, 0.005), (0.3, None)]
)
def test_only_a_redshift_of_a_star_moves_the_frame(z: float | None, expected: float | None) -> None:
    assert frame_z(made(z=z)) == expected


EVEN = np.arange(4000.0, 4100.0)


def test_gaps_start_where_pixels_are_missing() -> None:
    wavelength = np.concatenate([EVEN, EVEN + 1275.0])
    assert gap_starts(wavelength, 20.0).tolist() == [100]
    assert gap_starts(wavelength[98:], 20.0).tolist() == [2]
    assert gap_starts(wavelength[99:], 20.0).tolist() == [1]
    assert gap_starts(wavelength[:101], 20.0).tolist() == [100]
    wavelength = np.concatenate([EVEN, [4500.0, 5000.0], EVEN + 2000.0])
    assert gap_starts(wavelength, 20.0).tolist() == [100, 101, 102]
    coarse = 4200.0 + 50.0 * np.arange(400)
    wavelength = np.concatenate([EVEN[:40], EVEN[40:] + 70.0, coarse + 70.0])
    assert gap_starts(wavelength, 20.0).tolist() == [40]
    wavelength = np.delete(EVEN, slice(50, 60))
    assert gap_starts(wavelength, 20.0).size == 0
    assert gap_starts(wavelength, 6.0).tolist() == [50]
    assert gap_starts(np.array([4000.0]), 6.0).size == 0
    assert gap_starts(np.array([4000.0, 9000.0]), 6.0).size == 0
    assert gap_starts(np.array([4000.0, 4001.0, 9000.0]), 6.0).size <= 1
    assert gap_starts(10.0 ** np.linspace(3.0, 6.0, 4000), 6.0).size == 0


@pytest.mark.parametrize("factor", [4.0, 30.0, 1000.0])
def test_nothing_is_missing_where_a_table_becomes_coarser(factor: float) -> None:
    wavelength = np.concatenate([EVEN, EVEN[-1] + factor * np.arange(1, 60)])
    assert gap_starts(wavelength, 6.0).size == 0
    assert gap_starts(wavelength, 20.0).size == 0


WIDE = np.arange(3800.0, 9000.0, 2.0)


def spectrum(wavelength: np.ndarray = WIDE, **fields: Any) -> Spectrum:
    return Spectrum(wavelength=wavelength, flux=np.ones(wavelength.size), **fields)


@pytest.mark.parametrize(("survey", "wavelength", "resolution"), [
    ("LAMOST", 5000.0, 1800.0), ("lamost-mrs", 5000.0, 7500.0), ("eBOSS", 3000.0, 1500.0),
    ("SDSS", 6400.0, 2000.0), ("SDSS", 9900.0, 2500.0), ("DESI", 9800.0, 5500.0),
    ("MILES", 5000.0, None),
])  # fmt: skip
def test_resolution_of_the_survey(survey: str, wavelength: float, resolution: float | None) -> None:
    assert resolution_at(spectrum(survey=survey), wavelength) == resolution


def test_the_resolution_of_the_file_comes_first() -> None:
    assert lsf_fwhm(spectrum(survey="LAMOST", resolution=5000.0), 5000.0) == 1.0
    assert resolution_at(spectrum(survey="LAMOST", resolution=0.5), 5000.0) == 1800.0
    assert lsf_fwhm(spectrum(), 5000.0) is None


def test_arms_join_only_inside_the_spectrum() -> None:
    assert arm_join(spectrum(survey="LAMOST")) == (5700.0, 5900.0)
    assert arm_join(spectrum(WIDE[WIDE < 5950.0], survey="LAMOST")) is None
    assert arm_join(spectrum(survey="MILES")) is None


def test_unsafe_regions_are_sky_lines_telluric_bands_and_the_join() -> None:
    lamost = spectrum(survey="LAMOST")
    assert unsafe_regions(lamost, 7600.0, 7640.0) == ("O₂ A",)
    assert "join of the arms" in unsafe_regions(lamost, 5690.0, 5710.0)
    assert unsafe_regions(spectrum(), 5690.0, 5710.0) == ()
    narrow = unsafe_regions(lamost, 5574.0, 5584.0, min_share=0.25)
    assert narrow == ("[O I] 5577 (sky)",)
    assert narrow[0] in unsafe_regions(lamost, 5480.0, 5680.0)
    assert narrow[0] not in unsafe_regions(lamost, 5480.0, 5680.0, min_share=0.25)
