"""What all readers share: how to refuse a file and how to build a clean Spectrum."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.errors import ReadError, WorkbenchError
from agent.spectra.air import air_to_vacuum
from agent.spectra.fits.fits_header import Header, printable
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.spectrum import MAX_PIXELS, BoolArray, FloatArray, MetaValue, Spectrum

Numbers = NDArray[Any]

MAX_META_KEYS = 400
MAX_TEXT = 200
# Angstrom: from the extreme ultraviolet to the far infrared, wider than any grid of models.
OPTICAL = (10.0, 1e7)
MAX_OUTSIDE = 0.01  # share of the pixels that may have impossible wavelengths, as fill values
UNKNOWN_MEDIUM_WARNING = "the file does not say air or vacuum: taken as vacuum"


class NotMine(WorkbenchError):
    """This reader does not know the file; the text says why. Other readers are tried."""


class Malformed(ReadError):
    """The file has this reader's format but cannot be used; no other reader is tried."""


@dataclass(frozen=True, slots=True)
class Request:
    """Which spectrum of a file to read: a row from 0, or a target by its identifier."""

    row: int = 0
    target: str = ""


@dataclass(frozen=True, slots=True)
class Reader:
    """`read` returns the spectrum, or raises NotMine or Malformed."""

    name: str
    read: Callable[[SourceFile, Request], Spectrum]


def fits_of(file: SourceFile) -> Any:
    if not file.is_fits:
        raise NotMine("not a FITS file")
    return file.fits


@dataclass(frozen=True, slots=True)
class Pixels:
    """Arrays of one spectrum in file order; wavelengths in angstrom in the file's medium."""

    wavelength: Numbers
    flux: Numbers
    ivar: Numbers | None = None
    mask: Numbers | None = None


def build(
    file: SourceFile,
    pixels: Pixels,
    *,
    medium: str = "vacuum",
    header: Header | None = None,
    warnings: tuple[str, ...] = (),
    **fields: Any,
) -> Spectrum:
    """A Spectrum with usable, increasing vacuum wavelengths; `fields` are those of Spectrum."""
    pixels, notes = _in_order(pixels)
    if not np.isfinite(pixels.flux).any():
        raise Malformed("no pixel has a finite flux")
    wavelength = pixels.wavelength
    if medium == "air":
        wavelength = air_to_vacuum(wavelength)
    elif medium == "unknown":
        notes.append(UNKNOWN_MEDIUM_WARNING)
    meta: dict[str, MetaValue] = (
        header.survey_keys(MAX_META_KEYS, MAX_TEXT) if header is not None else {}
    )
    meta |= fields.pop("more_meta", {})
    simulated = header is not None and header.flag("SIMULATE") is True
    for name in ("object_id", "class_name", "subclass", "survey", "release", "flux_unit"):
        fields[name] = clean_text(str(fields.get(name, "")))
    return Spectrum(
        wavelength=wavelength, flux=pixels.flux, ivar=pixels.ivar, mask=pixels.mask,
        medium_in_file=medium, path=str(file.path), meta=meta, simulated=simulated,
        warnings=(*warnings, *notes), **fields,
    )  # fmt: skip


def _in_order(pixels: Pixels) -> tuple[Pixels, list[str]]:
    """Drop unusable wavelengths, sort, drop duplicates; the notes say what was done."""
    wavelength = np.asarray(pixels.wavelength, dtype=np.float64)
    flux = np.asarray(pixels.flux, dtype=np.float64)
    if wavelength.ndim != 1 or wavelength.shape != flux.shape:
        raise Malformed(f"{wavelength.size} wavelengths do not match {flux.size} flux values")
    if wavelength.size > MAX_PIXELS:
        raise Malformed(f"{wavelength.size} pixels are too many for one spectrum")
    notes: list[str] = []
    if _is_in_order(wavelength):
        return Pixels(wavelength, flux, pixels.ivar, pixels.mask), notes
    keep = np.isfinite(wavelength) & (wavelength > 0)
    _refuse_other_axes(wavelength[keep])
    keep &= (wavelength >= OPTICAL[0]) & (wavelength <= OPTICAL[1])
    if not keep.all():
        notes.append(f"{int((~keep).sum())} pixels without a usable wavelength were dropped")
    order = np.flatnonzero(keep)
    if not (np.diff(wavelength[order]) > 0).all():
        notes.append("wavelengths were not increasing: sorted, duplicates dropped")
        _, first = np.unique(wavelength[order], return_index=True)
        order = order[first]
    if order.size < 2:
        raise Malformed(f"only {order.size} pixels have a usable wavelength")
    ivar = None if pixels.ivar is None else np.asarray(pixels.ivar)[order]
    mask = None if pixels.mask is None else np.asarray(pixels.mask)[order]
    return Pixels(wavelength[order], flux[order], ivar, mask), notes


