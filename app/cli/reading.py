"""FILE and --row, the same in every command that reads one spectrum."""

from __future__ import annotations

from pathlib import Path

import typer

from agent.spectra.readers import read
from agent.spectra.spectrum import Spectrum

TARGET_DIGITS = 9
"""A --row of this many digits cannot be a row: it is a TARGETID."""


def read_row(file: Path, row: str) -> Spectrum:
    """The spectrum in that row, from 0, or of that TARGETID."""
    text = row.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{row!r} is neither a row nor a TARGETID", param_hint="--row")
    if len(digits) >= TARGET_DIGITS:
        return read(file, target=text)
    return read(file, row=int(text))
