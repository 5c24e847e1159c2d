"""SDSS, BOSS, eBOSS and SDSS-V `spec` files, lite and full.

Tables are found by position and columns by case-insensitive name, because some files have no
EXTNAME and upper-case columns.
"""

from typing import Any

import numpy as np

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_header import Header
from agent.spectra.fits.fits_table import FitsTable
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
from agent.spectra.spectrum import Spectrum

RESOLUTION = 2000.0
FLUX_UNIT = "1e-17 erg/s/cm2/A"
# Bits of SPPIXMASK that leave no usable flux: 18 FULLREJECT, 22 NOSKY, 24 NODATA. BRIGHTSKY (23)
# covers 2 to 8 % of real spectra whose flux is usable, with the right ivar; bits 0 to 15 describe
# the whole fibre and would mask complete spectra.
BAD_BITS = (18, 22, 24)
LN10 = np.log(10.0)
# Columns of SPECOBJ, SPALL and SDSS-V's catalogue that others do not write.
CATALOGUE = ("PLUG_RA", "SN_MEDIAN_ALL", "ZWARNING", "SDSS_ID", "RACAT")
EXPOSURES_BEYOND = 50_000  # a full file has more bytes after the catalogue table
# The primary RA and DEC are those of the plate centre, so they are never used.
POSITION_KEYS = (("PLUG_RA", "PLUG_DEC"), ("RACAT", "DECCAT"), ("FIBER_RA", "FIBER_DEC"))


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    coadd = fits.get(1)
    if fits.primary.pixels:
        raise NotMine("its primary HDU holds an image")
    if coadd is None or not coadd.is_table:
        raise NotMine("its HDU 1 is not a table")
    # Templates and spectra of others have the columns flux and loglam, too.
    catalogue = catalogue_of(fits)
    if not names_sdss(header) and catalogue is None:
        raise NotMine("neither its primary header nor its HDU 2 is one of SDSS")
    if not coadd.table.has("FLUX", "LOGLAM") and coadd.name == "COADD":
        raise Malformed("an SDSS file whose COADD table has no flux and loglam columns")
    if not coadd.table.has("FLUX", "LOGLAM", "IVAR"):
        raise NotMine("its HDU 1 has no flux, loglam and ivar columns")
    checked_row(request)
    return build(
        file, _pixels(coadd.table), medium="air" if header.flag("VACUUM") is False else "vacuum",
        header=header, format=_format(file, catalogue), survey="SDSS",
        release=(catalogue.text("RUN2D") if catalogue else "") or header.text("RUN2D"),
        object_id=_name(file, header, catalogue), flux_unit=FLUX_UNIT, resolution=RESOLUTION,
        **position_of(header, catalogue), **_classification(catalogue),
    )  # fmt: skip


def names_sdss(header: Header) -> bool:
    return header.text("TELESCOP").startswith("SDSS") and "PLATEID" in header


def _pixels(table: FitsTable) -> Pixels:
    flags = table.vector("AND_MASK") if "AND_MASK" in table else None
    return Pixels(
        np.exp(LN10 * table.vector("LOGLAM").astype(np.float64)),  # 10**x, but three times as fast
        table.vector("FLUX"),
        table.vector("IVAR"),
        None if flags is None else with_bits(flags, BAD_BITS),
    )


def catalogue_of(fits: FitsFile) -> FitsTable | None:
    """SPECOBJ or SPALL in HDU 2: one row about the object."""
    hdu: Hdu | None = fits.get(2)
    if hdu is None or not hdu.is_table or hdu.table.rows < 1:
        return None
    table = hdu.table
    return table if table.has("CLASS") and any(name in table for name in CATALOGUE) else None


def _format(file: SourceFile, catalogue: FitsTable | None) -> str:
    if catalogue is not None and "SPECPRIMARY" not in catalogue:
        family = "SDSS-V"
    elif catalogue is not None and "SPECLEGACY" in catalogue:
        family = "SDSS"
    else:
        family = "BOSS"
    return f"{family} spec, {'full' if _has_exposures(file) else 'lite'}"


