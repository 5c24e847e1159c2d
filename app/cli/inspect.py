"""`spec-o3 inspect FILE --task CV`: one inspection, step by step, in the terminal."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer
from rich.console import Console

from agent.engines.base import RESTARTED, OnText
from agent.errors import WorkbenchError
from agent.inspection.control import Control
from agent.inspection.inspector import run
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import write_trajectories
from app.cli.inspection_text import (
    cleaned,
    heading,
    inspection_json,
    step_lines,
    verdict_lines,
)
from app.cli.spectrum_row import read_row

LIVE_CHARACTERS = 60


class DeviceName(StrEnum):
    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"
    MPS = "mps"


def inspect(
    file: Annotated[Path, typer.Argument(help="A spectrum file.", show_default=False)],
    task: Annotated[
        str,
        typer.Option(
            metavar="CV|CS|SS|...", help="What to look for, or a task file.", show_default=False
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|PATH|URL",
            help="`measured`, a name of `spec-o3 models`, a folder, a .gguf, or a server.",
            show_default="the best in the box",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON alone, for scripts.")] = False,
    save: Annotated[
        Path | None,
        typer.Option(metavar="OUT.jsonl", help="Add the whole record to this file."),
    ] = None,
    row: Annotated[
        str,
        typer.Option("--row", metavar="K", help="Row of a file of several, from 0; or a TARGETID."),
    ] = "0",
    seed: Annotated[int, typer.Option(min=0, help="Of what is left to chance.")] = 0,
    runs: Annotated[
        int, typer.Option(min=1, max=64, help="Average p(YES) over so many inspections.")
    ] = 1,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0.0, help="Stop after so long.")
    ] = None,
    device: Annotated[DeviceName, typer.Option(help="Where a model runs.")] = DeviceName.AUTO,
) -> None:
    """Inspect a spectrum: look at the whole, zoom where the evidence is, answer YES or NO."""
    from agent.inspection.inspector_factory import default_model, make_inspector

    target = find_task(task)
    spectrum = read_row(file, row)
    show = Console(highlight=False, soft_wrap=False, quiet=as_json)
    name = model or default_model(target.id)
    with closing(make_inspector(name, device=device.value, extra_runs=runs - 1)) as inspector:
        show.print(heading(spectrum, target, inspector.model))
        control = Control(deadline)
        with _stopped_by_ctrl_c(control), _live_text(show) as on_text:
            inspection = inspector.inspect(
                spectrum, target, seed=seed, control=control, on_text=on_text
            )
            trajectory = run(inspection, lambda step: show.print(*step_lines(step), sep="\n"))
    show.print(*verdict_lines(trajectory), sep="\n")
    if as_json:
        typer.echo(json.dumps(inspection_json(trajectory), allow_nan=False))
    if save is not None:
        write_trajectories(save, [trajectory], add=True)
    if trajectory.stopped_by == "error":
        raise WorkbenchError(f"the inspection ended early: {trajectory.stop_reason}")


@contextmanager
def _stopped_by_ctrl_c(control: Control) -> Iterator[None]:
    """The first Ctrl-C ends the inspection and keeps what was said; the second ends the program."""

    def cancel(number: int, frame: FrameType | None) -> None:
        if control.is_cancelled:
            raise KeyboardInterrupt
        control.cancel()

    before = signal.signal(signal.SIGINT, cancel)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _live_text(show: Console) -> Iterator[OnText | None]:
    """The last words of the turn under way beside a spinner; nothing where nobody watches."""
    if show.quiet or not show.is_terminal:
        yield None
        return
    said = ""
    with show.status("reading the spectrum") as status:

        def on_text(piece: str) -> None:
            nonlocal said
            said = "" if piece == RESTARTED else (said + piece)[-4 * LIVE_CHARACTERS :]
            status.update(cleaned(said.replace("\n", " "))[-LIVE_CHARACTERS:])

        yield on_text
