"""Reads FITS files of other formats with specutils, if it is installed.

specutils only gets FITS files whose structure was checked against their size, and only its FITS
loaders are allowed: its ASDF loader could run code.
"""

import importlib.util
import re
import warnings
from typing import Any

import numpy as np

from agent.spectra.fits.fits_file import BLOCK
from agent.spectra.fits.fits_header import CARD
from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import (
    Malformed,
    NotMine,
    Pixels,
    Request,
    build,
    checked_row,
    fits_of,
)
from agent.spectra.readers.libraries import describe
from agent.spectra.readers.wavelength_units import counts_pixels
from agent.spectra.spectrum import Spectrum

MAX_BYTES = 64 * 1024**2
OPTICAL = (100.0, 1e7)  # angstrom
# Astropy loads the YAML in these comments, where a few merge keys multiply to gigabytes.
ASTROPY_YAML = b"--BEGIN-ASTROPY-SERIALIZED-COLUMNS--"
SIZES = re.compile(r"(SIMPLE|XTENSION|BITPIX|NAXIS\d*|PCOUNT|GCOUNT|TFIELDS|TFORM\d+)$")
REFUSED = ("ascii", "ecsv", "ipac", "asdf", "hdf5", "json", "yaml", "pickle")


def read(file: SourceFile, request: Request) -> Spectrum:
    fits = fits_of(file)
    if importlib.util.find_spec("specutils") is None:
        raise NotMine("specutils, which knows more formats, is not installed")
    if ASTROPY_YAML in file.whole(MAX_BYTES):
        raise NotMine("its header has columns described in YAML, which is not read")
    _check_structure(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name, loaded = _loaded(file)
    rows = int(np.prod(loaded.flux.shape[:-1], dtype=np.int64))
    row = checked_row(request, rows)
    about = describe(file, fits.primary.header)
    return build(
        file, _pixels(loaded, row), medium=about.medium or "unknown", header=fits.primary.header,
        warnings=(f"read by specutils as {name}",), format=name, flux_unit=str(loaded.flux.unit),
        row=row, rows=rows, **about.fields,
    )  # fmt: skip


def _check_structure(file: SourceFile) -> None:
    """Raises ReadError unless all HDUs are valid and inside the file."""
    last, whole, header_start = None, file.whole(MAX_BYTES), 0
    for last in file.fits:
        # Raises NotMine if a size is given twice: we check the first, astropy may take the other.
        header = whole[header_start : last.start]
        cards = (header[at : at + 8] for at in range(0, len(header), CARD))
        keywords = (card.decode("latin-1").strip().upper() for card in cards)
        sizes = [keyword for keyword in keywords if SIZES.match(keyword)]
        if len(set(sizes)) < len(sizes):
            raise NotMine("its header gives a size twice")
        header_start = -(-last.end // BLOCK) * BLOCK
        if "ZIMAGE" in last.header:  # native code of astropy would unpack what nobody checked
            raise NotMine("its images are packed: unpack them first (funpack)")
        if last.is_table:
            last.table  # noqa: B018  (raises ReadError if the columns do not fit)
    if last is not None and last.end > last.start and not file.bytes.read(last.end - 1, 1):
        raise Malformed("the file is cut short")
    # Astropy goes on where FITS ends: a second SIMPLE there may have any number of axes.
    if whole[header_start:].strip(b"\0 "):
        raise NotMine("bytes follow its last HDU, which other programs may take for another")


def _loaded(file: SourceFile) -> tuple[str, Any]:
    from astropy.io import registry
    from specutils import Spectrum as Loaded

    path = str(file.path)
    with file.path.open("rb") as stream:
        names = registry.identify_format("read", Loaded, path, stream, [path], {})
    names = [name for name in names if not name.lower().startswith(REFUSED)]
    refusal = "specutils does not know it either"
    for name in names:
        try:
            return name, Loaded.read(path, format=name)
        except Exception as error:
            # Loaders raise any error on files that only look like theirs: try the next one.
            refusal = f"specutils, as {name}: {type(error).__name__}"
    raise NotMine(refusal)


def _pixels(loaded: Any, row: int) -> Pixels:
    from astropy import units
    from astropy.nddata import InverseVariance

    axis = loaded.spectral_axis
    if not axis.unit.is_equivalent(units.AA, equivalencies=units.spectral()):
        raise NotMine(f"specutils gives its axis in {axis.unit}, not a wavelength")
    wavelength = axis.to_value(units.AA, equivalencies=units.spectral())
    # Without a wavelength scale some loaders return pixel numbers as angstrom.
    counts = counts_pixels(np.asarray(axis.value))
    if counts or not OPTICAL[0] < np.median(wavelength) < OPTICAL[1]:
        raise NotMine("specutils finds no wavelengths in it")
    pixels = wavelength.size
    ivar, mask = None, None
    if loaded.uncertainty is not None:
        inverse = loaded.uncertainty.represent_as(InverseVariance)
        ivar = np.asarray(inverse.array).reshape(-1, pixels)[row]
    if loaded.mask is not None:
        mask = np.asarray(loaded.mask, dtype=bool).reshape(-1, pixels)[row]
    return Pixels(wavelength, np.asarray(loaded.flux.value).reshape(-1, pixels)[row], ivar, mask)
