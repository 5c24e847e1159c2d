"""Finds the wavelength, flux, error and mask columns of a table of any format."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.pixel_grid import scatter
from agent.spectra.readers.base import NotMine, Pixels, clean_text, ivar_of_sigma
from agent.spectra.readers.wavelength_units import counts_pixels, factor_of, to_angstrom
from agent.spectra.spectrum import FloatArray

# The scatter of the flux from pixel to pixel holds lines besides noise, so that real errors may be
# much smaller; pixels of a resampled spectrum scatter less than their errors.
SMALLEST, LARGEST = 0.02, 10.0
FEWEST = 10
POSITIVE = 0.5  # share of the pixels that must have an error; others are bad pixels
SAME = 0.03  # relative scatter up to which two columns are the same quantity
BETTER = 0.2  # scatter that is left, of what it was, where a relation explains a column


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


WAVELENGTH = _words("""
    wavelength wavelengths wave waves wav wl lambda lam lamb angstrom angstroms spectral_axis
    wave_vac wave_air wavelength_vac wavelength_air vacuum_wavelength air_wavelength lambda_vac
    lambda_air vacwave airwave wavelength_vacuum obs_wave wave_obs wavelength_obs lambda_obs
""")
LOG_WAVELENGTH = _words("""
    loglam log_lam loglambda log_lambda logwave log_wave logwavelength log_wavelength
""")
LN_WAVELENGTH = _words("lnlam ln_lam lnlambda ln_lambda lnwave ln_wave ln_wavelength")
FLUX = _words("""
    flux fluxes flux_density fluxdensity f_lambda flambda f_lam flam spec spectrum intensity
    counts flux_reduced flux_cal flux_norm norm_flux normalized_flux flux_lambda fl f
""")
IVAR = _words("ivar flux_ivar ivar_flux inverse_variance inversevariance invvar inv_var")
SIGMA = _words("""
    err error errors sigma flux_err fluxerr flux_error fluxerror err_flux error_flux e_flux eflux
    flux_sigma sigma_flux properr prop_err staterror stat_error stat_err unc uncertainty
    flux_unc uncertainties std stddev stdev noise err_reduced dflux d_flux flux_uncertainty
""")
# CALSPEC sets STATERROR to 0 where a model fills gaps: the systematic error is used there.
SYSTEMATIC = _words("syserror sys_error sys_err")
VARIANCE = _words("var variance flux_var flux_variance var_flux")
# Not CALSPEC's DATAQUAL, where 1 means good.
MASK = _words("mask and_mask andmask bad badpix flag flags qual dq flux_mask bad_pixel")
MAX_LISTED = 8


@dataclass(frozen=True)
class ColumnField:
    """A column as its file describes it."""

    name: str
    unit: str = ""
    ucd: str = ""


@dataclass(frozen=True)
class ColumnChoice:
    """Column numbers; `error_kind` is 'ivar', 'sigma' or 'variance'."""

    wavelength: int
    flux: int
    error: int | None = None
    error_kind: str = ""
    systematic: int | None = None
    mask: int | None = None
    logarithmic: str = ""

    @property
    def used(self) -> tuple[int, ...]:
        """Sorted numbers of all chosen columns."""
        numbers = (self.wavelength, self.flux, self.error, self.systematic, self.mask)
        return tuple(sorted({number for number in numbers if number is not None}))


@dataclass(frozen=True)
class ColumnData:
    """The contents of the chosen columns."""

    pixels: Pixels
    flux_unit: str
    medium: str
    notes: tuple[str, ...]


def choose_columns(fields: Sequence[ColumnField]) -> ColumnChoice:
    """Choose columns by name, else by UCD. Raises NotMine, which lists the columns."""
    names = [plain_name(field.name) for field in fields]
    wavelength, logarithmic = _wavelength(names, fields)
    flux = _first(names, FLUX)
    flux = _by_ucd(fields, "phot.flux", "stat.error") if flux is None else flux
    if wavelength is None or flux is None or wavelength == flux:
        listed = ", ".join(clean_text(field.name, 20) for field in fields[:MAX_LISTED])
        missing = "wavelength" if wavelength is None else "flux"
        raise NotMine(f"no column is named like a {missing} (columns: {listed})")
    error, kind = None, ""
    for wanted, label in ((IVAR, "ivar"), (SIGMA, "sigma"), (VARIANCE, "variance")):
        error = _first(names, wanted)
        if error is not None:
            kind = label
            break
    if error is None:
        error = _by_ucd(fields, "stat.error")
        kind = "" if error is None else "sigma"
    systematic = _first(names, SYSTEMATIC) if kind == "sigma" else None
    return ColumnChoice(wavelength, flux, error, kind, systematic, _first(names, MASK), logarithmic)


def read_columns(
    fields: Sequence[ColumnField], choice: ColumnChoice, values: Callable[[int], NDArray[Any]]
) -> ColumnData:
    """Read the chosen columns; `values(number)` returns a column. Angstrom, file's medium."""
    field = fields[choice.wavelength]
    unit = field.unit if factor_of(field.unit) or field.unit else unit_in_name(field.name)
    wavelength = np.asarray(values(choice.wavelength), dtype=np.float64)
    if factor_of(unit) is None and counts_pixels(wavelength):
        name = clean_text(field.name, 30)
        raise NotMine(f"the column {name} counts pixels, it gives no wavelengths")
    wavelength, note = to_angstrom(wavelength, unit, choice.logarithmic)
    notes = [note] if note else []
    ivar = None
    if choice.error is not None:
        ivar = _ivar(values(choice.error), choice.error_kind)
        if choice.systematic is not None:
            ivar = np.where(ivar > 0, ivar, ivar_of_sigma(values(choice.systematic)))
        if not (ivar > 0).any():
            notes.append(f"the column {clean_text(fields[choice.error].name, 30)} gives no errors")
            ivar = None
    mask = None
    if choice.mask is not None:
        mask = np.nan_to_num(np.asarray(values(choice.mask), dtype=np.float64)) != 0
        if mask.all():
            notes.append(f"the column {clean_text(fields[choice.mask].name, 30)} masks everything")
            mask = None
    pixels, unit = Pixels(wavelength, values(choice.flux), ivar, mask), fields[choice.flux].unit
    return ColumnData(pixels, unit, _medium_in_name(field.name), tuple(notes))