def _is_in_order(wavelength: FloatArray) -> bool:
    """Whether wavelengths are valid and increasing, as in almost every file."""
    if wavelength.size < 2 or not (wavelength[1:] > wavelength[:-1]).all():
        return False
    # NaN fails the comparison, so only the ends can still be out of range.
    return bool(OPTICAL[0] <= wavelength[0] and wavelength[-1] <= OPTICAL[1])


def _refuse_other_axes(wavelength: FloatArray) -> None:
    """Raises Malformed unless all but a few of these positive numbers can be wavelengths."""
    low, high = OPTICAL
    outside = (wavelength < low) | (wavelength > high)
    if outside.sum() > MAX_OUTSIDE * wavelength.size:
        raise Malformed(
            f"its first axis runs from {wavelength.min():.3g} to {wavelength.max():.3g} Å: "
            f"wavelengths must lie between {low:g} and {high:g} Å, so name its unit"
        )


def ivar_of_sigma(sigma: Numbers) -> FloatArray:
    """1 / sigma^2; 0 where sigma is not positive and finite."""
    sigma = np.asarray(sigma, dtype=np.float64)
    usable = np.isfinite(sigma) & (sigma > 0)
    return np.where(usable, 1.0 / np.where(usable, sigma, 1.0) ** 2, 0.0)


def with_bits(flags: Numbers, bits: tuple[int, ...]) -> BoolArray:
    """Where any of these bits is set; some files store flags as floats."""
    wanted = sum(1 << bit for bit in bits)
    if flags.dtype.kind in "iu":
        return (flags.astype(np.int64) & wanted) != 0
    values = np.nan_to_num(np.asarray(flags, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    whole = np.clip(values, -(2.0**62), 2.0**62).astype(np.int64)
    return (whole & wanted) != 0


def checked_row(request: Request, rows: int = 1) -> int:
    """The requested row of a file of `rows` spectra. Raises Malformed if there is none."""
    if not 0 <= request.row < rows:
        spectra = "one spectrum" if rows == 1 else f"{rows} spectra (rows 0 to {rows - 1})"
        raise Malformed(f"it holds {spectra}; there is no row {request.row}")
    return request.row


def row_of(
    file: SourceFile, request: Request, rows: int, table: FitsTable | None, columns: Sequence[str]
) -> int:
    """The requested row, or the first whose target is named so in one of these columns."""
    if not request.target or rows == 1:
        return checked_row(request, rows)
    for row in range(0 if table is None else min(rows, table.rows)):
        if request.target in names_in(table, row, columns):
            return row
    raise Malformed(f"it holds {rows} targets, none of them {request.target}")


def names_in(table: FitsTable | None, row: int, columns: Sequence[str]) -> list[str]:
    """What these columns call the object of a row: texts, and whole numbers as text."""
    if table is None or not 0 <= row < table.rows:
        return []
    texts = (table.text(column, row) or table.integer(column, row) for column in columns)
    return [clean_text(str(text)) for text in texts if text is not None]


def linear_axis(start: float, step: float, reference: float, pixels: int) -> FloatArray:
    """Values of a linear FITS axis, whose pixels count from 1."""
    return start + step * (np.arange(1.0, pixels + 1.0) - reference)


def median_snr(pixels: Pixels) -> float | None:
    """Median S/N of the usable pixels; None if there is none."""
    flux, ivar = np.asarray(pixels.flux), np.asarray(pixels.ivar)
    good = (ivar > 0) & np.isfinite(flux)
    if pixels.mask is not None:
        good &= ~np.asarray(pixels.mask)
    return float(np.median(flux[good] * np.sqrt(ivar[good]))) if good.any() else None


def clean_text(text: str, longest: int = MAX_TEXT) -> str:
    """Printable characters of the text, cut to `longest`."""
    return printable(text, longest)


def degrees(value: float | None, low: float, high: float) -> float | None:
    """A valid coordinate, else None: surveys write -999 or 9999 for unknown."""
    return value if value is not None and low <= value <= high else None


def position(ra: float | None, dec: float | None) -> dict[str, Any]:
    """Fields `ra` and `dec` if both are valid, else none."""
    ra, dec = degrees(ra, 0.0, 360.0), degrees(dec, -90.0, 90.0)
    return {"ra": ra, "dec": dec} if ra is not None and dec is not None else {}


def position_in(table: FitsTable | None, row: int, ra: str, dec: str) -> dict[str, Any]:
    """The position that these columns give of a row, if the table has it."""
    if table is None or row >= table.rows:
        return {}
    return position(table.number(ra, row), table.number(dec, row))


def known(value: float | None, sentinel: float = -999.0) -> float | None:
    """The number, or None for a survey's unknown value (-999, -9999, ...)."""
    return None if value is None or value <= sentinel else value


def stem(path: Path) -> str:
    """The file's name without .gz and suffix, which names an object if the file does not."""
    name = path.name.removesuffix(".gz")
    return name.rsplit(".", 1)[0] or name
