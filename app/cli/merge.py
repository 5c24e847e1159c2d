"""`spec-o3 merge INTO FROM...`: the sessions of several people in one."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.merging.merge import merge as bring_together
from app.core.merging.report import MergeReport
from app.core.session import Session, open_session

MAX_SHOWN = 10


def merge(
    into: SessionArgument,
    others: Annotated[
        list[str],
        typer.Argument(metavar="FROM...", help="Sessions to bring in; they stay as they are."),
    ],
    reviewer: ReviewerOption = None,
) -> None:
    """Bring other people's sessions in. Nothing is lost, and merging twice changes nothing."""
    name = reviewer_name(reviewer)
    with open_session(into, name) as target:
        for other in others:
            with open_session(other, name, read_only=True) as source:
                _show(other, _merged(target, source))


def _merged(target: Session, source: Session) -> MergeReport:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task("merging", total=None)
        return bring_together(
            target,
            source,
            progress=lambda done, total: progress.update(bar, completed=done, total=total),
        )


def _show(name: str, report: MergeReport) -> None:
    typer.echo(
        f"{cleaned(name)}: {report.lines} lines of the log, {report.inspections} inspections, "
        f"{report.candidates} new candidates ({report.matched} were here already)"
    )
    if report.reviewers:
        typer.echo(f"  new reviewers: {cleaned(', '.join(report.reviewers))}")
    for conflict in report.conflicts[:MAX_SHOWN]:
        kept, aside = conflict.kept.opinion.verdict, conflict.set_aside.opinion.verdict
        words = (
            f"{conflict.object_id}: {conflict.reviewer} said {aside}, later {kept}, which stands"
        )
        typer.echo("  " + cleaned(words))
    if report.conflicts[MAX_SHOWN:]:
        typer.echo(f"  ... and {len(report.conflicts) - MAX_SHOWN} more such")
    if report.disagreements:
        typer.echo(
            f"  people differ on {len(report.disagreements)} candidates; "
            "see them with the filter disagree:people"
        )
