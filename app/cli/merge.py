"""`spec-o3 merge INTO FROM...`: merge the sessions of several people."""

from collections.abc import Sequence
from typing import Annotated

import typer

from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.errors import counted_text
from app.core.session.session import Session, open_session
from app.core.sharing.merge import Conflict, MergeReport
from app.core.sharing.merge import merge as bring_together
from app.core.statistics.adjudication import Dispute

MAX_SHOWN = 10


def merge(
    into: SessionArgument,
    others: Annotated[
        list[str],
        typer.Argument(metavar="FROM...", help="Sessions to merge in; they are not changed."),
    ],
    reviewer: ReviewerOption = None,
) -> None:
    """Merge other people's sessions. Nothing is lost, and merging again changes nothing."""
    name = reviewer_name(reviewer)
    with open_session(into, name) as target:
        for other in others:
            with open_session(other, name, read_only=True) as source:
                with progress_bar("merging") as progress:
                    report = bring_together(target, source, progress=progress)
                _show(other, target, report)


def _show(name: str, target: Session, report: MergeReport) -> None:
    typer.echo(
        f"{cleaned(name)}: {counted_text(report.lines, 'log entry', 'log entries')}, "
        f"{counted_text(report.inspections, 'inspection')}, "
        f"{counted_text(report.candidates, 'new candidate')} ({report.matched:,} already known)"
    )
    if report.reviewers:
        typer.echo(f"  new reviewers: {cleaned(', '.join(report.reviewers))}")
    for count, what, more in (
        (report.measurements, "line", " measured by hand"),
        (report.evidence, "answer", " of services"),
        (report.assignments, "assignment", ""),
        (report.second_opinions, "second opinion", " asked for by the rule"),
    ):
        if count:
            typer.echo(f"  {counted_text(count, what)}{more}")
    for conflict in report.conflicts[:MAX_SHOWN]:
        typer.echo("  " + cleaned(_conflict_text(conflict)))
    if report.conflicts[MAX_SHOWN:]:
        typer.echo(f"  ... and {counted_text(len(report.conflicts) - MAX_SHOWN, 'more conflict')}")
    _show_disputes(target, report.disagreements)


def _conflict_text(conflict: Conflict) -> str:
    kept, aside = conflict.kept.opinion, conflict.set_aside.opinion
    text = f"{conflict.object_id}: {conflict.reviewer} gave {aside.verdict or 'no verdict'}"
    if aside.verdict == kept.verdict:
        return f"{text} on two machines, with different details; one is kept"
    return f"{text} on one machine, {kept.verdict or 'no verdict'} on another, which is kept"


def _show_disputes(target: Session, found: Sequence[Dispute]) -> None:
    """List candidates on which reviewers disagree; an adjudicator has to decide."""
    if not found:
        return
    typer.echo(
        f"  reviewers disagree on {counted_text(len(found), 'candidate')}; show them with "
        "the filter disagree:people"
    )
    shown = found[:MAX_SHOWN]
    named = {each.id: each for each in target.candidates(one.candidate_id for one in shown)}
    for one in shown:
        verdicts = (
            f"{each.reviewer} {each.opinion.verdict}"
            for each in one.judgements
            if each.opinion.verdict is not None
        )
        typer.echo("  " + cleaned(f"  {named[one.candidate_id].object_id}: {', '.join(verdicts)}"))
    if found[MAX_SHOWN:]:
        typer.echo(f"    ... and {len(found) - MAX_SHOWN} more")
