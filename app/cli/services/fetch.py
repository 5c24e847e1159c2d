"""`spec-o3 fetch LIST --from sdss --to FOLDER`: get spectra from an archive."""

from contextlib import closing
from pathlib import Path
from typing import Annotated, Literal

import typer

from app.cli.inspection_text import cleaned
from app.cli.new import role_options
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, reviewer_name
from app.core.database.database import SUFFIX
from app.core.errors import counted_text
from app.core.fetching.fetch_run import RADIUS_ARCSEC, FetchReport, FetchRun
from app.core.fetching.fetched_list import REST, keep_in_session, write_lists
from app.core.fetching.rows import FetchRow, missing_in_session, rows_of_list
from app.core.session.session import open_session
from app.services.archives.archive import Archive
from app.services.archives.choice import archive_by_name
from app.services.web.client import WebClient

MAX_SHOWN = 10


def fetch(
    listed: Annotated[
        str,
        typer.Argument(
            metavar="LIST",
            help="A list with numbers or positions, or a session whose files are missing.",
            show_default=False,
        ),
    ],
    from_: Annotated[
        Literal["sparcl", "sdss", "lamost", "ssap", "desi"],
        typer.Option(
            "--from", metavar="sparcl|sdss|lamost|ssap", help="The archive.", show_default=False
        ),
    ],
    to: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where the files go.", show_default=False)
    ],
    release: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Data release: dr17 to dr20, DESI-DR1, dr11/v2.0.",
            show_default="the newest that has it",
        ),
    ] = "",
    url: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="Address of the SSAP service, or of a mirror of another archive.",
            show_default="the archive's own",
        ),
    ] = "",
    radius: Annotated[
        float,
        typer.Option(
            min=0.01, max=600.0, metavar="ARCSEC", help="How far from its position it may be."
        ),
    ] = RADIUS_ARCSEC,
    limit: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Only the first N rows.", show_default="all"),
    ] = None,
    all_found: Annotated[
        bool, typer.Option("--all", help="Every spectrum found for a row, not only the best.")
    ] = False,
    role: Annotated[
        list[str] | None,
        typer.Option(metavar="ROLE=COLUMN", help="Set the column of a role, as in `new`."),
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Get spectra from an archive; run it again to go on where it stopped."""
    archive = archive_by_name(from_, release, url)
    if listed.endswith(SUFFIX) or "://" in listed:
        with open_session(listed, reviewer_name(reviewer)) as session:
            rows = missing_in_session(session, limit=limit)
            report = fetch_rows(archive, rows, to, radius, all_found)
            count = keep_in_session(session, report.fetched, to)
            typer.echo(f"{session.location}: {counted_text(count, 'candidate')} with a new file")
    else:
        rows = rows_of_list(listed, role_options(role or []), limit=limit)
        report = fetch_rows(archive, rows, to, radius, all_found)
    if report.failed or report.left:
        raise typer.Exit(1)


def fetch_rows(
    archive: Archive, rows: list[FetchRow], to: Path, radius: float, take_all: bool
) -> FetchReport:
    """Fetch with a progress bar on standard error, write the lists and say what happened."""
    typer.echo(f"{counted_text(len(rows), 'spectrum', 'spectra')} wanted. {archive.sends}")
    with closing(WebClient()) as client, progress_bar("fetching") as progress:
        run = FetchRun(archive, to, client, radius_arcsec=radius, take_all=take_all)
        report = run.run(rows, progress=progress)
    fetched_list = write_lists(report, to)
    there = f" ({report.were_there:,} were there)" if report.were_there else ""
    typer.echo(f"{counted_text(len(report.fetched), 'file')} in {cleaned(str(to))}{there}")
    if fetched_list is not None:
        typer.echo(f"  list: {cleaned(str(fetched_list))}")
    if report.failed:
        typer.echo(f"  {len(report.failed):,} not fetched: {cleaned(str(to / REST))}")
    for failed in report.failed[:MAX_SHOWN]:
        name = failed.row.wanted.object_id
        typer.echo(cleaned(f"    row {failed.row.wanted.line} {name}: {failed.reason}"), err=True)
    if report.gave_up:
        typer.echo(
            cleaned(f"  stopped asking, {report.left:,} left: {report.gave_up}; try again later"),
            err=True,
        )
    if report.is_stopped:
        typer.echo(f"  stopped, {report.left:,} left: run the same again to go on", err=True)
    return report
