"""`spec-o3 vet SESSION`: let the agent look at every candidate it has not seen yet."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from agent.inspection.inspector_factory import default_model
from agent.trajectory.trajectory import ModelRef
from app.cli.inspection_text import cleaned
from app.cli.session_options import ReviewerOption, SessionArgument, reviewer_name
from app.core.inspections.batch import Vetted, clear_missing_file_faults
from app.core.inspections.batch import vet as inspect_all
from app.core.inspections.shown_opinion import show_model, shown_model
from app.core.inspections.store import Confusion, compare_models, count_pending
from app.core.session.session import Session, open_session
from app.worker.pool import WorkerPool
from app.worker.request import LoadRequest

MAX_FAULTS_SHOWN = 10
STOPPED = 130
"""What the shell calls a program that Ctrl-C ended: what was to follow it must not."""


def vet(
    session: SessionArgument,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="As for `spec-o3 inspect`.",
            show_default="the best in the box",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that inspect.")] = 1,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Stop after so many.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Also what could not be read before.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of what is left to chance.")] = 0,
    second: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="A second opinion of each, to see where the two differ.",
        ),
    ] = None,
    reviewer: ReviewerOption = None,
) -> None:
    """Inspect what has not been inspected; stop and start again as you like."""
    with open_session(session, reviewer_name(reviewer)) as opened:
        run = partial(run_vet, opened, workers=workers, limit=limit, seed=seed, again=again)
        model = model or default_model(opened.task.id)
        if second is None:
            run(LoadRequest(model))
            return
        # The second first: a name that is wrong is found out before the long work.
        other, first = run(LoadRequest(second)), run(LoadRequest(model))
        if shown_model(opened) is None:  # else it would be the newest of each
            show_model(opened, first)
        _show_disagreement(compare_models(opened, first, other))


def run_vet(
    session: Session,
    load: LoadRequest,
    *,
    workers: int = 1,
    limit: int | None = None,
    seed: int = 0,
    again: bool = False,
) -> ModelRef:
    """With a progress bar on standard error, and a summary on standard output. Which model it
    was."""
    said: Counter[str] = Counter()
    faults: list[str] = []
    is_stopped = False
    with WorkerPool(workers, load) as pool, _progress() as progress:
        bar = progress.add_task("loading the model", total=None)
        model = pool.ready()
        clear_missing_file_faults(session)
        left = count_pending(session, model, again=again)
        passed_over = 0 if again else count_pending(session, model, again=True) - left
        total = left if limit is None else min(left, limit)
        progress.update(bar, description=f"inspecting with {cleaned(model.name)}", total=total)
        progress.reset(bar)
        try:
            run = inspect_all(session, pool, model, limit=limit, seed=seed, again=again)
            for vetted in run:
                said[_result_word(vetted)] += 1
                if vetted.fault and len(faults) < MAX_FAULTS_SHOWN:
                    faults.append(f"{vetted.candidate.object_id}: {vetted.fault}")
                progress.advance(bar)
        except KeyboardInterrupt:
            is_stopped = True
            faults.append("stopped by you: the same command goes on from here")
    done = sum(said.values())
    words = ", ".join(f"{word} {count}" for word, count in sorted(said.items()))
    typer.echo(f"{done} inspected with {cleaned(model.name)}" + (f": {words}" if words else ""))
    for fault in faults:
        typer.echo(f"  {cleaned(fault)}", err=True)
    if passed_over:
        told = f"{passed_over} could not be read before: with --again they are tried once more"
        typer.echo(f"  {told}", err=True)
    if is_stopped:
        raise typer.Exit(STOPPED)
    return model


def _show_disagreement(both: Confusion) -> None:
    first, second = both.first, both.second
    if (first.name, first.sha256) == (second.name, second.sha256):
        typer.echo("the second opinion is of the same model: name another one")
        return
    typer.echo(
        f"of {both.n} that both inspected they differ on {both.opposed}; see them with the filter "
        "disagree:agents, or first in the order disagreeing"
    )


class _Rate(ProgressColumn):
    """How many a second, or a minute where that reads better."""

    def render(self, task: Task) -> Text:
        speed = task.finished_speed or task.speed
        if not speed:
            return Text("")
        return Text(f"{speed:.1f}/s" if speed >= 1 else f"{60 * speed:.1f}/min", style="dim")


def _result_word(vetted: Vetted) -> str:
    if vetted.trajectory is None:
        return "not readable"
    return vetted.trajectory.verdict or "no verdict"


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(elapsed_when_finished=True),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
