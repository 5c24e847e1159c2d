"""LAMOST medium resolution: two arms, joined into one array with a gap.

Row 0 is the coadd; the rows after it are the exposures, in the order of their time.
"""

import re
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from agent.spectra.fits.fits_file import FitsFile, Hdu
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
    with_bits,
)
from agent.spectra.readers.lamost_lrs import BAD_BITS, identity, is_lamost, subclass_of
from agent.spectra.spectrum import FloatArray, Spectrum

RESOLUTION = 7500.0
COADD = "COADD"
ARMS = ("B", "R")
# An exposure is named by the minute it began: days since the epoch of MJD times 1440, local time.
EXPOSURE = re.compile(r"([BR])-(\d{8})$")
LISTED = re.compile(r"\d{8}")
MINUTES, UTC_OFFSET_MINUTES = 24 * 60, 8 * 60
MJD_EPOCH = datetime(1858, 11, 17)

Epoch = dict[str, Hdu]
"""The tables of one exposure, or of the coadd, by arm."""


def read(file: SourceFile, request: Request) -> Spectrum:
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
    row = checked_row(file, request, len(names))
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
        format="LAMOST medium resolution", survey="LAMOST-MRS", resolution=RESOLUTION,
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
