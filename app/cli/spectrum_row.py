"""The FILE and --row arguments of commands on a single spectrum."""

from __future__ import annotations

from pathlib import Path

import typer

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum

MAX_TARGET_DIGITS = 20
"""Digits of a 64-bit integer; longer numbers are looked up as text."""


def read_row(file: Path, row: str) -> Spectrum:
    """Read the spectrum in that row (from 0), or with that TARGETID."""
    text = row.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{row!r} is neither a row nor a TARGETID", param_hint="--row")
    if len(digits) > MAX_TARGET_DIGITS:
        return read(file, target=text)
    return read_numbered(file, int(text))
