from __future__ import annotations

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


def test_without_errors_finite_flux_is_enough() -> None:
    assert made().n_bad == 0
    assert made().sigma is None


def test_sigma() -> None:
    sigma = made(ivar=np.full(11, 0.25)).sigma
    assert sigma is not None
    np.testing.assert_array_equal(sigma, np.full(11, 2.0))
    without = made(ivar=np.zeros(11)).sigma
    assert without is not None
    assert np.isinf(without).all()


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


def test_big_endian_arrays_become_native() -> None:
    spectrum = made(wavelength=WAVELENGTH.astype(">f4"), flux=FLUX.astype(">f4"))
    assert spectrum.wavelength.dtype == np.dtype("=f8")


@pytest.mark.parametrize(
    "changed",
    [
        {"wavelength": WAVELENGTH[::-1]},
        {"wavelength": np.zeros(11)},
        {"wavelength": WAVELENGTH - 4000},
        {"wavelength": np.where(FLUX == 4, np.nan, WAVELENGTH)},
        {"wavelength": WAVELENGTH[:9]},
        {"wavelength": WAVELENGTH.reshape(1, 11), "flux": FLUX.reshape(1, 11)},
        {"wavelength": WAVELENGTH[:1], "flux": FLUX[:1]},
        {"ivar": np.ones(10)},
        {"mask": np.zeros(12, dtype=bool)},
    ],
)
def test_what_is_no_spectrum_is_our_own_error(changed: dict[str, Any]) -> None:
    with pytest.raises(SpectrumError) as caught:
        made(**changed)
    assert isinstance(caught.value, WorkbenchError)


def test_range_and_length() -> None:
    assert made().range == (4000.0, 5000.0)
    assert len(made()) == 11


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