def plain_name(name: str) -> str:
    """Turns 'Wavelength (nm)' and 'WAVELENGTH_NM' into 'wavelength'."""
    text = re.sub(r"[\[(].*", "", name.lower())
    text = re.sub(r"[^a-z0-9]+", "_", text).strip("_")
    return re.sub(r"_(nm|um|aa|a|ang|angstroms?|microns?)$", "", text)


def unit_in_name(name: str) -> str:
    match = re.search(r"[\[(]\s*([^\])]*)[\])]?", name) or re.search(
        r"_(nm|um|aa|a|ang|angstroms?|microns?)$", name.lower()
    )
    return match.group(1).strip() if match else ""


def _wavelength(names: list[str], fields: Sequence[ColumnField]) -> tuple[int | None, str]:
    for wanted, logarithmic in ((WAVELENGTH, ""), (LOG_WAVELENGTH, "log10"), (LN_WAVELENGTH, "ln")):
        column = _first(names, wanted)
        if column is not None:
            return column, logarithmic
    return _by_ucd(fields, "em.wl", "stat.error"), ""


def _first(names: list[str], wanted: Sequence[str]) -> int | None:
    """The column whose name comes first in `wanted`, whatever its position in the file."""
    return next((names.index(name) for name in wanted if name in names), None)


def _by_ucd(fields: Sequence[ColumnField], start: str, but_not: str = " ") -> int | None:
    for number, field in enumerate(fields):
        ucd = field.ucd.lower()
        if ucd.startswith(start) and but_not not in ucd:
            return number
    return None


def _ivar(values: NDArray[Any], kind: str) -> FloatArray:
    values = np.asarray(values, dtype=np.float64)
    if kind == "sigma":
        return ivar_of_sigma(values)
    if kind == "variance":
        return ivar_of_sigma(np.sqrt(np.where(values > 0, values, 0.0)))
    return np.where(np.isfinite(values) & (values > 0), values, 0.0)


def _medium_in_name(name: str) -> str:
    text = name.lower()
    if "vac" in text:
        return "vacuum"
    return "air" if re.search(r"(^|_)air|air($|_)", text) else ""


def is_error(flux: FloatArray, column: FloatArray, wavelength: FloatArray) -> bool:
    """Whether a column is about as large as the scatter of the flux and nothing else we know."""
    known = np.isfinite(flux) & np.isfinite(column) & (column > 0)
    if known.sum() < max(FEWEST, POSITIVE * flux.size) or (column < 0).any():
        return False
    noise = scatter(flux, np.isfinite(flux))[known]
    error = column[known]
    ratio = float(np.median(error) / np.median(noise)) if np.median(noise) > 0 else np.inf
    if not SMALLEST <= ratio <= LARGEST:
        return False
    steps = np.abs(np.gradient(wavelength))[known]
    if np.median(np.abs(error - steps)) < SAME * np.median(steps):
        return False  # the widths of the bins
    return not _is_flux_again(flux[known], error, wavelength[known])


def _is_flux_again(flux: FloatArray, column: FloatArray, wavelength: FloatArray) -> bool:
    """Whether the column is the flux per frequency, in photons or in magnitudes.

    A constant share of the flux, in contrast, may be its error.
    """
    if not (flux > 0).all():
        return False
    varies = _spread(column / flux)
    for power in (0, 1, 2):
        other = flux * wavelength**power
        if _spread(column / other) < min(SAME, BETTER * varies):
            return True
        if float(np.std(column + 2.5 * np.log10(other))) < BETTER * min(float(np.std(column)), 1.0):
            return True
    return False


def _spread(values: FloatArray) -> float:
    """Scatter relative to the mean."""
    return float(np.std(values) / np.mean(values))
