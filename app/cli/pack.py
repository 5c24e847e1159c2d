"""`spec-o3 pack SESSION OUT`: a session with its spectra inside, to send to a colleague."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.packing import pack as write_packed
from app.core.session.session import open_session

MAX_SHOWN = 10


def pack(
    session: SessionArgument,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The .speco3 file to make.", show_default=False)
    ],
    reviewer: ReviewerOption = None,
) -> None:
    """Copy a session and put the spectra into the copy."""
    with (
        open_session(session, reviewer_name(reviewer), read_only=True) as opened,
        progress_bar("packing") as progress,
    ):
        report = write_packed(opened, out, progress=progress)
    typer.echo(
        cleaned(f"{report.path}: {report.packed} spectra inside, {report.bytes / 1e6:.1f} MB")
    )
    for missing in report.unreadable[:MAX_SHOWN]:
        typer.echo(cleaned(f"  without {missing.object_id}: {missing.reason}"), err=True)
    left = report.candidates - report.packed - len(report.unreadable[:MAX_SHOWN])
    if left > 0:
        typer.echo(f"  ... and {left} more without", err=True)
