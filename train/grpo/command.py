"""`spec-o3-train grpo`: let a model find out by itself what leads to right verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from agent.errors import WorkbenchError
from train.recipe import Config, Preset, Sets, settings


def grpo(
    sets: Annotated[
        list[Path],
        typer.Option("--sets", help="Parquet set of labelled spectra; may be repeated."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the run.")],
    model: Annotated[str, typer.Option("--model", help="Folder or name to start from.")],
    judged: Annotated[
        list[Path] | None,
        typer.Option(
            "--judged",
            help="Judgements (.jsonl of evaluate) of the model it starts from: what it is sure of "
            "is not asked; may be repeated.",
        ),
    ] = None,
    preset: Preset = "",
    config: Config = None,
    changes: Sets = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that draw pictures.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on from the last checkpoint in --out.")
    ] = False,
) -> None:
    """Reward inspections for right verdicts in good form, and make the better ones likelier."""
    from train.grpo.settings import GrpoSettings

    told = settings(GrpoSettings, "grpo", preset=preset, config=config, sets=changes)
    try:
        from train.grpo.run import reinforce
        from train.models.model_folder import starting_folder
    except ImportError as error:
        raise WorkbenchError(
            f"reinforcement learning needs {error.name}: pip install 'spec-o3-workbench[train]'"
        ) from error
    finished = reinforce(
        starting_folder(model),
        sets,
        out,
        told,
        judged=judged or (),
        seed=seed,
        workers=workers,
        resume=resume,
    )
    typer.echo(f"the model is in {finished}")
