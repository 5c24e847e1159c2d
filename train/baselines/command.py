"""`spec-o3-train baselines`: specialist networks trained on the same split as the agent."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from train.recipe import Config, Preset, Sets, settings, training_packages


def baselines(
    sets: Annotated[list[Path], typer.Argument(help="Training sets of spec-o3-train bench.")],
    out: Annotated[Path, typer.Option(help="Folder for the networks; existing ones are kept.")],
    preset: Preset = "",
    config: Config = None,
    changes: Sets = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same networks.")] = 0,
    threads: Annotated[int | None, typer.Option(min=1, max=512)] = None,
) -> None:
    """Train a plain CNN, a CNN of parallel branches and a small spectrum transformer."""
    with training_packages("baselines need"):
        import torch

        from train.baselines.fit import BaselineSettings
        from train.baselines.training import train_specialists
    if threads is not None:
        torch.set_num_threads(threads)
    chosen = settings(BaselineSettings, "baselines", preset=preset, config=config, sets=changes)
    console = Console(stderr=True)
    report = partial(console.print, markup=False)
    for folder in train_specialists(sets, out, chosen, seed, report):
        typer.echo(folder)
