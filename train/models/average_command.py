"""`spec-o3-train average`: average the checkpoints of a run."""

from pathlib import Path
from typing import Annotated

import typer

from train.recipe import training_packages


def average(
    run: Annotated[Path, typer.Argument(help="Folder of a run of sft or grpo, or a model.")],
    out: Annotated[Path, typer.Argument(help="Folder of the new model.")],
    first: Annotated[int, typer.Option(min=0, help="Step of the first checkpoint.")] = 0,
    last: Annotated[int, typer.Option(min=0, help="Step of the last checkpoint.")] = 10**9,
    like: Annotated[
        Path | None, typer.Option(help="The model that the run started from, if it did not finish.")
    ] = None,
    back: Annotated[
        Path | None,
        typer.Option(
            help="A model to average the result with, such as the one that the run started from."
        ),
    ] = None,
) -> None:
    """Average the weights of a run's checkpoints, or take one of them, as a model."""
    with training_packages("averaging needs"):
        from train.models.average import average as averaged
        from train.models.average import checkpoints_of
    checkpoints = checkpoints_of(run, first, last)
    card = averaged(run, checkpoints, out, like, back)
    names = ", ".join(folder.name for folder in checkpoints)
    end = f", averaged with {back}" if back is not None else ""
    typer.echo(f"{out}  {card.parameters / 1e6:,.1f} M weights, from {names}{end}")
