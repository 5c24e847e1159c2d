"""An inspection by the model in the box, on one core: its time, its words, the process's memory.

python -m tests.bench eye
"""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tests.app.core.importing.memory import peak_mb
from tests.bench.measuring import figure_line, told_by

SAMPLE = Path(__file__).parents[2] / "resources" / "sample"
COUNT = 30
MODEL = "nano-eye"


def figures(count: int = COUNT) -> Iterator[dict[str, object]]:
    """`count` smaller for a test."""
    measured, found = side("measured", count), side(MODEL, count)
    baseline = f"{median(measured['seconds']):.3g} s by the measured inspector"
    unit = f"s on one core, median of {count}"
    yield figure_line(f"inspection by {MODEL}", median(found["seconds"]), unit, baseline=baseline)
    title = f"tokens {MODEL} says a second, reading and drawing in that time"
    unit = f"tokens/s, {sum(found['tokens']) / count:.0f} an inspection"
    yield figure_line(title, sum(found["tokens"]) / sum(found["seconds"]), unit)
    baseline = f"{measured['peak_mb']:.0f} MiB with the measured inspector"
    title = f"memory of a process that inspects by {MODEL}"
    yield figure_line(title, found["peak_mb"], "MiB at most", baseline=baseline)


def side(model: str, count: int) -> dict[str, Any]:
    """A process of its own, so that its memory is its own."""
    found: dict[str, Any] = told_by("-m", "tests.bench.bench_eye", model, str(count))
    return found


def inspect_alone(model: str, count: int) -> dict[str, Any]:
    """Candidates of the sample, spread over it, after one that is not counted."""
    from agent.inspection.inspector import run
    from agent.inspection.inspector_factory import make_inspector
    from agent.spectra.readers import read
    from agent.tasks.catalogue import find_task

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        listed = [(SAMPLE / row["file"], int(row["row"])) for row in csv.DictReader(file)]
    chosen = [listed[number * len(listed) // count] for number in range(count)]
    inspector, cv = make_inspector(model, threads=1), find_task("CV")
    spectra = [read(path, row) for path, row in (chosen[-1], *chosen)]
    records = [run(inspector.inspect(spectrum, cv)) for spectrum in spectra][1:]
    inspector.close()
    tokens = [each.tokens.generated for each in records]
    return {"seconds": [e.seconds for e in records], "tokens": tokens, "peak_mb": peak_mb()}


if __name__ == "__main__":
    print(json.dumps(inspect_alone(sys.argv[1], int(sys.argv[2]))))
