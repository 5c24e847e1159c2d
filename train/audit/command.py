"""`spec-o3-train audit`: do the measured inspector's sentences contradict their numbers?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from train.audit.audit import audit as audit_records
from train.audit.audit import records_of


def audit(
    source: Annotated[
        Path,
        typer.Argument(
            help="Spectra (a folder, with or without a MANIFEST.csv), a Parquet set, or the "
            "inspections of a session, exported as .jsonl."
        ),
    ],
    task: Annotated[
        list[str] | None, typer.Option(help="A class to ask about; repeatable. Default: all.")
    ] = None,
    examples: Annotated[int, typer.Option(min=0, help="Faults shown of each kind.")] = 3,
) -> None:
    """Check every sentence of measured inspections against its numbers; fails if one is wrong."""
    found = audit_records(records_of(source, tuple(task or ())))
    typer.echo(found.markdown(examples))
    if found.faults:
        raise typer.Exit(1)
