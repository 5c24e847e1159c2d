"""`spec-o3 enrich SESSION`: ask catalogues about a whole list, or match it with a file."""

from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from app.cli.inspection_text import cleaned
from app.cli.progress_bar import STOPPED, progress_bar
from app.cli.services.services import named_service
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.errors import counted_text
from app.core.evidence.choice import read_choice
from app.core.evidence.enriching import Tally, in_order
from app.core.evidence.enriching import enrich as ask_about_all
from app.core.evidence.local_catalogue import match_local, name_of
from app.core.importing.opening import normalized_path
from app.core.session.session import Session, open_session
from app.services.catalogues.service import Service
from app.services.web.client import WebClient

MAX_REASONS = 3
WIDEST_ARCSEC = 600.0


def enrich(
    session: SessionArgument,
    with_services: Annotated[
        str,
        typer.Option(
            "--with",
            metavar="NAMES",
            help="Services to ask, as simbad,gaia,twomass: see `spec-o3 services list`. They are "
            "sent the positions of the candidates.",
            show_default=False,
        ),
    ] = "",
    catalogue: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A catalogue of yours (CSV, FITS, VOTable, Parquet, or a folder in the HATS "
            "layout) with ra and dec; nothing leaves the machine.",
            show_default=False,
        ),
    ] = None,
    name: Annotated[
        str,
        typer.Option(
            help="What the catalogue is called in filters and exports.",
            show_default="the name of its file or folder",
        ),
    ] = "",
    radius: Annotated[
        float,
        typer.Option(
            metavar="ARCSEC", min=0.01, max=WIDEST_ARCSEC, help="How near a row of it must be."
        ),
    ] = 2.0,
    limit: Annotated[
        int | None,
        typer.Option(min=1, help="Ask about this many candidates at most.", show_default="all"),
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Bring what catalogues say into the session. Run again, it asks only what is missing."""
    if not with_services and catalogue is None:
        raise typer.BadParameter("give --with NAMES or --catalogue FILE", param_hint="--with")
    choice = read_choice()
    words = [word.strip() for word in with_services.split(",") if word.strip()]
    wanted = [named_service(choice, word) for word in dict.fromkeys(words)]
    for service in wanted:
        if service.kind != "tap":
            raise WorkbenchError(
                f"{service.id} is asked about one candidate at a time, in the window"
            )
    with open_session(session, reviewer_name(reviewer)) as opened:
        if catalogue is not None:
            path = normalized_path(catalogue)
            _match(opened, path, name or name_of(path), radius)
        if wanted and not _ask_all(opened, in_order(wanted), limit):
            raise typer.Exit(1)


def _ask_all(session: Session, services: list[Service], limit: int | None) -> bool:
    """Whether all of them have answered about all candidates."""
    client = WebClient()
    tallies = []
    try:
        for service in services:
            typer.echo(cleaned(f"{service.name}: {service.sends}"), err=True)
            with progress_bar(service.name) as progress:
                tally = ask_about_all(session, client, service, limit=limit, progress=progress)
                tallies.append(tally)
    except KeyboardInterrupt:
        typer.echo("stopped: run the same command again to continue", err=True)
        raise typer.Exit(STOPPED) from None
    finally:
        client.close()
        for tally in tallies:
            _show(tally)
    return not any(tally.failed or tally.not_asked for tally in tallies)


def _show(tally: Tally) -> None:
    words = f"{tally.found:,} found, {tally.nothing:,} nothing there, {tally.failed:,} failed"
    if tally.known:
        words += f", {tally.known:,} known before"
    if tally.without_position:
        words += f", {tally.without_position:,} without a position"
    if tally.not_asked:
        words += f", {tally.not_asked:,} not asked as it failed"
    typer.echo(cleaned(f"{tally.service}: {words}"))
    for reason, count in tally.reasons.most_common(MAX_REASONS):
        typer.echo(cleaned(f"  failed for {count:,}: {reason}"), err=True)


def _match(session: Session, path: Path, name: str, radius: float) -> None:
    with progress_bar(f"reading {path.name}") as progress:
        tally = match_local(session, path, name, radius, progress=progress)
    rows = counted_text(tally.rows, "row")
    said = f"{tally.found:,} found, {tally.nothing:,} nothing there, of {rows}"
    typer.echo(cleaned(f"{name}: {said}"))
    for note in tally.notes:
        typer.echo(cleaned(f"  {note}"), err=True)
    if tally.without_position:
        typer.echo(f"  {tally.without_position:,} rows have no position", err=True)
    some = ", ".join(f"{name}.{column}" for column in tally.columns[:4])
    more = ", ..." if len(tally.columns) > 4 else ""
    typer.echo(cleaned(f"  filter and sort by {some}{more}"))
