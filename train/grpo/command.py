"""`spec-o3-train grpo`: reinforcement learning from labels."""

from pathlib import Path
from typing import Annotated

import typer

from train.recipe import Config, Preset, Sets, settings, training_packages


def grpo(
    sets: Annotated[
        list[Path], typer.Option("--sets", help="Parquet set of labelled spectra; may be repeated.")
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder of the run.")],
    model: Annotated[
        str, typer.Option("--model", help="Name or folder of the model to start from.")
    ],
    judged: Annotated[
        list[Path] | None,
        typer.Option(
            "--judged",
            help="Judgements by the starting model (.jsonl of evaluate): questions it is sure "
            "about are skipped; may be repeated.",
        ),
    ] = None,
    wording: Annotated[
        str,
        typer.Option(
            "--wording",
            help="Name or folder of the wording to train in, or `ours`; by default the model's.",
        ),
    ] = "",
    preset: Preset = "",
    config: Config = None,
    changes: Sets = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes that draw pictures.")] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue from the last checkpoint in --out.")
    ] = False,
) -> None:
    """Train a model by rewarding inspections with right verdicts in good form (GRPO)."""
    from train.grpo.settings import GrpoSettings

    grpo_settings = settings(GrpoSettings, "grpo", preset=preset, config=config, sets=changes)
    with training_packages("reinforcement learning needs"):
        from train.grpo.run import reinforce
        from train.models.model_folder import starting_folder
    finished = reinforce(
        starting_folder(model), sets, out, grpo_settings,
        judged=judged or (), wording=wording, seed=seed, workers=workers, resume=resume,
    )  # fmt: skip
    typer.echo(f"the model is in {finished}")
