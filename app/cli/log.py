"""`spec-o3 log SESSION`: print the verdict log."""

from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.database.tables import MIN_TARGETID
from app.core.errors import counted_text
from app.core.exporting.log_file import log_lines, write_log
from app.core.queue import find
from app.core.session.session import Session, open_session

MAX_MATCHES = 1000
SHOWN = 5


def log(
    session: SessionArgument,
    of: Annotated[
        str | None, typer.Option("--object", metavar="ID", help="Only this candidate.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="OUT.csv", help="Write the log as CSV to this file.")
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Show the verdict log, oldest first. It also contains verdicts that were undone."""
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        if out is not None:
            typer.echo(f"{out}: {counted_text(write_log(opened, out), 'line')}")
            return
        for number in [None] if of is None else _candidate_ids(opened, of):
            for line in log_lines(opened, number):
                typer.echo(line)


def _candidate_ids(session: Session, text: str) -> list[int]:
    """The ids that the text refers to: all epochs of the object with this name, else the candidate
    with this number or TARGETID, else the only one whose name starts with it."""
    text = text.strip()
    found = find(session, text, MAX_MATCHES)
    by_name = [each for each in found if each.object_id.casefold() == text.casefold()]
    # A row that is so large is a TARGETID.
    targets = {each.id: str(each.row) for each in found if each.row >= MIN_TARGETID}
    by_number = [each for each in found if text in (str(each.id), targets.get(each.id))]
    matches = by_name or by_number or found
    if not matches:
        raise WorkbenchError(f"there is no candidate {text[:80]}")
    if not (by_name or by_number) and len(matches) > 1:
        names = ", ".join(each.object_id for each in matches[:SHOWN])
        raise WorkbenchError(f"{text[:80]} is ambiguous, it could be {names}: give the full name")
    return [each.id for each in matches]
