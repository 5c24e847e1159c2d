"""LAMOST low resolution, as an image of five rows or as a table with one row of vectors.

The layout cannot be told from the release: DR8 files are images, DR10 files tables.
"""

from typing import Any

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
    known,
    position,
    stem,
    with_bits,
)
from agent.spectra.spectrum import FloatArray, Spectrum

RESOLUTION = 1800.0
IMAGE_ROWS = 5
BANDS = "URGIZ"
# Bits of ANDMASK: 0 bad CCD pixel, 1 bad profile, 2 no sky, 4 trace outside the CCD, 5 no good
# data. Bit 3 (bright sky) is ignored: its flux is usable, and it covers the red end of faint stars.
# In 28 files we checked, every pixel with one of these bits also has ivar 0.
BAD_BITS = (0, 1, 2, 4, 5)
# Range of wavelengths in the third row, angstrom; DR1 has normalised flux there.
PLAUSIBLE = (1000.0, 30000.0)
RISING = 0.99  # share of the pixels that must have a larger wavelength than the one before


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not is_lamost(header):
        raise NotMine("its primary header does not name LAMOST")
    if fits.primary.pixels and fits.primary.rows != IMAGE_ROWS:
        raise NotMine(f"LAMOST, but its image has {fits.primary.rows} rows, not {IMAGE_ROWS}")
    checked_row(file, request)
    if fits.primary.pixels:
        pixels, layout = _from_image(fits.primary), "image"
    else:
        pixels, layout = _from_table(fits), "table"
    return build(
        file, pixels, header=header, format=f"LAMOST low resolution, {layout}", survey="LAMOST",
        resolution=RESOLUTION, snr=_snr(header), class_name=header.text("CLASS"),
        subclass=subclass_of(header), z=known(header.number("Z")), **identity(file, header),
    )  # fmt: skip


def is_lamost(header: Header) -> bool:
    marks = ("TELESCOP", "ORIGIN", "AUTHOR", "DATA_V", "DESIG")
    return any("LAMOST" in header.text(key).upper() for key in marks)


def identity(file: SourceFile, header: Header) -> dict[str, Any]:
    """Name, position and release, for low and medium resolution."""
    return {
        "object_id": _name(file, header),
        "release": _release(header),
        **position(header.number("RA"), header.number("DEC")),
    }


def subclass_of(header: Header) -> str:
    """SUBCLASS, which is 'Non' for quasars, galaxies and unknown objects."""
    text = header.text("SUBCLASS")
    return "" if text.lower() in ("non", "null") else text


def _name(file: SourceFile, header: Header) -> str:
    # The designation is the stable name: OBSID is missing in DR1 and overflows in DR3.
    designation = header.text("DESIG")
    if designation:
        return designation
    obsid = header.integer("OBSID")
    return str(obsid) if obsid is not None else stem(file.path)


def _release(header: Header) -> str:
    release = header.text("DATA_V").upper().removeprefix("LAMOST").strip()
    if release:
        return release
    if "SUBCONTINUUM" in header.text("EXTEN0").upper():
        return "DR1"
    return "DR2" if "SN_G" in header else ""


def _snr(header: Header) -> float | None:
    """Median of the positive S/N in u, g, r, i, z: a single band fails for hot or red stars."""
    stated = (header.number(f"{name}{band}") for band in BANDS for name in ("SNR", "SN_"))
    values = [value for value in stated if value is not None and value > 0]
    return float(np.median(values)) if values else None


def _from_image(hdu: Hdu) -> Pixels:
    rows = hdu.image()
    return Pixels(_wavelength(rows[2], hdu.header), rows[0], rows[1], with_bits(rows[3], BAD_BITS))


def _from_table(fits: FitsFile) -> Pixels:
    tables = [hdu for hdu in fits.tables() if hdu.table.has("FLUX")]
    hdu = next((hdu for hdu in tables if hdu.table.has("FLUX", "WAVELENGTH")), None)
    if hdu is None:
        if tables and tables[0].table.has("LOGLAM"):
            raise NotMine("LAMOST, but not of low resolution: its tables have LOGLAM")
        raise NotMine("LAMOST, but its COADD table (FLUX, IVAR, WAVELENGTH) is missing")
    table = hdu.table
    ivar = table.vector("IVAR") if "IVAR" in table else None
    mask = with_bits(table.vector("ANDMASK"), BAD_BITS) if "ANDMASK" in table else None
    row = np.asarray(table.vector("WAVELENGTH"), dtype=np.float64)
    return Pixels(_wavelength(row, fits.primary.header), table.vector("FLUX"), ivar, mask)


def _wavelength(row: FloatArray, header: Header) -> FloatArray:
    """The row if it holds wavelengths, else the log-linear grid of the header."""
    finite = row[np.isfinite(row)]
    low, high = PLAUSIBLE
    is_known = finite.size > row.size // 2 and low < np.median(finite) < high
    if is_known and (np.diff(finite) > 0).mean() > RISING:
        return row
    first, step = header.number("COEFF0"), header.number("COEFF1")
    if first is None or step is None:
        first, step = header.number("CRVAL1"), header.number("CD1_1")
    if first is None or not step or not 2 < first < 5:
        raise Malformed("a LAMOST file with neither a wavelength row nor COEFF0 and COEFF1")
    return np.power(10.0, first + step * np.arange(row.size, dtype=np.float64))
