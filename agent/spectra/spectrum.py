"""The one-dimensional spectrum that everything else works on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from agent.errors import SpectrumError

FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Window = tuple[float, float]  # first and last wavelength, angstrom
Scalar = TypeVar("Scalar", bound=np.generic)
MetaValue = str | int | float | bool

MAX_PIXELS = 5_000_000
WAVELENGTHS = (1.0, 1e7)  # Angstrom; beyond them axes have no sensible ticks.
FASTEST_STAR_Z = 0.005  # 1,500 km/s
MIN_GOOD, MIN_COVERED = 10, 0.6  # good pixels, and the share of a window that they must span


@dataclass(frozen=True, eq=False, kw_only=True)
class Spectrum:
    """One observed 1-D spectrum.

    `wavelength` is vacuum angstrom, strictly increasing, observed frame; readers convert to it.
    `flux`, `ivar` and `mask` have the same length. ivar 0 and mask True mark a bad pixel; `ivar`
    is None if the file gives no errors. Arrays are read-only.
    """

    wavelength: FloatArray
    flux: FloatArray
    ivar: FloatArray | None = None
    mask: BoolArray | None = None
    flux_unit: str = ""
    resolution: float | None = None  # R = wavelength / FWHM, if the file or the survey gives it

    object_id: str = ""
    ra: float | None = None
    dec: float | None = None
    class_name: str = ""
    subclass: str = ""
    z: float | None = None
    snr: float | None = None

    survey: str = ""
    release: str = ""
    format: str = ""
    medium_in_file: str = "vacuum"
    path: str = ""
    row: int = 0
    rows: int = 1
    simulated: bool = False
    meta: Mapping[str, MetaValue] = field(default_factory=dict)
    """Header keys of the survey under their original names."""
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        wavelength = _frozen(self.wavelength, np.float64)
        flux = _frozen(self.flux, np.float64)
        if wavelength.ndim != 1 or flux.shape != wavelength.shape:
            raise SpectrumError(
                f"wavelength and flux differ in shape: {wavelength.shape} and {flux.shape}"
            )
        if not 2 <= wavelength.size <= MAX_PIXELS:
            raise SpectrumError(f"a spectrum of {wavelength.size} pixels is not usable")
        if not (np.isfinite(wavelength).all() and wavelength[0] > 0):
            raise SpectrumError("wavelengths must be finite and positive")
        if not (np.diff(wavelength) > 0).all():
            raise SpectrumError("wavelengths must increase from pixel to pixel")
        if not WAVELENGTHS[0] <= wavelength[0] < wavelength[-1] <= WAVELENGTHS[1]:
            raise SpectrumError(
                f"wavelengths from {wavelength[0]:.3g} to {wavelength[-1]:.3g} Å are not those of "
                f"a spectrum: they must lie between {WAVELENGTHS[0]:g} and {WAVELENGTHS[1]:g} Å"
            )
        object.__setattr__(self, "wavelength", wavelength)
        object.__setattr__(self, "flux", flux)
        if self.ivar is not None:
            ivar = np.asarray(self.ivar, dtype=np.float64)
            if ivar.shape != wavelength.shape:
                raise SpectrumError(f"ivar has shape {ivar.shape}, not {wavelength.shape}")
            ivar = np.where(np.isfinite(ivar) & (ivar > 0), ivar, 0.0)
            object.__setattr__(self, "ivar", _frozen(ivar, np.float64))
        if self.mask is not None:
            mask = _frozen(self.mask, np.bool_)
            if mask.shape != wavelength.shape:
                raise SpectrumError(f"mask has shape {mask.shape}, not {wavelength.shape}")
            object.__setattr__(self, "mask", mask)
        object.__setattr__(self, "meta", MappingProxyType(dict(self.meta)))

    def __reduce__(self) -> tuple[Callable[..., Spectrum], tuple[dict[str, Any]]]:
        """Pickles as keyword arguments, so that the copy is checked and read-only again."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return _rebuilt, ({**values, "meta": dict(self.meta)},)

    def __len__(self) -> int:
        return int(self.wavelength.size)

    @cached_property
    def good(self) -> BoolArray:
        """Pixels with finite flux, unmasked, and with positive ivar where there is any."""
        good = np.isfinite(self.flux)
        if self.mask is not None:
            good &= ~self.mask
        if self.ivar is not None:
            good &= self.ivar > 0
        good.setflags(write=False)
        return good

    @cached_property
    def sigma(self) -> FloatArray | None:
        """Error of each pixel in flux units; infinite where ivar is 0; None if there is no ivar."""
        if self.ivar is None:
            return None
        with np.errstate(divide="ignore"):
            return _frozen(1.0 / np.sqrt(self.ivar), np.float64)

    @property
    def n_bad(self) -> int:
        return len(self) - int(self.good.sum())

    @property
    def range(self) -> Window:
        return float(self.wavelength[0]), float(self.wavelength[-1])


def _rebuilt(values: dict[str, Any]) -> Spectrum:
    return Spectrum(**values)


def _frozen(values: NDArray[Any], dtype: type[Scalar]) -> NDArray[Scalar]:
    """A read-only native-endian copy, so that callers cannot change the spectrum."""
    array = np.array(values, dtype=dtype, copy=True)
    array.setflags(write=False)
    return array


def between(spectrum: Spectrum, low: float, high: float) -> Spectrum:
    """The pixels from `low` to `high` angstrom, both included, as observed."""
    first = int(np.searchsorted(spectrum.wavelength, low, side="left"))
    last = int(np.searchsorted(spectrum.wavelength, high, side="right"))
    part = slice(first, last)
    return replace(
        spectrum, wavelength=spectrum.wavelength[part], flux=spectrum.flux[part],
        ivar=None if spectrum.ivar is None else spectrum.ivar[part],
        mask=None if spectrum.mask is None else spectrum.mask[part],
    )  # fmt: skip


def covers(spectrum: Spectrum, low: float, high: float) -> bool:
    """Whether most of a window in observed angstrom holds good pixels."""
    inside = (spectrum.wavelength >= low) & (spectrum.wavelength <= high) & spectrum.good
    good = spectrum.wavelength[inside]
    return bool(good.size >= MIN_GOOD and good[-1] - good[0] >= MIN_COVERED * (high - low))


def frame_z(spectrum: Spectrum) -> float | None:
    """The redshift of the file if it can be the motion of a star, else None."""
    # A larger one means that the pipeline took the star for a galaxy: the spectrum stays put.
    z = spectrum.z
    return z if z is not None and abs(z) <= FASTEST_STAR_Z and z != 0.0 else None


# What a spectrum says of itself, as plain values for JSON.
def summary(spectrum: Spectrum) -> dict[str, Any]:
    """The record whose keys scripts rely on; None for unknown values."""
    return {
        "survey": spectrum.survey, "release": spectrum.release, "format": spectrum.format,
        "object_id": spectrum.object_id, "ra": finite(spectrum.ra), "dec": finite(spectrum.dec),
        "class": spectrum.class_name, "subclass": spectrum.subclass, "snr": finite(spectrum.snr),
        "z": finite(spectrum.z), "n_pixels": len(spectrum), "n_bad": spectrum.n_bad,
        "wavelength": list(spectrum.range), "medium_in_file": spectrum.medium_in_file,
        "flux_unit": spectrum.flux_unit, "row": spectrum.row, "rows": spectrum.rows,
        "simulated": spectrum.simulated, "warnings": list(spectrum.warnings),
    }  # fmt: skip


def finite(value: float | None) -> float | None:
    """None for a number that JSON cannot hold."""
    return value if value is not None and math.isfinite(value) else None
