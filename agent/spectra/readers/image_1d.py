"""A spectrum as a FITS image whose header gives the wavelengths: linear, log10 or ln."""

from __future__ import annotations

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
from agent.spectra.readers.libraries import describe
from agent.spectra.readers.wavelength_units import to_angstrom
from agent.spectra.spectrum import MAX_PIXELS, BoolArray, FloatArray, Spectrum

NOT_SPECTRAL = (
    "RA",
    "DEC",
    "GLON",
    "GLAT",
    "ELON",
    "ELAT",
    "FREQ",
    "VELO",
    "VRAD",
    "VOPT",
    "X",
    "Y",
)
IVAR_NAMES = ("IVAR", "INVVAR")
SIGMA_NAMES = ("ERR", "ERROR", "SIGMA", "ERRS", "UNCERT", "STDDEV", "NOISE")
MASK_NAMES = ("MASK", "BADPIX", "DQ")


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    hdu = next((hdu for hdu in fits if hdu.kind == "IMAGE" and hdu.pixels > 1), None)
    if hdu is None:
        raise NotMine("it holds no image")
    if hdu.pixels > MAX_PIXELS:
        raise NotMine(f"its image has rows of {hdu.pixels} pixels")
    header = hdu.header if hdu.index == 0 else Header.joined(fits.primary.header, hdu.header)
    wavelength, note = _wavelengths(header, hdu.pixels)
    row = checked_row(file, request, hdu.rows)
    about = describe(file, header)
    ivar, mask = _companions(fits, hdu, row)
    return build(
        file,
        Pixels(wavelength, hdu.image(row, 1)[0], ivar, mask),
        medium=about.medium or "unknown",
        header=header,
        warnings=(note,) if note else (),
        format="FITS image",
        flux_unit=header.text("BUNIT"),
        row=row,
        rows=hdu.rows,
        **about.fields,
    )


def _wavelengths(header: Header, pixels: int) -> tuple[FloatArray, str]:
    """Angstrom in the file's medium, and a note if the unit was guessed."""
    axis = header.text("CTYPE1").upper()
    if re.split(r"[^A-Z]", axis)[0] in NOT_SPECTRAL:
        raise NotMine(f"its first axis is {axis[:12]}, not a wavelength")
    start = header.number("CRVAL1")
    step = header.number("CD1_1") or header.number("CDELT1")
    if start is None or not step:
        raise NotMine("its header gives no wavelengths (CRVAL1 with CDELT1 or CD1_1)")
    reference = header.number("CRPIX1")
    offsets = np.arange(1, pixels + 1) - (1.0 if reference is None else reference)
    kind = _kind(axis, header.integer("DC-FLAG"), start)
    if kind == "grisms":  # WAVE-LOG as the FITS standard defines it (Greisen et al. 2006)
        return to_angstrom(start * np.exp(step * offsets / start), _unit(header))
    values = start + step * offsets
    if kind:
        if not np.abs(values).max() < 25:
            raise Malformed(f"its wavelengths are logarithms up to {values.max():.3g}")
        return to_angstrom(values, "", kind)
    return to_angstrom(values, _unit(header))


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
