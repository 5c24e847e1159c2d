"""Reads files of an invented survey: a first line that names it, then nanometres and flux."""

from __future__ import annotations

import numpy as np

from agent.spectra.readers import Malformed, NotMine, Pixels, Request, SourceFile, build
from agent.spectra.spectrum import Spectrum

FIRST_LINE = b"EXAMPLE SURVEY 1 "
MAX_BYTES = 4 * 1024**2


def read(file: SourceFile, request: Request) -> Spectrum:
    """Read the spectrum, or raise NotMine so that other readers are tried."""
    if not file.start.startswith(FIRST_LINE):
        raise NotMine("its first line does not name the example survey")
    # The file is ours from here on: what is wrong with it is told as it is.
    lines = file.whole(MAX_BYTES).decode("ascii", "replace").splitlines()
    try:
        rows = np.array([line.split() for line in lines[1:]], dtype=float)
        nanometres, flux = rows.T
    except ValueError as error:
        raise Malformed("its lines are not pairs of numbers") from error
    name = lines[0][len(FIRST_LINE) :].strip()
    return build(
        file,
        Pixels(nanometres * 10.0, flux),
        medium="air",
        format="Example survey",
        survey="Example survey",
        object_id=name,
    )
