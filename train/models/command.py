"""`spec-o3-train card` and `average`: a model's card, and the mean of checkpoints as a model."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.errors import WorkbenchError
from agent.models.card_file import read_card, write_card
from train.recipe import training_packages


def card(
    folder: Annotated[Path, typer.Argument(help="A model's folder with its model.toml.")],
    name: Annotated[str | None, typer.Option(help="Name in commands.")] = None,
    title: Annotated[str | None, typer.Option(help="Name on screen.")] = None,
    licence: Annotated[str | None, typer.Option(help="Licence, such as BSD-3-Clause.")] = None,
    trained_on: Annotated[
        str | None, typer.Option("--trained-on", help="Data, recipe and limits, in words.")
    ] = None,
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--figures",
            metavar="FILE.json=JUDGE",
            help="A table of `evaluate` and this model's name in it; may be repeated. Replaces the "
            "figures in the card.",
        ),
    ] = None,
) -> None:
    """Edit a model's card: names, licence, training data and measured figures."""
    from train.models.card_figures import figures_of

    texts = {"name": name, "title": title, "licence": licence, "trained_on": trained_on}
    changes: dict[str, Any] = {key: text for key, text in texts.items() if text is not None}
    if figures:
        changes["figures"] = tuple(one for text in figures for one in figures_of(*_named(text)))
    if not changes:
        raise WorkbenchError(
            "nothing to change: give --name, --title, --licence, --trained-on or --figures"
        )
    path = write_card(replace(read_card(folder), **changes), folder)
    typer.echo(f"written to {path}")


def _named(text: str) -> tuple[Path, str]:
    path, equals, judge = text.rpartition("=")
    if not equals or not judge:
        raise WorkbenchError(f"{text} does not name a judge: write FILE.json=JUDGE")
    return Path(path), judge


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
