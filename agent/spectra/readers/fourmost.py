"""4MOST L1: one spectrum as ESO archives it, or the fibres of one exposure in a table.

Of the layouts, that of one spectrum is known from the header template of the survey's simulations
(PHASE3SPECTRUM, with the keywords of ESO's phase 3), that of many from programs that read them
(SPECTAB and FIBMETATAB). No file of the survey itself was at hand.
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
    fits_of,
    ivar_of_sigma,
    known,
    linear_axis,
    median_snr,
    names_in,
    position,
    row_of,
    stem,
)
from agent.spectra.readers.wavelength_units import factor_of
from agent.spectra.spectrum import FloatArray, Spectrum

INSTRUMENTS = ("QMOST", "4MOST")  # ESO's name of the instrument, and everyone else's
# Means of the two kinds of spectrograph (4000 to 7800, 18,000 to 21,000), if SPEC_RES is missing.
LOW_RESOLUTION, HIGH_RESOLUTION = 5500.0, 20_000.0
FINE_STEP = 0.15  # angstrom; pixels of low resolution are 0.25 A wide
FLUX_UNIT = "erg/s/cm2/A"
# Targets are named OBJ_* in newer files, TRG_* in older ones; OBJECT is the field in the latter.
NAMES = ("OBJ_NME", "CNAME", "TRG_NME", "OBJ_UID", "TRG_UID", "OBJECT")
PLACES = (("OBJ_RA", "OBJ_DEC"), ("TRG_RA", "TRG_DEC"), ("RA", "DEC"))
KEPT = (*NAMES, "SPECUID", "FIB_ID", "FIB_USE")  # what is kept of a fibre's row


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    hdus = {hdu.name: hdu for hdu in fits if hdu.is_table}
    named = fits.primary.header.text("INSTRUME").upper() in INSTRUMENTS
    if not named and not {"SPECTAB", "FIBMETATAB"} <= hdus.keys():
        raise NotMine("its primary header does not name 4MOST, and it has no table FIBMETATAB")
    hdu = hdus.get("SPECTAB") or next((hdu for hdu in hdus.values() if "FLUX" in hdu.table), None)
    if hdu is None or "FLUX" not in hdu.table:
        raise NotMine("4MOST, but no table of it has a column FLUX")
    fibres = hdus["FIBMETATAB"].table if "FIBMETATAB" in hdus else None
    row = row_of(file, request, hdu.table.rows, fibres, NAMES)
    header = Header.joined(hdu.header, fits.primary.header)
    pixels = _pixels(hdu, fibres, row)
    about = {key: text for key in KEPT for text in names_in(fibres, row, (key,))}
    names = names_in(fibres, row, NAMES) or [text for key in NAMES if (text := header.text(key))]
    # Air, as the UCD of WAVE says (ESO's for air is em.wl;obs.atmos), unless it says em.wl.
    column = hdu.table.columns.get("WAVE")
    ucd = "" if column is None else hdu.header.text(f"TUCD{column.number}").lower()
    return build(
        file, pixels, medium="vacuum" if ucd == "em.wl" else "air", header=header,
        format="4MOST L1", survey="4MOST",
        release=header.text("RELEASE"), object_id=names[0] if names else stem(file.path),
        row=row, rows=hdu.table.rows, flux_unit=_unit(hdu, "FLUX") or FLUX_UNIT,
        resolution=header.number("SPEC_RES") or _resolution(np.asarray(pixels.wavelength)),
        snr=known(_number(fibres, row, header, "SNR")) or median_snr(pixels),
        more_meta=about, **_position(fibres, row, header),
    )  # fmt: skip


def _pixels(hdu: Hdu, fibres: FitsTable | None, row: int) -> Pixels:
    table = hdu.table
    flux = table.cell("FLUX", row)
    if "FLUX_IVAR" in table:
        ivar = table.cell("FLUX_IVAR", row)
    elif "ERR_FLUX" in table:
        ivar = ivar_of_sigma(table.cell("ERR_FLUX", row))
    else:
        raise Malformed("a 4MOST file with neither ERR_FLUX nor FLUX_IVAR")
    mask = table.cell("QUAL", row) != 0 if "QUAL" in table else None  # ESO: 0 is good
    return Pixels(_wavelength(hdu, fibres, row, flux.size), flux, ivar, mask)


def _wavelength(hdu: Hdu, fibres: FitsTable | None, row: int, pixels: int) -> FloatArray:
    """Of the column WAVE, of the header (FITS keywords of a vector column), or of the fibre."""
    if "WAVE" in hdu.table:
        values = hdu.table.cell("WAVE", row).astype(np.float64)
        return values * (factor_of(_unit(hdu, "WAVE")) or 1.0)
    number, header = hdu.table.columns["FLUX"].number, hdu.header
    start, step = header.number(f"1CRVL{number}"), header.number(f"1CDLT{number}")
    if start is not None and step:
        reference = header.number(f"1CRPX{number}")
        axis = linear_axis(start, step, 1.0 if reference is None else reference, pixels)
        return axis * (factor_of(header.text(f"1CUNI{number}")) or 1.0)
    if fibres is not None:
        first, bin_nm = fibres.number("WAVELMIN", row), fibres.number("SPEC_BIN", row)
        if first is not None and bin_nm:
            return 10.0 * linear_axis(first, bin_nm, 1.0, pixels)
    raise Malformed("a 4MOST file that gives no wavelengths (WAVE, 1CRVL1 or WAVELMIN)")


def _unit(hdu: Hdu, column: str) -> str:
    return hdu.header.text(f"TUNIT{hdu.table.columns[column].number}")


def _resolution(wavelength: FloatArray) -> float:
    step = float(np.median(np.diff(wavelength))) if wavelength.size > 1 else 0.0
    return HIGH_RESOLUTION if step < FINE_STEP else LOW_RESOLUTION


def _number(fibres: FitsTable | None, row: int, header: Header, name: str) -> float | None:
    return header.number(name) if fibres is None else fibres.number(name, row)


def _position(fibres: FitsTable | None, row: int, header: Header) -> dict[str, Any]:
    pairs = ([_number(fibres, row, header, key) for key in keys] for keys in PLACES)
    return next((place for ra, dec in pairs if (place := position(ra, dec))), {})
