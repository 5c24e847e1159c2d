"""`spec-o3-train chain OUT`: every stage from simulated spectra to a trained model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from train.pipeline.chain_commands import ChainCommands, Step, stage_sets
from train.pipeline.run import Done, run_chain
from train.pipeline.settings import PipelineSettings
from train.pipeline.steps import steps
from train.recipe import PRESETS, Config, Sets, settings


def chain(
    out: Annotated[
        Path, typer.Argument(help="Folder for all results; an unfinished chain continues.")
    ],
    preset: Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")] = "tiny",
    config: Config = None,
    changes: Sets = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same model.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Worker processes.")] = 1,
    processes: Annotated[
        int,
        typer.Option(min=1, max=256, help="Training processes, each with batches of its own."),
    ] = 1,
    dry: Annotated[bool, typer.Option("--dry", help="Only print the commands.")] = False,
) -> None:
    """Simulate, build the bench, draft, curate, train, export, evaluate and inspect.

    Each step is a command, shown when it starts; finished steps are skipped.
    """
    sets = stage_sets(config, changes or ())
    commands = ChainCommands(
        out=out, settings=settings(PipelineSettings, "chain", preset=preset, sets=sets),
        preset=preset, seed=seed, workers=workers, sets=sets, processes=processes,
    )  # fmt: skip
    planned = list(steps(commands))
    if dry:
        for step in planned:
            typer.echo(step.line)
        return
    console = Console(stderr=True, soft_wrap=True, highlight=False)

    def begun(step: Step) -> None:
        console.print(f"[bold]{step.name}[/bold]  ", end="")
        console.print(step.line, style="dim", markup=False)

    def ended(done: Done) -> None:
        console.print(f"  done in {done.seconds:.0f} s", style="dim")

    out.mkdir(parents=True, exist_ok=True)
    finished = run_chain(out, planned, begun, ended)
    total = sum(done.seconds for done in finished)
    typer.echo(f"{len(finished)} steps, {total:.0f} s; read {out / 'report.html'}")
