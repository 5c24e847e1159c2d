"""`spec-o3-train card`: edit the name, origin and figures in a model's card."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.errors import WorkbenchError
from agent.models.card_file import read_card, write_card


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
