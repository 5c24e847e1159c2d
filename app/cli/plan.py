"""`spec-o3 plan SESSION --model M`: hours, GPU-hours and disk for what is not inspected yet."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

import typer

from agent.trajectory.trajectory import ModelRef
from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.errors import SessionError, counted_text
from app.core.inspections.store import (
    MeasuredRate,
    Share,
    count_pending,
    measured_rate,
    models_of,
)
from app.core.session.session import Session, open_session
from app.core.statistics.number_format import duration

PUBLISHED = ("spec-o3-3b", "spec-o3-7b")
PUBLISHED_S = 1.6  # GPU-seconds a sample, from the paper's 0.2 s on eight H100


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
    of = counted_text(found.candidates, "candidate")
    lines = (
        f"{found.pending:,} of {of} to inspect with {model}",
        f"rate       {found.seconds_each:.3g} s each ({found.source})",
        f"time       {duration(found.seconds)} with {counted_text(found.gpus, 'GPU')}",
        f"GPU-hours  {found.gpu_seconds / 3600:,.3g}",
        f"disk       {found.disk_bytes / 1e6:,.3g} MB",
    )
    for line in lines:
        typer.echo(cleaned(line))


# Estimates how long the inspections that are left in a session take, and how much disk.
@dataclass(frozen=True, kw_only=True)
class Forecast:
    candidates: int
    pending: int
    gpus: int
    seconds_each: float
    """GPU-seconds of one inspection; of a process where the model runs on the CPU."""
    source: str  # where that is known from
    record_bytes: float

    @property
    def gpu_seconds(self) -> float:
        return self.pending * self.seconds_each

    @property
    def seconds(self) -> float:
        return self.gpu_seconds / self.gpus

    @property
    def disk_bytes(self) -> float:
        return self.pending * self.record_bytes


def plan_inspections(
    session: Session,
    model: str,
    gpus: int,
    *,
    seconds_each: float | None = None,
    share: Share | None = None,
) -> Forecast:
    """Plan the inspections by the model of this name. Raises SessionError if no rate is known."""
    named = (each for each in models_of(session) if each.name.casefold() == model.casefold())
    # Of several weights with that name those of the newest inspection.
    found = (measured_rate(session, each) for each in named)
    measured = max(found, key=attrgetter("at"), default=MeasuredRate())
    source = "as given"
    if seconds_each is None and measured.seconds:
        seconds_each = measured.seconds
        source = "measured: the mean of inspections in this session, one at a time"
    elif seconds_each is None and model.casefold().startswith(PUBLISHED):
        seconds_each, source = PUBLISHED_S, "published: 0.2 s a sample on 8 H100"
    elif seconds_each is None:
        raise SessionError(
            f"how long {model[:80]} takes is not known: inspect some with "
            "`spec-o3 vet SESSION --limit 5` first, or give --seconds-each"
        )
    return Forecast(
        candidates=session.count(),
        pending=count_pending(session, measured.model or ModelRef(name=model), share=share),
        gpus=gpus,
        seconds_each=seconds_each,
        source=source,
        record_bytes=measured.record_bytes,
    )
