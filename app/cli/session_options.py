"""Arguments that several commands share: SESSION, --reviewer, --row."""

from pathlib import Path
from typing import Annotated

import typer

from agent.spectra.readers import read, read_numbered
from agent.spectra.spectrum import Spectrum
from app.core import reviewer_name as names

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
        envvar=names.REVIEWER_VARIABLE,
        help="Your name in the session.",
        show_default="the name chosen in the window, else your user name",
    ),
]
TrustPathsOption = Annotated[
    bool,
    typer.Option(
        "--trust-paths",
        help="Read spectra outside the session's own folder, now and later: for a session from "
        "somebody you trust.",
    ),
]

RowOption = Annotated[
    str, typer.Option("--row", metavar="K", help="Row (from 0) or TARGETID in a file with several.")
]
SpectraOption = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Folder of the spectra, if not next to the list.")
]

MAX_TARGET_DIGITS = 20  # Digits of a 64-bit integer; longer numbers are looked up as text.


def reviewer_name(option: str | None) -> str:
    """The name for verdicts: the option, else the environment, the window, or the login name."""
    if option is not None:
        return option
    found = names.name_from_environment() or names.saved_reviewer_name()
    return found or names.system_user_name("somebody")


def read_row(file: Path, row: str) -> Spectrum:
    """Read the spectrum in that row (from 0), or with that TARGETID."""
    text = row.strip()
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdigit()):
        raise typer.BadParameter(f"{row!r} is neither a row nor a TARGETID", param_hint="--row")
    if len(digits) > MAX_TARGET_DIGITS:
        return read(file, target=text)
    return read_numbered(file, int(text))
