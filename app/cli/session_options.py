"""SESSION and --reviewer, the same in every command on a session."""

from __future__ import annotations

from typing import Annotated

import typer

from app.core.settings_place import chosen_name
from app.core.user_name import REVIEWER_VARIABLE, told_name, user_name

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
