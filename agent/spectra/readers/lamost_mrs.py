"""LAMOST medium resolution: two coadded arms, joined into one array with a gap."""

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
ARMS = ("COADD_B", "COADD_R")


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not is_lamost(header):
        raise NotMine("its primary header does not name LAMOST")
    arms = _arms(fits)
    checked_row(file, request)
    parts = [_pixels(hdu) for hdu in arms]
    pixels = Pixels(
        np.concatenate([part.wavelength for part in parts]),
        np.concatenate([part.flux for part in parts]),
        np.concatenate([np.asarray(part.ivar) for part in parts]),
        np.concatenate([np.asarray(part.mask) for part in parts]),
    )
    ratios = [snr for hdu in arms if (snr := hdu.header.number("SNR")) is not None and snr > 0]
    missing = set(ARMS) - {hdu.name for hdu in arms}
    return build(
        file, pixels, header=header,
        warnings=tuple(f"the arm {name} is missing" for name in sorted(missing)),
        more_meta={f"SNR_{hdu.name[-1]}": hdu.header.number("SNR") or 0.0 for hdu in arms},
        format="LAMOST medium resolution", survey="LAMOST-MRS", resolution=RESOLUTION,
        snr=float(np.median(ratios)) if ratios else None, class_name=header.text("CLASS"),
        subclass=subclass_of(header), z=known(header.number("Z")), **identity(file, header),
    )  # fmt: skip


def _arms(fits: FitsFile) -> list[Hdu]:
    arms: list[Hdu] = []
    exposures = 0
    for hdu in fits:
        if hdu.name in ARMS:
            arms.append(hdu)
        elif hdu.is_table and hdu.name.startswith(("B-", "R-")):
            exposures += 1
        # The coadds come first, so the exposures after them need not be unpacked.
        if len(arms) == len(ARMS):
            break
    if not arms and exposures:
        raise Malformed("a LAMOST medium-resolution file without COADD_B and COADD_R")
    if not arms:
        raise NotMine("it has no COADD_B or COADD_R table")
    return sorted(arms, key=lambda hdu: hdu.name)


def _pixels(hdu: Hdu) -> Pixels:
    table = hdu.table
    for name in ("FLUX", "IVAR", "LOGLAM"):
        if name not in table:
            raise Malformed(f"a LAMOST medium-resolution file whose {hdu.name} has no {name}")

    def values(name: str) -> FloatArray:
        cells = table.cell(name) if table.rows == 1 else table.column(name)
        return cells.astype(np.float64)

    # LOGLAM is stored in single precision, a step of 1e-7 in log10: 0.0015 A at 6500 A.
    wavelength = 10.0 ** values("LOGLAM")
    flags = values("ANDMASK") if "ANDMASK" in table else np.zeros_like(wavelength)
    return Pixels(wavelength, values("FLUX"), values("IVAR"), with_bits(flags, BAD_BITS))
