"""`spec-o3-train evaluate sight`: do a model's verdicts depend on its pictures?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from agent.errors import ResourceError, WorkbenchError
from agent.inspection.built_in import built_in
from agent.models.registry import find_model
from train.evaluate.judges import JudgeSpec
from train.evaluate.progress import judging_progress
from train.evaluate.sight import count_inspections, judge_sight, sight_set, write_into_card
from train.evaluate.sight_figures import sight_markdown


def sight(
    model: Annotated[str, typer.Argument(help="A model's name, folder, .gguf or server.")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="SET", help="A Parquet set, a bench, or spectra with a MANIFEST.csv."
        ),
    ],
    out: Annotated[
        Path, typer.Argument(help="Folder for judgements and tables; resumed if it exists.")
    ],
    card: Annotated[bool, typer.Option(help="Put the figures into the model's card.")] = False,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Processes; each loads the model.")
    ] = 1,
    limit: Annotated[
        int | None, typer.Option(min=6, help="Judge at most this many candidates per task.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, max=512, help="Threads per process.")
    ] = None,
    device: Annotated[
        Literal["auto", "cpu", "cuda", "mps"], typer.Option(help="Device of the model.")
    ] = "auto",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the bootstrap intervals.")] = 0,
) -> None:
    """Test of sight: pictures as they are, white, of another star, mirrored and shifted."""
    own = built_in(model)
    if own is not None and not own.eye:
        raise WorkbenchError(f"the {own.name} inspector looks at no pictures: name a model")
    try:
        location = find_model(model)
    except ResourceError as error:
        raise WorkbenchError(str(error)) from error
    if card and location.folder is None:
        raise WorkbenchError(f"{model} has no folder with a card")
    path, name = sight_set(source, out)
    spec = JudgeSpec(
        name=location.card.name, kind="inspector", source=model, threads=threads, device=device
    )
    console = Console(stderr=True)
    total = count_inspections(path, limit)
    with judging_progress(console, total) as advance:
        figures = judge_sight(
            spec, path, name, out, workers=workers, limit=limit, seed=seed,
            advance=advance,
        )  # fmt: skip
    typer.echo(sight_markdown(spec.name, name, figures))
    if card and location.folder is not None:
        typer.echo(f"written to {write_into_card(location.folder, name, figures)}", err=True)