def _has_exposures(file: SourceFile) -> bool:
    """Whether single exposures follow: 60 kB each, while a lite file ends with 20 kB of line fits.

    Checking the size avoids parsing the headers of HDUs that are not read.
    """
    catalogue = file.fits.get(2)
    return catalogue is not None and bool(file.bytes.read(catalogue.end + EXPOSURES_BEYOND, 1))


def _name(file: SourceFile, header: Header, catalogue: FitsTable | None) -> str:
    """plate-mjd-fiber, or field-mjd-catalogid in SDSS-V."""

    def number(*names: str) -> int | None:
        for name in names:
            value = catalogue.integer(name) if catalogue is not None else None
            value = header.integer(name) if value is None else value
            if value is not None:
                return value
        return None

    mjd, plate, fiber = number("MJD"), number("PLATE", "PLATEID"), number("FIBERID")
    if plate is not None and plate > 0 and mjd is not None and fiber is not None:
        return f"{plate:04d}-{mjd}-{fiber:04d}"
    field, catalogid = number("FIELD"), number("CATALOGID", "SDSS_ID")
    if field is not None and mjd is not None and catalogid is not None:
        return f"{field:06d}-{mjd}-{catalogid}"
    return stem(file.path)


def position_of(header: Header, catalogue: FitsTable | None) -> dict[str, Any]:
    """Fields `ra` and `dec` of the object, empty if only the plate centre is known."""
    for ra, dec in POSITION_KEYS:
        fields = position(header.number(ra), header.number(dec))
        if not fields and catalogue is not None:
            fields = position(catalogue.number(ra), catalogue.number(dec))
        if fields:
            return fields
    return {}


def _classification(catalogue: FitsTable | None) -> dict[str, Any]:
    if catalogue is None:
        return {}
    return {
        "class_name": catalogue.text("CLASS"),
        "subclass": catalogue.text("SUBCLASS"),
        "z": known(catalogue.number("Z")),
        "snr": known(catalogue.number("SN_MEDIAN_ALL")),
    }


# spSpec files (up to DR8): a primary image whose third row is sigma, not ivar.

# By SPEC_CLN: 4 is a high-redshift quasar, 6 a late-type star.
CLASSES = {
    0: "UNKNOWN", 1: "STAR", 2: "GALAXY", 3: "QSO", 4: "QSO", 5: "SKY", 6: "STAR",
}  # fmt: skip


def read_spspec(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    header = fits.primary.header
    if not header.text("TELESCOP").startswith("SDSS") or "SPEC_CLN" not in header:
        raise NotMine("its primary header is not one of SDSS with SPEC_CLN")
    if fits.primary.rows < 3:
        raise NotMine("its primary HDU holds no image of the rows spectrum, continuum and error")
    first, step = header.number("COEFF0"), header.number("COEFF1")
    if first is None or not step:
        raise Malformed("an spSpec file without COEFF0 and COEFF1: no wavelengths")
    checked_row(request)
    rows = fits.primary.image(0, min(fits.primary.rows, 4))
    code = header.integer("SPEC_CLN")
    wavelength = 10.0 ** (first + step * np.arange(rows.shape[1]))
    mask = with_bits(rows[3], BAD_BITS) if len(rows) > 3 else None
    return build(
        file, Pixels(wavelength, rows[0], ivar_of_sigma(rows[2]), mask),
        medium="air" if header.flag("VACUUM") is False else "vacuum", header=header,
        format="SDSS spSpec", survey="SDSS", release=header.text("VERS2D"),
        object_id=_name(file, header, None), flux_unit=FLUX_UNIT, resolution=RESOLUTION,
        class_name=CLASSES.get(code, "") if code is not None else "",
        z=known(header.number("Z")), snr=_snr(header),
        **position(header.number("RAOBJ"), header.number("DECOBJ")),
    )  # fmt: skip


def _snr(header: Header) -> float | None:
    values = [v for key in ("SN_G", "SN_R", "SN_I") if (v := header.number(key)) and v > 0]
    return float(np.median(values)) if values else None
