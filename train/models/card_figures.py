"""Reads the figures of a model's card from the tables of `spec-o3-train evaluate`."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agent.errors import WorkbenchError
from agent.models.card import ReportedFigure

MAX_BYTES = 64 * 1024 * 1024


def figures_of(path: Path, judge: str) -> tuple[ReportedFigure, ...]:
    """F1 of each task and their mean, in per cent, of one judge in a JSON file of `evaluate`."""
    try:
        with path.open("rb") as file:
            table = json.loads(file.read(MAX_BYTES))
        figures = tuple(_figures(table, judge))
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise WorkbenchError(f"{path} is not a table of `evaluate`: {error!r}") from error
    if not figures:
        raise WorkbenchError(f"{path} has no judge named {judge}")
    return figures


def _figures(table: Mapping[str, Any], judge: str) -> Iterator[ReportedFigure]:
    for name, rows in table["sets"].items():
        for row in rows["judges"]:
            if row["judge"] == judge:
                yield from _row(f"{table['table']}: {name}", row)


def _row(on: str, row: Mapping[str, Any]) -> Iterator[ReportedFigure]:
    tasks = [task for task in row["tasks"] if task["positives"]]
    positives = sum(task["positives"] for task in tasks)
    negatives = sum(task["n"] for task in tasks) - positives
    mean = row["mean_f1"]
    if mean["value"] is not None:
        low, high = (f"{100 * mean[end]:.1f}" for end in ("low", "high"))
        about = f"{on}, {positives}:{negatives}, 95 % {low} to {high}"
        yield per_cent("mean F1", mean["value"], about)
    for task in tasks:
        counts = f"{task['positives']}:{task['n'] - task['positives']}"
        yield per_cent(f"F1 {task['task']}", task["f1"]["value"], f"{on}, {counts}")
    yield per_cent("well-formed", row["effort"]["well_formed"], on)


def per_cent(figure: str, fraction: float, on: str) -> ReportedFigure:
    return ReportedFigure(figure=figure, value=round(100 * float(fraction), 1), unit="%", on=on)
