"""`spec-o3-train sft`: supervised fine-tuning on approved trajectories."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from train.recipe import Config, Preset, Sets, settings, training_packages


def sft(
    approved: Annotated[
        list[Path],
        typer.Argument(help="Trajectories (.jsonl), or conversations in ShareGPT format."),
    ],
    out: Annotated[Path, typer.Option("--out", help="Folder for the run.")],
    sets: Annotated[
        list[Path] | None,
        typer.Option("--sets", help="Parquet set with the spectra; may be repeated."),
    ] = None,
    model: Annotated[
        str, typer.Option("--model", help="Model folder or name to start from, or `new`.")
    ] = "",
    wording: Annotated[
        str,
        typer.Option(
            "--wording",
            help="Name or folder of the wording to train in, or `ours`; by default that of the "
            "conversations or of the model.",
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
    """Fine-tune a model on the agent's own words in approved trajectories."""
    from train.sft.settings import ModelSettings, SftSettings

    chosen = settings(SftSettings, "sft", preset=preset, config=config, sets=changes)
    # A change without a table name belongs to [sft].
    of_model = [each for each in changes or [] if each.lstrip().startswith("model.")]
    shape = settings(ModelSettings, "model", preset=preset, config=config, sets=of_model)
    with training_packages("fine-tuning needs"):
        from train.sft.run import fine_tune
    if model:
        shape = replace(shape, start=model)
    finished = fine_tune(
        approved, sets or [], out, chosen, shape,
        wording=wording, seed=seed, workers=workers, resume=resume,
    )  # fmt: skip
    if os.environ.get("RANK", "0") == "0":  # a launcher starts several processes
        typer.echo(f"the model is in {finished}")
