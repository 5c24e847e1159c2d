"""An image whose rows are the wavelengths, the flux and maybe its error, as Kast spectra are."""

from __future__ import annotations

import numpy as np

from agent.spectra.fits.fits_file import Hdu
from agent.spectra.readers.base import Pixels, ivar_of_sigma
from agent.spectra.readers.error_size import is_error
from agent.spectra.spectrum import FloatArray

MAX_ROWS = 8
FEWEST_PIXELS = 50
OPTICAL = (900.0, 300_000.0)
UNEVEN = 0.5
"""Largest change of a wavelength step from one pixel to the next, on average, in steps."""


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
