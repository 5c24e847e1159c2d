"""`spec-o3 inspect FILE --task CV`: inspect a spectrum and print the steps."""

import json
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console

from agent.engines.base import RESTARTED, OnText
from agent.errors import WorkbenchError
from agent.inspection.control import Control
from agent.inspection.inspector import run
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory_file import write_trajectories
from app.cli.inspection_text import cleaned, heading, inspection_json, step_lines, verdict_lines
from app.cli.progress_bar import stopped_by
from app.cli.session_options import RowOption, read_row

LIVE_CHARACTERS = 60

DeviceOption = Annotated[
    Literal["auto", "cpu", "cuda", "mps"], typer.Option(help="Device to run the model on.")
]


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
            help="`measured`, a model of `spec-o3 models`, a folder, a .gguf, or a server URL.",
            show_default="the best bundled model",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")] = False,
    save: Annotated[
        Path | None, typer.Option(metavar="OUT.jsonl", help="Append the full record to this file.")
    ] = None,
    row: RowOption = "0",
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    runs: Annotated[
        int, typer.Option(min=1, max=64, help="Average p(YES) over this many inspections.")
    ] = 1,
    deadline: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0.0, help="Stop after this time.")
    ] = None,
    device: DeviceOption = "auto",
) -> None:
    """Inspect a spectrum: view it as a whole, zoom in on the evidence, answer YES or NO."""
    from agent.inspection.inspector_factory import default_model, make_inspector
    from agent.models.registry import wording_warning

    target = find_task(task)
    spectrum = read_row(file, row)
    console = Console(highlight=False, soft_wrap=False, quiet=as_json)
    name = model or default_model(target.id)
    with closing(make_inspector(name, device=device, extra_runs=runs - 1)) as inspector:
        console.print(heading(spectrum, target, inspector.model))
        if warning := wording_warning(name):
            typer.echo(f"spec-o3: {cleaned(warning)}", err=True)
        control = Control(deadline)
        ctrl_c = stopped_by(
            signal.SIGINT, stop=control.cancel, is_stopped=lambda: control.is_cancelled
        )
        with ctrl_c, _live_text(console) as on_text:
            inspection = inspector.inspect(
                spectrum, target, seed=seed, control=control, on_text=on_text
            )
            trajectory = run(inspection, lambda step: console.print(*step_lines(step), sep="\n"))
    console.print(*verdict_lines(trajectory), sep="\n")
    if as_json:
        typer.echo(json.dumps(inspection_json(trajectory), allow_nan=False))
    if save is not None:
        write_trajectories(save, [trajectory], add=True)
    if trajectory.stopped_by == "error":
        raise WorkbenchError(f"the inspection ended early: {trajectory.stop_reason}")


@contextmanager
def _live_text(console: Console) -> Iterator[OnText | None]:
    """Show the end of the text being generated next to a spinner, if this is a terminal."""
    if console.quiet or not console.is_terminal:
        yield None
        return
    text = ""
    with console.status("reading the spectrum") as status:

        def on_text(piece: str) -> None:
            nonlocal text
            text = "" if piece == RESTARTED else (text + piece)[-4 * LIVE_CHARACTERS :]
            status.update(cleaned(text.replace("\n", " "))[-LIVE_CHARACTERS:])

        yield on_text
