"""`spec-o3 curate POOL` and `spec-o3 rate FILE...`: the rooms, opened from the terminal."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.session_options import reviewer_name
from app.cli.window import open_window, require_display


def curate(
    pool: Annotated[str, typer.Argument(help="Folder of the pool, or its database's URL.")],
    reviewer: Annotated[
        str, typer.Option(help="Your name, stored with your reviews. Default: as in the window.")
    ] = "",
) -> None:
    """Open the curation room: screen, revise, audit and vote on drafts of inspections.

    A pool is made by `spec-o3-train curate import`; several people may work on one at once.
    """
    from train.review.pool import open_pool

    is_address = "://" in pool
    place = pool if is_address else Path(pool).expanduser().absolute()
    open_pool(place).store.close()  # what is wrong with it is told here, without a window
    _open(lambda opener: opener.open_pool(place, reviewer.strip()))


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
        Path | None, typer.Option(help="File of ratings; by default beside the first file.")
    ] = None,
    ratings: Annotated[
        list[Path] | None,
        typer.Option(help="Further files of ratings for the figures; may be repeated."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="Your name.", show_default="the name chosen in the window")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of the order, and of the sides of pairs.")] = 0,
) -> None:
    """Rate inspections for coherence and physical consistency, or choose the better of two.

    You see neither the model nor the truth. Every rating is saved when it is given; any number of
    people and models can rate the same inspections, into one file or several.
    """
    from train.review.rating_round import open_round

    require_display()
    rating_round = open_round(
        files, reviewer_name(name), out=out, places=spectra or (), seed=seed, others=ratings or ()
    )
    _open(lambda opener: opener.show_round(rating_round))


def _open(open_room: Callable[[Any], object]) -> None:
    """Open a room without the main window, and end the program with it."""

    def in_window(window: object) -> None:
        # By name, as only the window's own code imports Qt.
        import_module("train.review.window.opener").open_alone(open_room, window)

    sys.exit(open_window(room=in_window))
