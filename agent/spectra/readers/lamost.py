"""LAMOST: low resolution in a single array, medium resolution in two arms.

Low resolution is an image of five rows, or a table with one row of vectors; which of them cannot be
told from the release: DR8 files are images, DR10 files tables. The two arms of medium resolution
are joined into one array with a gap: row 0 is the coadd, the rows after it are the exposures, in
the order of their time.
"""

import re
from datetime import datetime, timedelta
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


def read_low(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not is_lamost(header):
        raise NotMine("its primary header does not name LAMOST")
    if fits.primary.pixels and fits.primary.rows != IMAGE_ROWS:
        raise NotMine(f"LAMOST, but its image has {fits.primary.rows} rows, not {IMAGE_ROWS}")
    checked_row(request)
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
    """The subclass, empty for quasars, galaxies and unknown objects, whose SUBCLASS is 'Non'."""
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


# Medium resolution.
MEDIUM_RESOLUTION = 7500.0
COADD = "COADD"
ARMS = ("B", "R")
# An exposure is named by the minute it began: days since the epoch of MJD times 1440, local time.
EXPOSURE = re.compile(r"([BR])-(\d{8})$")
LISTED = re.compile(r"\d{8}")
MINUTES, UTC_OFFSET_MINUTES = 24 * 60, 8 * 60
MJD_EPOCH = datetime(1858, 11, 17)

Epoch = dict[str, Hdu]
"""The tables of one exposure, or of the coadd, by arm."""


def read_medium(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not is_lamost(header):
        raise NotMine("its primary header does not name LAMOST")
    coadd, listed = _coadd(fits)
    epochs: dict[str, Epoch] = {}
    # The coadds name their exposures, which come after them and need not be unpacked to be counted.
    if request.row != 0 or not listed:
        epochs = _epochs(fits)
    if not coadd and not epochs:
        raise NotMine("it has no COADD_B or COADD_R table")
    names = ([COADD] if coadd else []) + (sorted(epochs) or sorted(listed))
    row = checked_row(request, len(names))
    arms = coadd if names[row] == COADD else epochs[names[row]]
    parts = [_pixels(arms[arm]) for arm in ARMS if arm in arms]
    pixels = Pixels(
        np.concatenate([part.wavelength for part in parts]),
        np.concatenate([part.flux for part in parts]),
        np.concatenate([np.asarray(part.ivar) for part in parts]),
        np.concatenate([np.asarray(part.mask) for part in parts]),
    )
    ratios = {arm: hdu.header.number("SNR") or 0.0 for arm, hdu in sorted(arms.items())}
    positive = [ratio for ratio in ratios.values() if ratio > 0]
    missing = [_title(names[row], arm) for arm in ARMS if arm not in arms]
    notes = [f"the arm {title} is missing" for title in missing]
    if not coadd:
        notes.append("without a coadd: its rows are the exposures")
    return build(
        file, pixels, header=header, warnings=tuple(notes), row=row, rows=len(names),
        more_meta={f"SNR_{arm}": ratio for arm, ratio in ratios.items()} | _exposure(arms),
        format="LAMOST medium resolution", survey="LAMOST-MRS", resolution=MEDIUM_RESOLUTION,
        snr=float(np.median(positive)) if positive else None, class_name=header.text("CLASS"),
        subclass=subclass_of(header), z=known(header.number("Z")), **identity(file, header),
    )  # fmt: skip


def _title(name: str, arm: str) -> str:
    return f"{COADD}_{arm}" if name == COADD else f"{arm}-{name}"


def _coadd(fits: FitsFile) -> tuple[Epoch, set[str]]:
    """The tables of the coadd, and the exposures that they name."""
    arms: Epoch = {}
    for hdu in fits:
        start, _, arm = hdu.name.partition("_")
        if start == COADD and arm in ARMS:
            arms[arm] = hdu
        if len(arms) == len(ARMS) or EXPOSURE.match(hdu.name):  # the coadds come first
            break
    lists = (
        hdu.header.text(key)
        for hdu in arms.values()
        for key in hdu.header
        if key.startswith("LMJMLI")  # LMJMLIST, or LMJMLIS0, LMJMLIS1, ... of many exposures
    )
    return arms, {name for text in lists for name in LISTED.findall(text)}


def _epochs(fits: FitsFile) -> dict[str, Epoch]:
    """The arms of each exposure, by the minute it began."""
    epochs: dict[str, Epoch] = {}
    for hdu in fits:
        match = EXPOSURE.match(hdu.name)
        if match and hdu.is_table:
            epochs.setdefault(match[2], {})[match[1]] = hdu
    return epochs


def _exposure(arms: Epoch) -> dict[str, Any]:
    """Start and length of an exposure; nothing for a coadd."""
    hdu = next(iter(arms.values()))
    match = EXPOSURE.match(hdu.name)
    if match is None:
        return {}
    minute = int(match[2])
    begin = MJD_EPOCH + timedelta(minutes=minute)
    seconds = hdu.header.number("EXPTIME")
    return {
        "LMJM": minute,
        "EPOCH_LOCAL": begin.isoformat(timespec="minutes"),
        "EPOCH_MJD": round((minute - UTC_OFFSET_MINUTES) / MINUTES, 5),
        **({} if seconds is None else {"EXPTIME": seconds}),
    }


def _pixels(hdu: Hdu) -> Pixels:
    table = hdu.table
    for name in ("FLUX", "IVAR", "LOGLAM"):
        if name not in table:
            raise Malformed(f"a LAMOST medium-resolution file whose {hdu.name} has no {name}")

    def values(name: str) -> FloatArray:
        return table.vector(name).astype(np.float64)

    # LOGLAM is stored in single precision, a step of 1e-7 in log10: 0.0015 A at 6500 A.
    wavelength = 10.0 ** values("LOGLAM")
    flags = next((name for name in ("ANDMASK", "PIXMASK") if name in table), None)
    bits = np.zeros_like(wavelength) if flags is None else values(flags)
    # Red exposures are stored from long to short wavelengths.
    turn = slice(None, None, -1 if wavelength.size > 1 and wavelength[0] > wavelength[-1] else 1)
    mask = with_bits(bits, BAD_BITS)
    return Pixels(wavelength[turn], values("FLUX")[turn], values("IVAR")[turn], mask[turn])
