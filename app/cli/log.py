"""`spec-o3 log SESSION`: every decision, in the order they were made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.log_text import log_lines, write_log
from app.core.queue import find
from app.core.session import Session, open_session


def log(
    session: SessionArgument,
    of: Annotated[
        str | None,
        typer.Option("--object", metavar="ID", help="Of this candidate alone."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write it as CSV instead.")
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Show the log, oldest first. It only grows: what was undone is in it, too."""
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        if out is not None:
            typer.echo(f"{out}: {write_log(opened, out)} lines")
            return
        for line in log_lines(opened, None if of is None else _number(opened, of)):
            typer.echo(line)


def _number(session: Session, words: str) -> int:
    found = find(session, words)
    if not found:
        raise WorkbenchError(f"no candidate is called {words[:80]}")
    return found[0].id
