"""`spec-o3-train reopen`: a GGUF model as a folder to train further."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from train.models.errors import ExportError


def reopen(
    model: Annotated[str, typer.Argument(help="Name or folder of a GGUF model, such as nano.")],
    out: Annotated[Path, typer.Argument(help="Folder to make; `sft` and `grpo` start from it.")],
) -> None:
    """Turn a GGUF model back into a folder whose weights can be trained further."""
    try:
        from train.export.reopen import reopen as reopened
    except ImportError as error:
        raise ExportError(
            f"reopening needs {error.name}: pip install 'spec-o3-workbench[train]'"
        ) from error
    card = reopened(model, out)
    typer.echo(f"{out}  {card.parameters / 1e6:,.1f} M weights, {card.bytes / 1e6:,.1f} MB")
