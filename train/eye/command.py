"""`spec-o3-train eye`: teach the vision tower on pictures and their truth, before any words."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.errors import WorkbenchError
from train.parallel import in_order
from train.recipe import Config, Preset, Sets, settings

app = typer.Typer(
    help="Teach the vision tower on pictures and their truth, before any words.",
    no_args_is_help=True,
)
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]


@app.command()
def lessons(
    out: Annotated[Path, typer.Argument(help="Folder for the shards; existing ones are kept.")],
    seed: Seed = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 1,
    library: Annotated[
        Path | None, typer.Option(help="Folder of labelled real stars to use as bases, too.")
    ] = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Draw simulated spectra, whole and in windows, with the truth about each picture."""
    from train.eye.lessons import write_shard_of_lessons
    from train.eye.settings import LessonSettings

    chosen = settings(LessonSettings, "lessons", preset=preset, config=config, sets=sets)
    out.mkdir(parents=True, exist_ok=True)
    folder = str(library.resolve()) if library else ""
    make = partial(write_shard_of_lessons, out=out, settings=chosen, seed=seed, library=folder)
    for shard, path in enumerate(in_order(make, range(chosen.shards), workers)):
        Console(stderr=True).print(f"{shard + 1} of {chosen.shards}: {path}", markup=False)


@app.command()
def school(
    lessons: Annotated[Path, typer.Argument(help="Folder of lessons.")],
    out: Annotated[Path, typer.Argument(help="Folder for the tower and its curve.")],
    real: Annotated[
        Path | None,
        typer.Option(help="Labelled real spectra (a MANIFEST.csv) to probe the tower on."),
    ] = None,
    start: Annotated[Path | None, typer.Option(help="Folder of an eye to train further.")] = None,
    seed: Seed = 0,
    threads: Annotated[int | None, typer.Option(min=1, max=512)] = None,
    preset: Preset = "",
    config: Config = None,
    sets: Sets = None,
) -> None:
    """Train the tower on lessons, and probe it on real spectra as it learns."""
    try:
        import torch

        from train.eye.probe import Watcher
        from train.eye.school import load_eye, teach
        from train.eye.settings import SchoolSettings
    except ImportError as error:
        raise WorkbenchError(
            f'the eye needs {error.name}: pip install -e ".[train]" in the checkout'
        ) from error
    if threads is not None:
        torch.set_num_threads(threads)
    chosen = settings(SchoolSettings, "school", preset=preset, config=config, sets=sets)
    shards = sorted(lessons.glob("lessons-*.npz"))
    if not shards:
        raise WorkbenchError(f"{lessons} has no lessons: make them with `eye lessons`")
    console = Console(stderr=True, soft_wrap=True)
    watch = Watcher(real, chosen) if real is not None else None
    begun = load_eye(start, chosen) if start is not None else None
    teach(
        shards, out, chosen, seed, watch=watch, eye=begun,
        tell=lambda line: console.print(line, markup=False),
    )  # fmt: skip
    typer.echo(out)
