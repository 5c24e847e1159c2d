"""WEAVE L1: the fibres of one arm as rows of images, their targets in FIBTABLE.

From the published data model (version 8). Singles, stacks and superstacks have many rows, a
supertarget has one; cubes of the integral-field units are refused.
"""

import numpy as np

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.fits_table import FitsTable
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Pixels,
    Request,
    build,
    fits_of,
    known,
    linear_axis,
    median_snr,
    names_in,
    position_in,
    row_of,
    stem,
)
from agent.spectra.readers.desi import Arm, merge_arms
from agent.spectra.readers.wavelength_units import factor_of
from agent.spectra.spectrum import FloatArray, Spectrum

ARMS = ("BLUE", "GREEN", "RED")
# Means of the two modes, where FIBTABLE does not give the width of arc lines.
RESOLUTIONS = {"LOWRES": 5000.0, "HIGHRES1": 20_000.0, "HIGHRES2": 20_000.0}
FLUX_UNIT = "erg/s/cm2/A"
NAMES = ("TARGID", "CNAME", "TARGNAME")
PLACE = ("TARGRA", "TARGDEC")
KEPT = (*NAMES, "TARGSRVY", "TARGPROG", "TARGCLASS", "TARGUSE", "FIBREID")
SKY_NOTE = "this fibre was on the sky"


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    hdus = {hdu.name: hdu for hdu in fits if hdu.name}
    arms = [arm for arm in ARMS if {f"{arm}_DATA", f"{arm}_IVAR"} <= hdus.keys()]
    if not arms or not ("FIBTABLE" in hdus or f"{arms[0]}_SENSFUNC" in hdus):
        raise NotMine("it has no BLUE_DATA, GREEN_DATA or RED_DATA with _IVAR and FIBTABLE")
    data = hdus[f"{arms[0]}_DATA"]
    if len(data.axes) > 2:
        raise Malformed("a WEAVE cube: only the spectra of fibres are read")
    fibtable = hdus.get("FIBTABLE")
    table = fibtable.table if fibtable is not None and fibtable.is_table else None
    row = row_of(file, request, data.rows, table, NAMES)
    # An archive's file holds one arm; several are joined as those of DESI are.
    parts = [_arm(hdus, arm, row) for arm in arms]
    pixels, notes = merge_arms([part for part, _ in parts])
    if not all(is_calibrated for _, is_calibrated in parts):
        notes = (*notes, "its flux is not calibrated: it has no sensitivity function")
    about = {name: text for name in KEPT for text in names_in(table, row, (name,))}
    if about.get("TARGUSE") == "S":
        notes = (*notes, SKY_NOTE)
    names = names_in(table, row, NAMES)
    # The wavelengths of the arms are in air, as the data model says of the columns that L2
    # copies from them; CTYPE1 is not asked, as the model does not say what it is.
    return build(
        file, pixels, medium="air", header=fits.primary.header, warnings=notes,
        format=f"WEAVE L1, {', '.join(arm.lower() for arm in arms)}", survey="WEAVE",
        object_id=names[0] if names else f"{stem(file.path)}#{row}", row=row, rows=data.rows,
        flux_unit=FLUX_UNIT if all(is_calibrated for _, is_calibrated in parts) else "adu",
        resolution=_resolution(fits, table, row, pixels), more_meta=about,
        snr=_snr(table, row) or median_snr(pixels), **position_in(table, row, *PLACE),
    )  # fmt: skip


def _arm(hdus: dict[str, Hdu], name: str, row: int) -> tuple[Arm, bool]:
    """One arm, calibrated where the file has a sensitivity function, and whether it has one."""
    data, errors = hdus[f"{name}_DATA"], hdus[f"{name}_IVAR"]
    if errors.axes != data.axes:
        raise Malformed(f"a WEAVE file whose {name}_DATA and {name}_IVAR differ in size")
    flux, ivar = data.image(row, 1)[0], errors.image(row, 1)[0]
    sensitivity = hdus.get(f"{name}_SENSFUNC")
    factor = None if sensitivity is None else _sensitivity(sensitivity, row, flux.size)
    # Bad pixels have ivar 0; a pixel without a positive sensitivity has no known flux either.
    usable = np.isfinite(flux) & np.isfinite(ivar) & (ivar > 0)
    if factor is not None:
        usable &= factor > 0
        factor = np.where(factor > 0, factor, 1.0)
        flux, ivar = flux * factor, ivar / factor**2
    return Arm(name, _wavelength(data), flux, np.where(usable, ivar, 0.0)), factor is not None


def _sensitivity(hdu: Hdu, row: int, pixels: int) -> FloatArray | None:
    """Flux per ADU of a row, or of all rows where there is one; None if nothing is positive."""
    # The data model gives it per ADU a second, while programs that read such files multiply
    # plainly, as is done here: shapes are sure, the level may be off by the time of exposure.
    if hdu.pixels != pixels or row >= hdu.rows > 1:
        return None
    factor = np.nan_to_num(hdu.image(row if hdu.rows > 1 else 0, 1)[0], posinf=0.0)
    return factor if (factor > 0).any() else None


def _wavelength(hdu: Hdu) -> FloatArray:
    header = hdu.header
    start, reference = header.number("CRVAL1"), header.number("CRPIX1")
    step = header.number("CD1_1") or header.number("CDELT1")
    if start is None or step is None or not step > 0.0:
        raise Malformed(f"a WEAVE file whose {hdu.name} gives no wavelengths (CRVAL1, CD1_1)")
    axis = linear_axis(start, step, 1.0 if reference is None else reference, hdu.pixels)
    return axis * (factor_of(header.text("CUNIT1")) or 1.0)


def _resolution(fits: FitsFile, table: FitsTable | None, row: int, pixels: Pixels) -> float | None:
    """The middle of the arm over the mean width of arc lines, else the mean of the mode."""
    has_row = table is not None and row < table.rows
    width = table.number("RESOL", row) if table is not None and has_row else None  # angstrom
    if width is not None and 0.05 < width < 10.0:
        return float(np.median(pixels.wavelength)) / width
    return RESOLUTIONS.get(fits.primary.header.text("VPH").upper())


def _snr(table: FitsTable | None, row: int) -> float | None:
    return known(table.number("SNR", row)) if table is not None and row < table.rows else None
