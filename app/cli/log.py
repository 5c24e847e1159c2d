"""`spec-o3 log SESSION`: every decision, in the order they were made."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.database.tables import MIN_TARGETID
from app.core.exporting.log_file import log_lines, write_log
from app.core.queue import find
from app.core.session.records import Candidate
from app.core.session.session import Session, open_session

MAX_MATCHES = 1000
SHOWN = 5


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
        if of is None:
            show(log_lines(opened))
        for number in [] if of is None else _numbers(opened, of):
            show(log_lines(opened, number))


def show(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _numbers(session: Session, words: str) -> list[int]:
    """Every epoch of an object of that name, else the candidate of that number or TARGETID, else
    the only one whose name begins so."""
    words = words.strip()
    found = find(session, words, MAX_MATCHES)
    named = [each for each in found if each.object_id.casefold() == words.casefold()]
    numbered = [each for each in found if words in (str(each.id), _target(each))]
    meant = named or numbered or found
    if not meant:
        raise WorkbenchError(f"no candidate is called {words[:80]}")
    if not (named or numbered) and len(meant) > 1:
        names = ", ".join(each.object_id for each in meant[:SHOWN])
        raise WorkbenchError(f"{words[:80]} could be {names}: say which")
    return [each.id for each in meant]


def _target(candidate: Candidate) -> str:
    return str(candidate.row) if candidate.row >= MIN_TARGETID else ""
