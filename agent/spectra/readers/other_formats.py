"""The last resort: the formats that specutils knows, where it is installed.

Only FITS files reach it, only after their structure was checked against their real size, and
only its FITS loaders are allowed: its ASDF road could run code.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agent.spectra.fits.source_file import SourceFile
from agent.spectra.readers.base import Malformed, NotMine, Pixels, Request, build, fits_of, single
from agent.spectra.readers.libraries import describe
from agent.spectra.spectrum import Spectrum

MAX_BYTES = 64 * 1024**2
OPTICAL = (100.0, 1e7)
"""Angstrom."""
REFUSED = ("ascii", "ecsv", "ipac", "asdf", "hdf5", "json", "yaml", "pickle")


def read(file: SourceFile, request: Request) -> Spectrum:
    fits = fits_of(file)
    if importlib.util.find_spec("specutils") is None:
        raise NotMine("specutils, which knows more formats, is not installed")
    file.whole(MAX_BYTES)
    _check_structure(file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name, found = _loaded(file)
    rows = int(np.prod(found.flux.shape[:-1], dtype=np.int64))
    row = single(file, request, rows)
    about = describe(file, fits.primary.header)
    return build(
        file,
        _pixels(found, row),
        medium=about.medium or "unknown",
        header=fits.primary.header,
        warnings=(f"read by specutils as {name}",),
        format=name,
        flux_unit=str(found.flux.unit),
        row=row,
        rows=rows,
        **about.fields,
    )


def _check_structure(file: SourceFile) -> None:
    """Every HDU is where its header says and inside the file."""
    last = None
    for last in file.fits:
        if last.is_table:
            last.table  # noqa: B018  (raises where the columns do not add up)
    if last is not None and last.end > last.start and not file.bytes.read(last.end - 1, 1):
        raise Malformed("the file is cut short")


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
            # Loaders fail in every way on files that only look like theirs: ask the next one.
            refusal = f"specutils, as {name}: {type(error).__name__}"
    raise NotMine(refusal)


def _counts(axis: NDArray[np.float64]) -> bool:
    return bool(axis[0] in (0, 1) and np.allclose(np.diff(axis), 1))


def _pixels(found: Any, row: int) -> Pixels:
    from astropy import units
    from astropy.nddata import InverseVariance

    axis = found.spectral_axis
    if not axis.unit.is_equivalent(units.AA, equivalencies=units.spectral()):
        raise NotMine(f"specutils gives its axis in {axis.unit}, not a wavelength")
    wavelength = axis.to_value(units.AA, equivalencies=units.spectral())
    # Without a wavelength scale some loaders count pixels and call them angstrom.
    if not OPTICAL[0] < np.median(wavelength) < OPTICAL[1] or _counts(np.asarray(axis.value)):
        raise NotMine("specutils finds no wavelengths of light in it")
    pixels = wavelength.size
    ivar, mask = None, None
    if found.uncertainty is not None:
        inverse = found.uncertainty.represent_as(InverseVariance)
        ivar = np.asarray(inverse.array).reshape(-1, pixels)[row]
    if found.mask is not None:
        mask = np.asarray(found.mask, dtype=bool).reshape(-1, pixels)[row]
    return Pixels(wavelength, np.asarray(found.flux.value).reshape(-1, pixels)[row], ivar, mask)
