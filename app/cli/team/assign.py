"""`spec-o3 assign SESSION --to ada,grace`: share a list out among people."""

from pathlib import Path
from typing import Annotated

import typer

from app.cli.inspection_text import cleaned
from app.cli.progress_bar import progress_bar
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.errors import counted_text
from app.core.session.assignments import parts
from app.core.session.session import Session, open_session
from app.core.sharing.parts import part_files, split
from app.core.sharing.share_out import (
    SharePlan,
    ShareReport,
    plan_of,
    share_out,
    share_out_the_rest,
)


def assign(
    session: SessionArgument,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,NAME",
            help="The people, separated by commas, under the names with which they judge; without "
            "it, what came later is shared out as before.",
        ),
    ] = None,
    overlap: Annotated[
        float, typer.Option(metavar="PERCENT", help="So many candidates are given to two people.")
    ] = 0.0,
    second_when: Annotated[
        str,
        typer.Option(
            "--second-when",
            metavar="FILTER",
            help="Ask another person where this is true of a verdict, such as "
            '"confidence<=2 or disagree:agent".',
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Another seed deals another way.")] = 0,
    anew: Annotated[
        bool, typer.Option("--anew", help="First take back what people have not judged yet.")
    ] = False,
    split_into: Annotated[
        Path | None,
        typer.Option(
            "--split",
            metavar="FOLDER",
            help="Also write one file for each person with their part, to merge again later.",
        ),
    ] = None,
    pack: Annotated[
        bool, typer.Option("--pack", help="With --split: put the spectra into the files.")
    ] = False,
    reviewer: ReviewerOption = None,
) -> None:
    """Share the candidates out: each person's queue then shows their own."""
    if to is None and (overlap or second_when or seed or anew):
        raise typer.BadParameter("name the people", param_hint="--to")
    if pack and split_into is None:
        raise typer.BadParameter("is for the files of --split", param_hint="--pack")
    people = tuple(name.strip() for name in (to or "").split(",") if name.strip())
    with open_session(session, reviewer_name(reviewer)) as opened:
        if split_into is not None:  # before anything is shared out
            before = plan_of(opened)
            part_files(opened, split_into, people or (before.people if before else ()))
        if to is None:
            report = share_out_the_rest(opened)
        else:
            plan = SharePlan(people=people, overlap=overlap, second_when=second_when, seed=seed)
            report = share_out(opened, plan, anew=anew)
        _show(opened, report)
        if split_into is not None:
            with progress_bar("splitting") as progress:
                written = split(opened, split_into, with_spectra=pack, progress=progress)
            for each in written:
                count = counted_text(each.candidates, "candidate")
                typer.echo(cleaned(f"{each.path}: {count} for {each.reviewer}"))


def _show(session: Session, report: ShareReport) -> None:
    if report.withdrawn:
        typer.echo(f"{report.withdrawn:,} taken back")
    for part in parts(session):
        new = report.given.get(part.reviewer, 0)
        text = f"{part.reviewer}: {counted_text(part.assigned, 'candidate')} ({new:,} new), "
        text += f"{part.judged:,} judged, {part.left:,} left"
        if part.second:
            text += f"; {counted_text(part.second, 'second opinion')}, {part.second_left:,} left"
        typer.echo(cleaned(text))
    if report.to_two:
        typer.echo(f"{counted_text(report.to_two, 'candidate')} given to two people")
    if report.second:
        typer.echo(f"{counted_text(report.second, 'new second opinion')} asked for by the rule")
    if report.left_out:
        typer.echo(f"{report.left_out:,} left out: others have judged them already")
