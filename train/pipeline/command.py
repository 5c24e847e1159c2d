"""`spec-o3-train chain OUT`: from nothing to a model that inspects, in one command."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from train.pipeline.orders import Orders, Step, stage_sets
from train.pipeline.run import Done, run_chain
from train.pipeline.settings import PipelineSettings
from train.pipeline.steps import steps
from train.recipe import PRESETS, Config, Sets, settings

SEEDS = 3
"""That one chain takes: its own, and those of what it practises on and of its second sky."""


def chain(
    out: Annotated[Path, typer.Argument(help="Folder for all that is made; continued.")],
    preset: Annotated[str, typer.Option(help=f"One of {', '.join(PRESETS)}.")] = "tiny",
    config: Config = None,
    changes: Sets = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same model.")] = 0,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 1,
    processes: Annotated[
        int,
        typer.Option(min=1, max=256, help="That train together, each with batches of its own."),
    ] = 1,
    then: Annotated[
        str, typer.Option(metavar="PRESET", help="Learns on by that one, in a folder beneath OUT.")
    ] = "",
    dry: Annotated[bool, typer.Option("--dry", help="Only show the commands.")] = False,
) -> None:
    """Simulate, build the bench, draft, curate, train, judge, export and inspect.

    Each step is a command shown as it begins; one that is done is not done again. With --then what
    is set is set for both presets.
    """
    told = stage_sets(config, changes or ())
    first = Orders(
        out=out,
        settings=settings(PipelineSettings, "chain", preset=preset, sets=told),
        preset=preset,
        seed=seed,
        workers=workers,
        sets=told,
        processes=processes,
    )
    planned = list(steps(first))
    if then:
        onwards = replace(
            first,
            out=out / then,
            settings=settings(PipelineSettings, "chain", preset=then, sets=told),
            preset=then,
            seed=seed + SEEDS,
            after=first,
        )
        planned += [replace(step, name=f"{then}: {step.name}") for step in steps(onwards)]
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

    (out / then).mkdir(parents=True, exist_ok=True)
    finished = run_chain(out, planned, begun, ended)
    total = sum(done.seconds for done in finished)
    typer.echo(f"{len(finished)} steps, {total:.0f} s; read {out / then / 'report.html'}")
