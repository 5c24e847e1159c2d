"""A spectrum as a FITS image whose header gives the wavelengths: linear, log10 or ln."""

import re

import numpy as np

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Pixels,
    Request,
    build,
    checked_row,
    fits_of,
    ivar_of_sigma,
)
from agent.spectra.readers.columns import is_error
from agent.spectra.readers.coordinates import header_position
from agent.spectra.readers.libraries import describe
from agent.spectra.readers.wavelength_units import counts_pixels, factor_of, to_angstrom
from agent.spectra.spectrum import MAX_PIXELS, BoolArray, FloatArray, Spectrum

# Axis types that are wavelengths; others, as RA---TAN, PIXEL or -999, are refused.
SPECTRAL = re.compile(r"WAV|LAM|ANGSTR|LINEAR|LOG|LN$|^LN")
# WCS algorithms with wavelengths that are not evenly spaced: a lookup table, grisms.
NOT_EVEN = re.compile(r"-(TAB|GRI|GRA|F2W|V2W|A2W|W2W)$")
FINEST_STEP = 3e-7
"""Of the wavelength: no spectrograph has smaller pixels, but a position has smaller steps."""
IVAR_NAMES = ("IVAR", "INVVAR")
SIGMA_NAMES = ("ERR", "ERROR", "SIGMA", "ERRS", "UNCERT", "STDDEV", "NOISE")
MASK_NAMES = ("MASK", "BADPIX", "DQ")

MAX_ROWS = 8
FEWEST_PIXELS = 50
OPTICAL = (900.0, 300_000.0)
UNEVEN = 0.5  # largest change of a wavelength step from one pixel to the next, on average, in steps


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    hdu = next((hdu for hdu in fits if hdu.kind == "IMAGE" and hdu.pixels > 1), None)
    if hdu is None:
        raise NotMine("it holds no image")
    if hdu.pixels > MAX_PIXELS:
        raise NotMine(f"its image has rows of {hdu.pixels} pixels")
    header = hdu.header if hdu.index == 0 else Header.joined(fits.primary.header, hdu.header)
    by_rows = None if _names_wavelengths(header) else pixels_of_rows(hdu)
    if by_rows is not None:
        row, rows = checked_row(request), 1
        pixels, note = by_rows
    else:
        wavelength, note = _wavelengths(header, hdu.pixels)
        row, rows = checked_row(request, hdu.rows), hdu.rows
        ivar, mask = _companions(fits, hdu, row)
        pixels = Pixels(wavelength, hdu.image(row, 1)[0], ivar, mask)
    about = describe(file, header)
    return build(
        file, pixels, medium=about.medium or "unknown", header=header,
        warnings=(note,) if note else (), format="FITS image", flux_unit=header.text("BUNIT"),
        row=row, rows=rows, **about.fields,
    )  # fmt: skip


def _names_wavelengths(header: Header) -> bool:
    """Whether the header says of its first axis that it is one of wavelengths."""
    axis = header.text("CTYPE1").upper()
    if SPECTRAL.search(axis) or factor_of(_unit(header)) is not None:
        return True
    return not axis and "DC-FLAG" in header


def _wavelengths(header: Header, pixels: int) -> tuple[FloatArray, str]:
    """Angstrom in the file's medium, and a note if the unit was guessed."""
    axis, unit = header.text("CTYPE1").upper(), _unit(header)
    if axis and not SPECTRAL.search(axis) and factor_of(unit) is None:
        raise NotMine(f"its first axis is {axis[:12]}, not a wavelength")
    if NOT_EVEN.search(axis):
        raise NotMine(f"its first axis is {axis[:12]}, whose wavelengths are not in the header")
    start = header.number("CRVAL1")
    step = header.number("CD1_1") or header.number("CDELT1")
    if step and not header.number("CD1_1"):
        step *= header.number("PC1_1") or 1.0
    if start is None or not step:
        raise NotMine("its header gives no wavelengths (CRVAL1 with CDELT1 or CD1_1)")
    if not axis and not unit and _is_position(header, start):
        raise NotMine("CRVAL1 is its right ascension, not a wavelength")
    reference = header.number("CRPIX1")
    offsets = np.arange(1, pixels + 1) - (1.0 if reference is None else reference)
    kind = _kind(axis, header.integer("DC-FLAG"), start)
    values = start + step * offsets
    if kind in ("log10", "ln") and not np.abs(values).max() < 25:
        raise Malformed(f"its wavelengths are logarithms up to {np.abs(values).max():.3g}")
    if not unit and counts_pixels(values):
        raise NotMine("its first axis counts pixels, it gives no wavelengths")
    if kind == "grisms":  # WAVE-LOG as the FITS standard defines it (Greisen et al. 2006)
        wavelength, note = to_angstrom(start * np.exp(step * offsets / start), unit)
    else:
        wavelength, note = to_angstrom(values, "" if kind else unit, kind)
    if pixels > 1 and not abs(wavelength[1] - wavelength[0]) > FINEST_STEP * abs(wavelength[0]):
        raise NotMine(
            f"its header gives steps of {abs(wavelength[1] - wavelength[0]):.1g} Å "
            f"at {wavelength[0]:.4g} Å, which no spectrum has"
        )
    return wavelength, note


