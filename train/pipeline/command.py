"""`spec-o3-train chain OUT`: every stage from simulated spectra to a trained model."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from agent.atomic_file import write_file
from agent.errors import WorkbenchError
from train.pipeline.steps import ChainCommands, PipelineSettings, Step, stage_sets, steps
from train.recipe import PRESETS, Config, Sets, settings

RECORD = "chain.json"
MODULES = {"spec-o3-train": "train.cli", "spec-o3": "app.cli.main"}
MAX_OUTPUT = 3000  # characters of a failed command's output in the error


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
        int, typer.Option(min=1, max=256, help="Training processes, each with batches of its own.")
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


# Runs the steps of a chain, each in a process of its own, and skips finished ones.
@dataclass(frozen=True)
class Done:
    """A finished step and its duration; an entry of chain.json."""

    name: str
    line: str
    seconds: float


def run_chain(
    out: Path,
    steps: Iterable[Step],
    begun: Callable[[Step], None] = lambda step: None,
    ended: Callable[[Done], None] = lambda done: None,
) -> list[Done]:
    """Run the unfinished steps; a step whose command has changed runs again, as do all after it.

    Raises WorkbenchError with the end of the output of a command that fails. The next call
    continues with that command.
    """
    out.mkdir(parents=True, exist_ok=True)
    previous = {done.name: done for done in _read(out)}
    finished: list[Done] = []
    is_stale = False
    for step in steps:
        known = previous.get(step.name)
        if not is_stale and known and known.line == step.line and step.makes.exists():
            finished.append(known)
            continue
        is_stale = is_stale or known is not None
        begun(step)
        started = time.perf_counter()
        _run(step)
        done = Done(step.name, step.line, round(time.perf_counter() - started, 2))
        finished.append(done)
        record = json.dumps([vars(one) for one in finished], indent=1)
        write_file(out / RECORD, record + "\n")
        ended(done)
    return finished


def _run(step: Step) -> None:
    arguments = [_one_file(step, word) for word in step.arguments]
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    several = f"--nproc-per-node={step.processes}"
    torchrun = ["torch.distributed.run", "--standalone", several, "-m"]
    program = [*(torchrun if step.processes > 1 else ()), MODULES[step.program]]
    command = [sys.executable, "-m", *program, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if ended.returncode or not step.makes.exists():
        output = (ended.stderr or ended.stdout).strip()[-MAX_OUTPUT:]
        reason = output or f"it did not make {step.makes}"
        raise WorkbenchError(f"the step {step.name} failed:\n{step.line}\n{reason}")


def _one_file(step: Step, word: str) -> str:
    """Replace the folder of one simulated spectrum by its file: `inspect` takes a file."""
    if step.program != "spec-o3" or not Path(word).is_dir():
        return word
    files = sorted(path for path in Path(word).rglob("*.fits") if path.is_file())
    return str(files[0]) if files else word


def _read(out: Path) -> list[Done]:
    path = out / RECORD
    if not path.is_file():
        return []
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
        return [Done(str(one["name"]), str(one["line"]), float(one["seconds"])) for one in entries]
    except (ValueError, TypeError, KeyError) as error:
        raise WorkbenchError(f"{path} is damaged: remove it to start the chain over") from error
