"""`spec-o3-train weights`: fit the measured inspector; `measured`: how good it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from agent.errors import WorkbenchError
from train.simulate.sky import LABELS
from train.weights.draws import bundled, draw
from train.weights.files import builtin_folder, write_kinds, write_tasks
from train.weights.judging import (
    CHUNK,
    JudgedCandidate,
    ThresholdScores,
    candidates,
    library,
    threshold_scores,
)
from train.weights.layers import fit_all

CLEAR_SNR = 10.0
SURVEYS = "LAMOST,SDSS,DESI"


def weights(
    per_label: Annotated[
        int, typer.Option(min=10, max=100_000, help="Simulated spectra per kind of object.")
    ] = 600,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same weights.")] = 1,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 2,
    out: Annotated[
        Path | None, typer.Option(help="Folder to write to; default: that of the program.")
    ] = None,
) -> None:
    """Fit the weights of the measured inspector on simulated spectra alone."""
    folder = out or builtin_folder()
    with Progress(console=Console(stderr=True), transient=True) as progress:
        drawing = progress.add_task("simulating and measuring", total=len(LABELS))
        draws = draw(per_label, seed, workers, lambda: progress.advance(drawing))
    kinds, tasks = fit_all(draws, bundled(), seed)
    command = f"spec-o3-train weights --per-label {per_label} --seed {seed}"
    made_by = (
        f"Made by: {command}",
        f"from {len(draws)} simulated spectra, {per_label} of each of {len(LABELS)} kinds.",
    )
    try:
        write_kinds(folder / "kinds.toml", kinds, made_by)
        write_tasks(folder / "tasks.toml", tasks, made_by)
    except OSError as error:
        raise WorkbenchError(f"{folder}: cannot be written: {error.strerror or error}") from error
    Console().print(f"weights of {len(tasks)} tasks written to {folder}", markup=False)


def measured(
    real: Annotated[
        Path | None,
        typer.Option(
            help="Labelled real spectra to judge: a folder with a MANIFEST.csv of file, label."
        ),
    ] = None,
    count: Annotated[
        int, typer.Option(min=30, max=1_000_000, help="Candidates per task and survey.")
    ] = 2000,
    survey: Annotated[
        str, typer.Option(help="One survey or several separated by commas.")
    ] = SURVEYS,
    seed: Annotated[
        int, typer.Option(min=0, help="Use a seed that the weights were not made with.")
    ] = 77,
    workers: Annotated[int, typer.Option(min=1, max=256, help="Processes.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON.")] = False,
) -> None:
    """Judge simulated candidates at odds of 1:5, or a folder of real spectra, without a model."""
    ids = tuple(task.id for task in bundled())
    lists = (
        {"real": library(real, ids)}
        if real is not None
        else {name: _simulated(ids, name, count, seed, workers) for name in survey.split(",")}
    )
    if as_json:
        typer.echo(json.dumps(_as_json(lists), allow_nan=False))
        return
    for name, judged in lists.items():
        Console().print(_table(name, judged))


def _simulated(
    ids: Sequence[str], survey: str, count: int, seed: int, workers: int
) -> dict[str, list[JudgedCandidate]]:
    with Progress(console=Console(stderr=True), transient=True) as progress:
        total = len(ids) * -(-count // CHUNK)
        judging = progress.add_task(f"judging {survey}", total=total)
        return {
            task_id: candidates(
                task_id, survey, count, seed, workers, lambda: progress.advance(judging)
            )
            for task_id in ids
        }


def _clear(rows: Sequence[JudgedCandidate]) -> list[JudgedCandidate]:
    return [row for row in rows if row.snr > CLEAR_SNR]


def _wrong(rows: Sequence[JudgedCandidate], task_id: str) -> list[JudgedCandidate]:
    return [row for row in rows if (row.label == task_id) != (row.p_yes >= 0.5)]


def _as_json(lists: dict[str, dict[str, list[JudgedCandidate]]]) -> dict[str, object]:
    return {
        name: {
            task_id: {
                "all": _finite(threshold_scores(rows, task_id)),
                "clear": _finite(threshold_scores(_clear(rows), task_id)),
                "wrong": [asdict(row) for row in _wrong(rows, task_id)],
            }
            for task_id, rows in judged.items()
        }
        for name, judged in lists.items()
    }


def _finite(scores: ThresholdScores) -> dict[str, float | None]:
    return {name: value if np.isfinite(value) else None for name, value in asdict(scores).items()}


def _table(name: str, judged: dict[str, list[JudgedCandidate]]) -> Table:
    table = Table(title=f"{name}: judged without a model", box=box.SIMPLE)
    table.add_column("task")
    for column in ("F1", f"F1, S/N > {CLEAR_SNR:g}", "precision", "recall", "Brier", "ECE"):
        table.add_column(column, justify="right")
    table.add_column("wrong")
    scores = {task_id: threshold_scores(rows, task_id) for task_id, rows in judged.items()}
    clear = {task_id: threshold_scores(_clear(rows), task_id) for task_id, rows in judged.items()}
    for task_id, rows in judged.items():
        one = scores[task_id]
        numbers = (one.f1, clear[task_id].f1, one.precision, one.recall, one.brier)
        table.add_row(
            task_id,
            *(f"{number:.3f}" for number in (*numbers, one.calibration_error)),
            _confusions(_wrong(rows, task_id), task_id),
        )
    mean, clear_mean = (
        float(np.nanmean([one.f1 for one in each.values()])) for each in (scores, clear)
    )
    table.add_row("mean", f"{mean:.3f}", f"{clear_mean:.3f}", *[""] * 5)
    return table


def _confusions(wrong: Sequence[JudgedCandidate], task_id: str) -> str:
    """Likeliest kinds of the misses and true labels of the false alarms, most frequent first."""
    misses = [row.likeliest for row in wrong if row.label == task_id]
    alarms = [row.label for row in wrong if row.label != task_id]

    def counted(words: list[str]) -> str:
        ranked = sorted(set(words), key=lambda word: (-words.count(word), word))
        return ", ".join(f"{word} {words.count(word)}" for word in ranked[:3]) or "-"

    return f"missed as {counted(misses)}; alarms {counted(alarms)}"
