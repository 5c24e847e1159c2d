"""`spec-o3-train judge`: a model rates inspections on the rubric of the rating room."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from agent.checked_toml import printable
from agent.errors import WorkbenchError

MAX_AT_ONCE = 64


def judge(
    files: Annotated[list[Path], typer.Argument(help="Trajectories (.jsonl).")],
    model: Annotated[
        str,
        typer.Option(help="The judge: a model's name or path, or a server's address with #MODEL."),
    ],
    out: Annotated[
        Path | None,
        typer.Option(help="File of ratings to write or go on with; default beside the first file."),
    ] = None,
    spectra: Annotated[
        list[Path] | None,
        typer.Option(help="Sets (.parquet) or folders with the spectra; may be repeated."),
    ] = None,
    name: Annotated[str, typer.Option(help="Name of the judge in the ratings.")] = "",
    limit: Annotated[int | None, typer.Option(min=1, help="Rate at most this many.")] = None,
    seed: Annotated[int, typer.Option(min=0)] = 0,
    at_once: Annotated[
        int, typer.Option(min=1, max=MAX_AT_ONCE, help="Inspections a server reads at once.")
    ] = 1,
) -> None:
    """Let a model rate inspections for coherence and physical consistency, 0 to 5.

    It reads the whole conversation with its pictures and is not told who inspected. The ratings
    have the form of those that people give in `spec-o3 rate`, and can be shown together.
    """
    from agent.inspection.engine_loader import load_engine
    from agent.models.registry import find_model
    from agent.trajectory.trajectory_file import read_trajectories
    from train.review.model_judge import JudgeRun, rate_all
    from train.review.ratings_file import ratings_beside
    from train.review.rounds import unique
    from train.review.spectra import Spectra

    trajectories = unique(one for path in files for one in read_trajectories(path))[:limit]
    if not trajectories:
        raise WorkbenchError(f"there is no trajectory in {', '.join(map(str, files))}")
    location = find_model(model)
    if at_once > 1 and location.card.server is None:
        raise WorkbenchError("--at-once is for a model on a server")
    places = [*(spectra or []), *(path.parent for path in files)]
    engine = load_engine(location, side_by_side=at_once > 1)
    run = JudgeRun(
        engine=engine,
        name=name or location.card.name,
        spectra=Spectra(places),
        out=out or ratings_beside(files[0]),
        seed=seed,
        at_once=at_once,
    )
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    try:
        with Progress(*columns, console=Console(stderr=True)) as progress:
            bar = progress.add_task("judging", total=len(trajectories))
            counts = rate_all(run, trajectories, advance=lambda: progress.advance(bar))
    finally:
        engine.close()
    why = f" (the first: {printable(counts.first_fault, 160)})" if counts.first_fault else ""
    known = f", {counts.known} rated before" if counts.known else ""
    typer.echo(f"{counts.rated} rated{known}, {counts.unusable} without a score{why}: {run.out}")
