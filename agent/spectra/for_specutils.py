"""LAMOST for specutils, which has no loader of it: `import agent.spectra.for_specutils` is enough.

specutils 2.4 looks for loaders of others in no entry point, hence the import. After it,
`specutils.Spectrum.read(path)` knows LAMOST's files.
"""

from pathlib import Path
from typing import Any

import numpy as np
from astropy import units
from specutils import Spectrum
from specutils.io.registers import data_loader

from agent.errors import ReadError
from agent.spectra.fits.source_file import open_source
from agent.spectra.readers import lamost
from agent.spectra.readers.base import NotMine, Request, fits_of

ABOVE_THOSE_OF_ANY_FITS = 10


def _is_lamost(origin: str, *given: Any, **_: Any) -> bool:
    with open_source(given[0]) as file:
        return lamost.is_lamost(fits_of(file).primary.header)


def read_lamost(given: Any, row: int = 0) -> Spectrum:
    """Read one spectrum: wavelengths in vacuum, observed frame; bad pixels are masked."""
    from astropy.nddata import InverseVariance  # where specutils is missing it may be, too

    path = given if isinstance(given, str | Path) else given.name  # astropy may have opened it
    with open_source(path) as file, np.errstate(all="ignore"):
        for read in (lamost.read_medium, lamost.read_low):
            try:
                seen = read(file, Request(row, ""))
            except NotMine as error:
                refusal = error
            else:
                break
        else:
            raise ReadError(f"{Path(path).name}: {refusal}")
    return Spectrum(
        flux=seen.flux * units.one,  # LAMOST calibrates the shape, not the scale
        spectral_axis=seen.wavelength * units.AA,
        uncertainty=None if seen.ivar is None else InverseVariance(seen.ivar),
        mask=seen.mask,
        meta={"header": dict(seen.meta), "object_id": seen.object_id, "ra": seen.ra}
        | {"dec": seen.dec, "class": seen.class_name, "subclass": seen.subclass, "z": seen.z},
    )


register = data_loader("LAMOST", _is_lamost, priority=ABOVE_THOSE_OF_ANY_FITS)
register(read_lamost)
