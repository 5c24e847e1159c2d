"""SESSION and --reviewer, the same in every command on a session."""

from __future__ import annotations

from typing import Annotated

import typer

from app.core.user_name import user_name

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
    return user_name("somebody")
