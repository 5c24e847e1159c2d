"""`spec-o3-train lessons`: what people rated and corrected becomes training data."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer


def lessons(
    sessions: Annotated[
        list[str],
        typer.Argument(metavar="SESSION...", help="Sessions: files, or addresses of PostgreSQL."),
    ],
    out: Annotated[Path, typer.Option(help="Folder to write.")],
    spectra: Annotated[
        list[Path] | None,
        typer.Option(help="Further folders or sets with the spectra; may be repeated."),
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Write corrections in the words and pictures of this preset.")
    ] = "",
) -> None:
    """Read ratings and corrections of sessions as trajectories and labels.

    Inspections with a right verdict that were rated 4 or 5 are kept. Those rated 0 to 2, and those
    that a person's verdict contradicts, are written anew by the measured teacher, which is told
    that verdict. OUT/trajectories.jsonl is for `sft`, OUT/spectra.parquet has every label.
    """
    from train.draft.settings import DraftSettings
    from train.recipe import settings
    from train.review.lessons import (
        SPECTRA,
        TRAJECTORIES,
        joined,
        read_lessons,
        summary,
        write_lessons,
    )

    drafts = settings(DraftSettings, "draft", preset=preset) if preset else None
    read = partial(read_lessons, places=spectra or [], drafts=drafts)
    found = joined([*map(read, sessions)])
    write_lessons(found, out)
    for line in summary(found):
        typer.echo(line)
    typer.echo(f"spec-o3-train sft {out / TRAJECTORIES} --sets {out / SPECTRA} --out RUN")
