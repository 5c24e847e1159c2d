"""SDSS spSpec files (up to DR8): a primary image whose third row is sigma, not ivar."""

import numpy as np

from agent.spectra.fits.fits_file import FitsFile
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
    known,
    position,
    stem,
    with_bits,
)
from agent.spectra.readers.sdss import BAD_BITS, FLUX_UNIT, RESOLUTION
from agent.spectra.spectrum import Spectrum

# By SPEC_CLN: 4 is a high-redshift quasar, 6 a late-type star.
CLASSES = {
    0: "UNKNOWN", 1: "STAR", 2: "GALAXY", 3: "QSO", 4: "QSO", 5: "SKY", 6: "STAR",
}  # fmt: skip


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not header.text("TELESCOP").startswith("SDSS") or "SPEC_CLN" not in header:
        raise NotMine("its primary header is not one of SDSS with SPEC_CLN")
    if fits.primary.rows < 3:
        raise NotMine("its primary HDU holds no image of the rows spectrum, continuum and error")
    first, step = header.number("COEFF0"), header.number("COEFF1")
    if first is None or not step:
        raise Malformed("an spSpec file without COEFF0 and COEFF1: no wavelengths")
    checked_row(file, request)
    rows = fits.primary.image(0, min(fits.primary.rows, 4))
    code = header.integer("SPEC_CLN")
    wavelength = 10.0 ** (first + step * np.arange(rows.shape[1]))
    mask = with_bits(rows[3], BAD_BITS) if len(rows) > 3 else None
    return build(
        file,
        Pixels(wavelength, rows[0], ivar_of_sigma(rows[2]), mask),
        medium="air" if header.flag("VACUUM") is False else "vacuum",
        header=header,
        format="SDSS spSpec",
        survey="SDSS",
        release=header.text("VERS2D"),
        object_id=_name(file, header),
        flux_unit=FLUX_UNIT,
        resolution=RESOLUTION,
        class_name=CLASSES.get(code, "") if code is not None else "",
        z=known(header.number("Z")),
        snr=_snr(header),
        **position(header.number("RAOBJ"), header.number("DECOBJ")),
    )


def _name(file: SourceFile, header: Header) -> str:
    plate, mjd, fiber = (header.integer(key) for key in ("PLATEID", "MJD", "FIBERID"))
    if plate is None or mjd is None or fiber is None:
        return stem(file.path)
    return f"{plate:04d}-{mjd}-{fiber:04d}"


def _snr(header: Header) -> float | None:
    values = [v for key in ("SN_G", "SN_R", "SN_I") if (v := header.number(key)) and v > 0]
    return float(np.median(values)) if values else None
