"""`spec-o3 curate`: open the curation room on a pool of drafts."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer


def curate(
    pool: Annotated[str, typer.Argument(help="Folder of the pool, or its database's URL.")],
    reviewer: Annotated[
        str, typer.Option(help="Your name, stored with your reviews. Default: as in the window.")
    ] = "",
) -> None:
    """Open the curation room: screen, revise, audit and vote on drafts of inspections.

    A pool is made by `spec-o3-train curate import`; several people may work on one at once.
    """
    from agent.curation.pool import open_pool
    from app.cli.window import open_window

    place = pool if "://" in pool else Path(pool).expanduser().absolute()
    open_pool(place).store.close()  # what is wrong with it is told here, without a window
    sys.exit(open_window(pool=place, reviewer=reviewer.strip()))
