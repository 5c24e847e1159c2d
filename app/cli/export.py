"""`spec-o3 export SESSION OUT`: the vetted catalogue, a report, or the agents' records."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from agent.errors import WorkbenchError
from agent.trajectory_file import write_trajectories
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.exporting.export import FORMATS
from app.core.exporting.export import export as write_catalogue
from app.core.exporting.selection import Which as KnownWhich
from app.core.inspections import all_trajectories
from app.core.packing import read_spectrum
from app.core.queue import matching, parse_filter
from app.core.report import write_report
from app.core.session import Session, open_session

TRAJECTORIES = ".jsonl"
REPORTS = (".html", ".htm")


class Which(StrEnum):
    JUDGED = "judged"
    ACCEPTED = "accepted"
    ALL = "all"


def export(
    session: SessionArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT",
            help="A catalogue: .csv, .ecsv, .fits, .vot or .parquet. The agents' records: .jsonl. "
            "A report: .html.",
            show_default=False,
        ),
    ],
    which: Annotated[Which, typer.Option(help="Which candidates.")] = Which.JUDGED,
    words: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="WORDS",
            help="These instead, such as 'agent:yes p_yes>0.9'.",
            show_default=False,
        ),
    ] = "",
    by: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="What this reviewer says; else what all come to."),
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Write what was decided, with its provenance. The file is there whole or not at all."""
    suffix = out.suffix.casefold()
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        if suffix == TRAJECTORIES:
            typer.echo(f"{out}: {write_trajectories(out, all_trajectories(opened))} records")
        elif suffix in REPORTS:
            write_report(opened, out, lambda candidate: read_spectrum(opened, candidate))
            typer.echo(f"{out}: the report")
        elif suffix in FORMATS:
            _catalogue(opened, out, which, words, by)
        else:
            known = ", ".join((*FORMATS, TRAJECTORIES, REPORTS[0]))
            raise WorkbenchError(f"{out}: the suffix says what to write: {known}")


def _catalogue(session: Session, out: Path, which: Which, words: str, by: str | None) -> None:
    kinds: dict[Which, KnownWhich] = {
        Which.JUDGED: "judged",
        Which.ACCEPTED: "accepted",
        Which.ALL: "all",
    }
    chosen = _found(session, words) if words else kinds[which]
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(f"writing {out.name}", total=None)
        report = write_catalogue(
            session,
            out,
            which=chosen,
            reviewer=by,
            filter_text=words,
            progress=lambda done, total: progress.update(bar, completed=done, total=total),
        )
    typer.echo(f"{out}: {report.rows} rows, {report.selection}")
    for old, new in report.renamed.items():
        typer.echo(f"  the list's column {old} is called {new} there")
    if report.metadata is not None:
        typer.echo(f"  units and provenance: {report.metadata}")


def _found(session: Session, words: str) -> Iterator[int]:
    return (line.candidate.id for line in matching(session, parse_filter(words)))
