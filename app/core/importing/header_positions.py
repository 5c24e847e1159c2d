"""The position of the object in the header of a FITS spectrum, without reading the spectrum.

By the rules of the readers, so that a list of a folder says what the open spectrum says. The centre
of a plate is never taken for the object.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from agent.errors import ReadError
from agent.spectra.fits.fits_file import FitsFile
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers import sdss
from agent.spectra.readers.base import position
from agent.spectra.readers.lamost_lrs import is_lamost
from agent.spectra.readers.libraries import describe

MAX_HDUS = 4


def header_position(file: SourceFile) -> dict[str, Any]:
    """Fields `ra` and `dec` in degrees; empty if they are not known or a header is damaged."""
    try:
        return _position(file, file.fits)
    except (ReadError, ValueError):
        return {}


def _position(file: SourceFile, fits: FitsFile) -> dict[str, Any]:
    header = fits.primary.header
    if is_lamost(header):
        return position(header.number("RA"), header.number("DEC"))
    if header.text("TELESCOP").startswith("SDSS") and "SPEC_CLN" in header:
        return position(header.number("RAOBJ"), header.number("DECOBJ"))
    if sdss.names_sdss(header) or sdss.catalogue_of(fits) is not None:
        return sdss.position_of(header, None) or sdss.position_of(header, sdss.catalogue_of(fits))
    fields = describe(file, _joined(fits)).fields
    return {name: fields[name] for name in ("ra", "dec") if name in fields}


def _joined(fits: FitsFile) -> Header:
    """The primary header, with that of the HDU that holds the spectrum."""
    primary = fits.primary
    if primary.pixels > 1:
        return primary.header
    for hdu in islice(fits, 1, MAX_HDUS):
        if hdu.is_table or hdu.pixels > 1:
            return Header.joined(primary.header, hdu.header)
    return primary.header
