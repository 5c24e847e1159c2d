"""Subaru PFS: pfsObject and pfsSingle files of one object, pfsCoadd and pfsCalibrated of many.

From the data model that the project publishes (github.com/Subaru-PFS/datamodel).
"""

import re

import numpy as np

from agent.spectra.fits.fits_file import FitsFile, Hdu
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Pixels,
    Request,
    build,
    fits_of,
    ivar_of_sigma,
    linear_axis,
    median_snr,
    names_in,
    position,
    row_of,
    stem,
    with_bits,
)
from agent.spectra.readers.wavelength_units import factor_of
from agent.spectra.spectrum import FloatArray, Spectrum

NAME, PLACE = "OBJID", ("RA", "DEC")
PARTS = {"FLUX", "MASK", "COVAR", "TARGET", "OBSERVATIONS"}
# Means of 2300 (blue), 3000 (red) and 4300 (infrared), and that of the medium-resolution red arm,
# which covers 7100 to 8850 A.
RESOLUTION, MEDIUM_RESOLUTION, MEDIUM_ARM = 3000.0, 5000.0, (7000.0, 9000.0)
FLUX_UNIT = "1e-17 erg/s/cm2/A"
NJY = 2.99792458e3  # 1 nJy at 1 A in this unit; a flux per frequency goes with 1 / wavelength^2
# Flags that leave no usable flux. Cosmic rays, saturated and dead pixels are left out when a
# spectrum is extracted, and what several visits have there is good: the pipeline keeps it, too.
BAD_FLAGS = ("NO_DATA", "SUSPECT", "BAD_SKY", "BAD_FLUXCAL", "BAD_FIBERNORMS", "UNMASKEDNAN")
BAD_IN_ONE_VISIT = ("BAD", "SAT", "CR", "BAD_FLAT")
FLAG = re.compile(r"^MP_(\w{1,40}): (\d{1,2})\s*$", re.MULTILINE)
PACKED_NOTE = "its MASK is packed: bad pixels are known by their errors alone"


def read(file: SourceFile, request: Request) -> Spectrum:
    fits: FitsFile = fits_of(file)
    first = fits.get(1)
    if first is None or first.name not in ("FLUX", "TARGET"):
        raise NotMine("its HDU 1 is neither FLUX nor TARGET of PFS")
    hdus = {hdu.name: hdu for hdu in fits}
    if not hdus.keys() >= PARTS or not hdus["TARGET"].is_table:
        missing = ", ".join(sorted(PARTS - hdus.keys())) or "TARGET"
        raise NotMine(f"not an object of PFS: it has no {missing}")
    targets = hdus["TARGET"].table
    # Of one object, TARGET has magnitudes, and the identity is in its header.
    many = targets if NAME in targets else None
    rows = 1 if many is None else many.rows
    row = row_of(file, request, rows, many, (NAME,))
    pixels, notes = _pixels(hdus, row, many is not None)
    header = hdus["TARGET"].header
    names = names_in(many, row, (NAME,)) or [str(header.value(NAME) or "")]
    ra, dec = (header.number(key) if many is None else many.number(key, row) for key in PLACE)
    catalogue = header.integer("CATID") if many is None else many.integer("CATID", row)
    low, high = pixels.wavelength[0], pixels.wavelength[-1]
    medium_arm = MEDIUM_ARM[0] <= low and high <= MEDIUM_ARM[1]
    return build(
        file, pixels, header=fits.primary.header, warnings=notes, survey="PFS",
        format="PFS objects" if many is not None else "PFS object", flux_unit=FLUX_UNIT,
        object_id=names[0] or stem(file.path), row=row, rows=rows, snr=median_snr(pixels),
        resolution=MEDIUM_RESOLUTION if medium_arm else RESOLUTION,
        more_meta={} if catalogue is None else {"CATID": catalogue}, **position(ra, dec),
    )  # fmt: skip


