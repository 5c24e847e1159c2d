"""SESSION and --reviewer, the same in every command on a session."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

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
        envvar="SPEC_O3_REVIEWER",
        help="Who you are, in the session.",
        show_default="your name on this machine",
    ),
]


def reviewer_name(given: str | None) -> str:
    if given is not None:
        return given
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name, as in some containers
        return "somebody"


def shown_place(place: Path | str) -> str:
    """A session as messages call it."""
    return place.name if isinstance(place, Path) else place
