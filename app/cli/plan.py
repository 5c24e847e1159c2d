"""`spec-o3 plan SESSION --model M`: hours, GPU-hours and disk for what is not inspected yet."""

from __future__ import annotations

from typing import Annotated

import typer

from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.inspections.plan import Forecast, plan_inspections
from app.core.inspections.share import Share
from app.core.session.counted_text import counted_text
from app.core.session.session import open_session
from app.core.statistics.number_format import duration


def plan(
    session: SessionArgument,
    model: Annotated[
        str, typer.Option(metavar="NAME", help="The model's name in the session, or spec-o3-7b.")
    ],
    gpus: Annotated[
        int, typer.Option(min=1, help="GPUs, or processes on CPUs, that work at once.")
    ] = 1,
    seconds_each: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            metavar="S",
            help="GPU-seconds of one inspection.",
            show_default="as measured in the session, else as published",
        ),
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only the I-th of N equal shares.")
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Estimate hours, GPU-hours and disk for the candidates not inspected yet."""
    share = None if shard is None else Share.parse(shard)
    with open_session(session, reviewer_name(reviewer), read_only=True) as opened:
        found = plan_inspections(opened, model, gpus, seconds_each=seconds_each, share=share)
    for line in plan_lines(found, model):
        typer.echo(cleaned(line))


def plan_lines(plan: Forecast, model: str) -> tuple[str, ...]:
    of = counted_text(plan.candidates, "candidate")
    return (
        f"{plan.pending:,} of {of} to inspect with {model}",
        f"rate       {plan.rate.seconds_each:.3g} s each ({plan.rate.source})",
        f"time       {duration(plan.seconds)} with {counted_text(plan.gpus, 'GPU')}",
        f"GPU-hours  {plan.gpu_seconds / 3600:,.3g}",
        f"disk       {plan.disk_bytes / 1e6:,.3g} MB",
    )
