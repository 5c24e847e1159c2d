"""SESSION and --reviewer, the same in every command on a session."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum
from app.core.settings_path import chosen_name
from app.core.user_name import REVIEWER_VARIABLE, told_name, user_name

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


SessionArgument = Annotated[
    str,
    typer.Argument(
        metavar="SESSION",
        help="A .speco3 file, or the URL of a PostgreSQL database.",
        show_default=False,
    ),
]
ReviewerOption = Annotated[
    str | None,
    typer.Option(
        "--reviewer",
        metavar="NAME",
        envvar=REVIEWER_VARIABLE,
        help="Who you are, in the session.",
        show_default="the one chosen in the window, else your user name",
    ),
]


def reviewer_name(given: str | None) -> str:
    if given is not None:
        return given
    return told_name() or chosen_name() or user_name("somebody")
