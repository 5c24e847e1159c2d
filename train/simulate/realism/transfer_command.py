"""`spec-o3-train transfer`: test on real spectra a classifier trained on simulation alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from agent.errors import ReadError, WorkbenchError
from agent.spectra.measure.features import feature_vector
from agent.spectra.readers import read
from agent.spectra.spectrum import FloatArray
from train.simulate.realism.library import Library
from train.simulate.realism.transfer import Score, judge, score, simulated_features
from train.simulate.sky import LABELS


def transfer(
    folder: Annotated[
        Path,
        typer.Argument(help="Labelled real spectra: a folder with a MANIFEST.csv of file, label."),
    ],
    per_label: Annotated[
        int, typer.Option(min=10, max=100_000, help="Simulated spectra per class.")
    ] = 400,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same numbers.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Number of processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the scores as JSON.")] = False,
) -> None:
    """Train a classifier on simulated measurements alone and score it on labelled real spectra."""
    library = Library(folder)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        reading = progress.add_task("measuring", total=len(library.bases))
        real, truth, unread = _measured(library, lambda: progress.advance(reading))
        if not truth:
            raise WorkbenchError(f"no spectrum of {folder} could be read: {unread}")
        drawing = progress.add_task("simulating", total=len(LABELS))
        rows, labels = simulated_features(
            per_label, seed, workers, lambda: progress.advance(drawing)
        )
    judged = [str(label) for label in judge(rows, labels, real, seed)]
    scores = score(truth, judged)
    if as_json:
        rows_out = [{**asdict(one), "f1": one.f1} for one in scores]
        typer.echo(json.dumps({"scores": rows_out, "unread": unread}, allow_nan=False))
        return
    console = Console()
    console.print(_table(scores))
    if scores:
        mean = np.mean([one.f1 for one in scores])
        console.print(f"mean F1 of {len(scores)} tasks: {mean:.3f}; {len(truth)} real spectra")
    if unread:
        console.print(f"{len(unread)} could not be read", markup=False)


def _measured(
    library: Library, advance: Callable[[], None]
) -> tuple[FloatArray, list[str], dict[str, str]]:
    """Feature rows and labels of the readable spectra, and why the others cannot be read."""
    rows, truth, unread = [], [], {}
    for base in library.bases:
        try:
            rows.append(list(feature_vector(read(base.path)).values()))
            truth.append(base.label)
        except ReadError as error:
            unread[base.path.name] = str(error)
        advance()
    return np.array(rows), truth, unread


def _table(scores: list[Score]) -> Table:
    table = Table(title="Trained on simulations, tested on real spectra", box=box.SIMPLE)
    table.add_column("task")
    for name in ("hits", "false alarms", "misses", "F1"):
        table.add_column(name, justify="right")
    table.add_column("misses classified as; true class of false alarms")
    for one in scores:
        missed = ", ".join(f"{label} {count}" for label, count in one.taken_for) or "-"
        alarms = ", ".join(f"{label} {count}" for label, count in one.taken_from) or "-"
        table.add_row(
            one.task,
            str(one.hits),
            str(one.false_alarms),
            str(one.misses),
            f"{one.f1:.2f}",
            f"{missed}; {alarms}",
        )
    return table