def _pixels(hdus: dict[str, Hdu], row: int, many: bool) -> tuple[Pixels, tuple[str, ...]]:
    """Pixels in angstrom and per wavelength, and what is to be said of them."""
    flags = None if _is_packed(hdus["MASK"]) else _cells(hdus["MASK"], row)
    # Flags of many objects are packed by tiles, which is not read: their table of fluxes near the
    # original sampling has them unpacked.
    native = _flux_table(hdus, row) if flags is None else None
    if native is not None:
        wavelength, flux, ivar, flags = native
    else:
        flux, ivar = _cells(hdus["FLUX"], row), _ivar(hdus["COVAR"], row)
        wavelength = _wavelength(hdus, row, flux.size)
    if not wavelength.shape == flux.shape == ivar.shape:
        raise Malformed("a PFS file whose arrays differ in length")
    mask = None if flags is None else with_bits(flags, _bad_bits(hdus, row, many))
    factor = NJY / np.where(wavelength > 0, wavelength, 1.0) ** 2
    notes = (PACKED_NOTE,) if flags is None else ()
    return Pixels(wavelength, flux * factor, ivar / factor**2, mask), notes


def _is_packed(hdu: Hdu) -> bool:
    return hdu.is_table and "VALUE" not in hdu.table


def _cells(hdu: Hdu, row: int) -> FloatArray:
    """A row of an image, or a cell of a table where rows differ in length."""
    if _is_packed(hdu):
        raise Malformed(f"a PFS file whose {hdu.name} is packed")
    if hdu.is_table:
        return hdu.table.cell("VALUE", row).astype(np.float64)
    return hdu.image(0 if hdu.rows == 1 else row, 1)[0]


def _ivar(hdu: Hdu, row: int) -> FloatArray:
    """1 / variance: the first of the three rows of an object, or a column of a table for many."""
    variance = hdu.table.cell("ROW_0", row) if hdu.is_table else hdu.image(3 * row, 1)[0]
    return ivar_of_sigma(np.sqrt(np.maximum(variance.astype(np.float64), 0.0)))


def _flux_table(hdus: dict[str, Hdu], row: int) -> tuple[FloatArray, ...] | None:
    """Wavelength, flux, ivar and flags of the table of fluxes; None where it has none."""
    hdu = hdus.get("FLUXTABLE")
    if hdu is None or not hdu.is_table or not hdu.table.has("WAVELENGTH", "FLUX", "ERROR", "MASK"):
        return None
    names = ("WAVELENGTH", "FLUX", "ERROR", "MASK")
    wavelength, flux, error, mask = (hdu.table.cell(name, row) for name in names)
    if not wavelength.size or not wavelength.shape == flux.shape == error.shape == mask.shape:
        return None
    order = np.argsort(wavelength, kind="stable")  # arms overlap
    return 10.0 * wavelength[order], flux[order], ivar_of_sigma(error[order]), mask[order]


def _wavelength(hdus: dict[str, Hdu], row: int, pixels: int) -> FloatArray:
    """Vacuum angstrom, from an image in nm or from the header of FLUX."""
    if "WAVELENGTH" in hdus:
        return 10.0 * _cells(hdus["WAVELENGTH"], row)
    header = hdus["FLUX"].header
    start, step = header.number("CRVAL1"), header.number("CDELT1")
    reference = header.number("CRPIX1")
    if start is None or not step or reference is None:
        raise Malformed("a PFS file that gives no wavelengths (WAVELENGTH or CRVAL1)")
    # The project's own code writes CRPIX1 one pixel too far, and reads it so.
    if reference == 0.5 * pixels + 1.5:
        reference -= 1.0
    return linear_axis(start, step, reference, pixels) * (factor_of(header.text("CUNIT1")) or 10.0)


def _bad_bits(hdus: dict[str, Hdu], row: int, many: bool) -> tuple[int, ...]:
    """Bits of the flags that spoil a pixel: the file names them, as numbers differ."""
    several = _visits(hdus["OBSERVATIONS"], row, many) > 1
    wanted = BAD_FLAGS if several else BAD_FLAGS + BAD_IN_ONE_VISIT
    header, metadata = hdus["MASK"].header, hdus.get("METADATA")
    bits = {name: header.integer(f"MP_{name}") for name in wanted}
    if many and metadata is not None and metadata.is_table and "METADATA" in metadata.table:
        text = metadata.table.cell("METADATA", row).tobytes().decode("latin-1")
        bits |= {name: int(bit) for name, bit in FLAG.findall(text) if name in bits}
    return tuple(bit for bit in bits.values() if bit is not None and 0 <= bit < 62)


def _visits(hdu: Hdu, row: int, many: bool) -> int:
    if not hdu.is_table or "VISIT" not in hdu.table:
        return 0
    visits = hdu.table.column("VISIT")
    if many and "TARGETID" in hdu.table:
        visits = visits[hdu.table.column("TARGETID") == row]
    return int(np.unique(visits).size)
