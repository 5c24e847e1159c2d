"""`spec-o3 pack SESSION OUT`: copy a session with its spectra, to send to a colleague."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, TrustPathsOption, reviewer_name
from app.core.errors import counted_text
from app.core.session.spectra_folders import open_with_spectra
from app.core.spectra.packing import pack as write_packed

MAX_SHOWN = 10


def pack(
    session: SessionArgument,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The .speco3 file to write.", show_default=False)
    ],
    trust_paths: TrustPathsOption = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Copy a session together with its spectra into one file."""
    name = reviewer_name(reviewer)
    opening = open_with_spectra(session, name, read_only=True, trust_paths=trust_paths)
    with opening as opened, progress_bar("packing") as progress:
        report = write_packed(opened, out, progress=progress)
    packed = counted_text(report.packed, "spectrum", "spectra")
    typer.echo(cleaned(f"{report.path}: {packed} packed, {report.bytes / 1e6:.1f} MB"))
    for folder in report.folders:
        typer.echo(cleaned(f"  from {folder}"))
    for missing in report.unreadable[:MAX_SHOWN]:
        typer.echo(cleaned(f"  missing {missing.object_id}: {missing.reason}"), err=True)
    left = report.candidates - report.packed - len(report.unreadable[:MAX_SHOWN])
    if left > 0:
        typer.echo(f"  ... and {left} more missing", err=True)