def _is_position(header: Header, start: float) -> bool:
    """Whether CRVAL1 is the right ascension that the header gives elsewhere, in degrees."""
    place = header_position(header)
    return bool(place) and abs(start - place["ra"]) < 1.0 and header.number("CRVAL2") is not None


def _kind(axis: str, flag: int | None, start: float) -> str:
    """'log10', 'ln', 'grisms' (standard WAVE-LOG) or '' for linear."""
    is_logarithmic = flag == 1 or "LOG" in axis or axis.startswith("LN") or "-LN" in axis
    if not is_logarithmic:
        return ""
    if start > 100:
        return "" if flag == 1 else "grisms"
    return "ln" if start > 5 else "log10"


def _unit(header: Header) -> str:
    unit = header.text("CUNIT1")
    if unit:
        return unit
    match = re.search(r"units=(\w+)", header.text("WAT1_001"))
    return match.group(1) if match else ""


def _companions(fits: FitsFile, flux: Hdu, row: int) -> tuple[FloatArray | None, BoolArray | None]:
    """Inverse variance and mask from extensions of the same shape with a known name."""
    ivar: FloatArray | None = None
    mask: BoolArray | None = None
    for hdu in fits:
        if hdu is flux or hdu.kind != "IMAGE" or hdu.axes != flux.axes:
            continue
        if hdu.name in IVAR_NAMES and ivar is None:
            ivar = hdu.image(row, 1)[0]
        elif hdu.name in SIGMA_NAMES and ivar is None:
            ivar = ivar_of_sigma(hdu.image(row, 1)[0])
        elif hdu.name in MASK_NAMES and mask is None:
            mask = hdu.image(row, 1)[0] != 0
    if ivar is not None and not (ivar > 0).any():
        ivar = None
    return ivar, None if mask is not None and mask.all() else mask


# An image whose rows are the wavelengths, the flux and maybe its error, as Kast spectra are.
def pixels_of_rows(hdu: Hdu) -> tuple[Pixels, str] | None:
    """The spectrum, and a note that says which row is what; None unless one row is wavelengths."""
    if not 2 <= hdu.rows <= MAX_ROWS or hdu.pixels < FEWEST_PIXELS:
        return None
    rows = hdu.image()
    found = [number for number, row in enumerate(rows) if is_wavelengths(row)]
    if len(found) != 1:
        return None
    at = found[0]
    first, *more = (number for number in range(len(rows)) if number != at)
    note = f"row {at} of the image was taken as wavelengths, row {first} as flux"
    if more and is_error(rows[first], rows[more[0]], rows[at]):
        note += f", row {more[0]} as its error"
        return Pixels(rows[at], rows[first], ivar_of_sigma(rows[more[0]])), note
    return Pixels(rows[at], rows[first]), note


def is_wavelengths(row: FloatArray) -> bool:
    """Whether these are wavelengths in angstrom by their values: monotonic, smooth, optical."""
    if not np.isfinite(row).all() or not (row >= OPTICAL[0]).all() or row.max() > OPTICAL[1]:
        return False
    steps = np.diff(row)
    if not ((steps > 0).all() or (steps < 0).all()):
        return False
    return float(np.median(np.abs(np.diff(steps)) / np.abs(steps[1:]))) < UNEVEN
