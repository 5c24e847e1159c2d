"""`spec-o3-train card`: what a model is called, what it was made from, what it can do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from agent.errors import WorkbenchError
from agent.models.card_file import read_card, write_card


def card(
    folder: Annotated[Path, typer.Argument(help="A model's folder with its model.toml.")],
    name: Annotated[str | None, typer.Option(help="How commands call it.")] = None,
    title: Annotated[str | None, typer.Option(help="How people call it.")] = None,
    licence: Annotated[str | None, typer.Option(help="Such as BSD-3-Clause.")] = None,
    trained_on: Annotated[
        str | None, typer.Option("--trained-on", help="Data, recipe and limits, in words.")
    ] = None,
    figures: Annotated[
        list[str] | None,
        typer.Option(
            "--figures",
            metavar="FILE.json=JUDGE",
            help="A table of `evaluate` and the judge in it that this model is; repeatable. "
            "Takes the place of the figures it has.",
        ),
    ] = None,
) -> None:
    """Say in a model's card what it is and what was measured of it."""
    from train.models.card_figures import figures_of

    told: dict[str, Any] = {
        "name": name, "title": title, "licence": licence, "trained_on": trained_on,
    }  # fmt: skip
    changes = {key: value for key, value in told.items() if value is not None}
    if figures:
        changes["figures"] = tuple(one for text in figures for one in figures_of(*_named(text)))
    if not changes:
        raise WorkbenchError("nothing to say: name, title, licence, trained-on or figures")
    path = write_card(replace(read_card(folder), **changes), folder)
    typer.echo(f"written to {path}")


def _named(text: str) -> tuple[Path, str]:
    path, equals, judge = text.rpartition("=")
    if not equals or not judge:
        raise WorkbenchError(f"say which judge of {text} this is: FILE.json=JUDGE")
    return Path(path), judge
