"""Arguments that several commands share: SESSION, --reviewer, --row."""

from __future__ import annotations

from typing import Annotated

import typer

from app.core.reviewer_name import (
    REVIEWER_VARIABLE,
    name_from_environment,
    saved_reviewer_name,
    system_user_name,
)

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


def reviewer_name(option: str | None) -> str:
    """The name for verdicts: the option, else the environment, the window, or the login name."""
    if option is not None:
        return option
    return name_from_environment() or saved_reviewer_name() or system_user_name("somebody")
