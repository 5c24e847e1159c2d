"""`spec-o3-train reopen`: convert a GGUF model to a folder for further training."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from train.models.errors import ExportError


def reopen(
    model: Annotated[str, typer.Argument(help="Name or folder of a GGUF model, such as nano.")],
    out: Annotated[Path, typer.Argument(help="New folder, from which `sft` and `grpo` can start.")],
) -> None:
    """Convert a GGUF model back to a folder whose training can continue."""
    try:
        from train.export.reopen import reopen as reopened
    except ImportError as error:
        raise ExportError(
            f"reopening needs {error.name}: pip install 'spec-o3-workbench[train]'"
        ) from error
    card = reopened(model, out)
    typer.echo(f"{out}  {card.parameters / 1e6:,.1f} M weights, {card.bytes / 1e6:,.1f} MB")
