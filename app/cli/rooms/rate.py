"""`spec-o3 rate FILE...`: the rating room."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from app.cli.session_options import reviewer_name
from app.cli.window import require_display


def rate(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Inspections: trajectories as JSON lines."),
    ],
    spectra: Annotated[
        list[Path] | None,
        typer.Option(
            help="Folder or set (.parquet) with the spectra; may be repeated. The folders of the "
            "files are searched anyway."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="File of ratings; by default beside the first file."),
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="Further files of ratings for the figures; may be repeated."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Your name.", show_default="the name chosen in the window"),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the order, and of the sides of pairs.")] = 0,
) -> None:
    """Rate inspections for coherence and physical consistency, or choose the better of two.

    You see neither the model nor the truth. Every rating is saved when it is given; any number of
    people and models can rate the same inspections, into one file or several.
    """
    from agent.ratings.desk import open_desk

    require_display()
    desk = open_desk(
        files,
        reviewer_name(name),
        out=out,
        places=spectra or (),
        seed=seed,
        others=ratings or (),
    )
    program = import_module("app.ui.rating.rating_program")
    raise typer.Exit(program.start(desk))
