"""Read the spectrum that FILE and --row name, in every command on one spectrum."""

from __future__ import annotations

from pathlib import Path

import typer

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum

LONGEST_TARGET = 20
"""Digits of a 64-bit number; longer ones are looked up as they are written."""


def read_row(file: Path, row: str) -> Spectrum:
    """The spectrum in that row, from 0, or of that TARGETID."""
    text = row.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{row!r} is neither a row nor a TARGETID", param_hint="--row")
    if len(digits) > LONGEST_TARGET:
        return read(file, target=text)
    return read_numbered(file, int(text))
