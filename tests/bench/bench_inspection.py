"""What an inspection costs on one core by each judge in the box, beside the arithmetic of nano-eye.

python -m tests.bench inspection
"""

from __future__ import annotations

import csv
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np

from tests.app.core.importing.memory import peak_mb
from tests.bench.measuring import figure_line, told_by

SAMPLE = Path(__file__).parents[2] / "resources" / "sample"
COUNT = 30
MODEL, BLIND = "nano-eye", "measured without pictures"
JUDGES = (BLIND, "measured", MODEL, "panel")

PICTURES, PATCHES, HEADS, LAYERS = 5, 216, 6, 8
PRODUCTS = ((192, 576), (192, 192), (192, 1152), (576, 192))  # of a layer of the tower


def sample_rows() -> list[tuple[Path, int]]:
    """File and row of each candidate of the sample."""
    with (SAMPLE / "candidates.csv").open(newline="", encoding="utf-8") as file:
        return [(SAMPLE / row["file"], int(row["row"])) for row in csv.DictReader(file)]


def figures(count: int = COUNT) -> Iterator[dict[str, object]]:
    """`count` smaller for a test."""
    for judge in JUDGES:
        found = side(judge, count)
        yield figure_line(
            f"inspection by {judge}", fmean(found["cpu"]), f"s of a processor, mean of {count}",
            wall=median(found["seconds"]), peak_mb=found["peak_mb"],
            tokens=fmean(found["tokens"]), memory_growth_mb=found["peak_mb"] - found["half_mb"],
        )  # fmt: skip
    title = f"products of the tower for {PICTURES} pictures in numpy, float32"
    yield figure_line(title, told_by("-m", "tests.bench.bench_inspection"), "s of a processor")


def side(judge: str, count: int) -> dict[str, Any]:
    """A process of its own, so that its memory is its own."""
    found: dict[str, Any] = told_by("-m", "tests.bench.bench_inspection", judge, str(count))
    return found


def inspect_alone(judge: str, count: int) -> dict[str, Any]:
    """Candidates of the sample, spread over it, after one that is not counted."""
    from agent.inspection.inspector import Inspector, run
    from agent.inspection.inspector_factory import make_inspector
    from agent.inspection.measured_inspector import MeasuredInspector
    from agent.spectra.readers import read
    from agent.tasks.catalogue import find_task

    listed = sample_rows()
    chosen = [listed[number * len(listed) // count] for number in range(count)]
    is_blind = judge == BLIND
    inspector: Inspector
    inspector = MeasuredInspector(draw=False) if is_blind else make_inspector(judge, threads=1)
    cv, records, cpu, half_mb = find_task("CV"), [], [], 0.0
    for number, (path, row) in enumerate((chosen[-1], *chosen)):
        spectrum, began = read(path, row), time.process_time()
        records.append(run(inspector.inspect(spectrum, cv)))
        cpu.append(time.process_time() - began)
        if number == count // 2:
            half_mb = peak_mb()
    inspector.close()
    tokens = [each.tokens.generated for each in records[1:]]
    seconds = [each.seconds for each in records[1:]]
    return {"cpu": cpu[1:], "seconds": seconds, "tokens": tokens, "peak_mb": peak_mb(),
            "half_mb": half_mb}  # fmt: skip


def floor() -> float:
    """Seconds of a processor that the products of the tower take by numpy."""
    rng = np.random.default_rng(0)
    values = {size: rng.random((PATCHES, size), dtype=np.float32) for size in (192, 576)}
    layer = [(values[size[0]], rng.random(size, dtype=np.float32)) for size in PRODUCTS]
    heads = rng.random((HEADS, PATCHES, 192 // HEADS), dtype=np.float32)
    taken = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(PICTURES * LAYERS):
            for left, right in layer:
                left @ right
            heads @ heads.transpose(0, 2, 1) @ heads
        taken.append(time.process_time() - began)
    return median(taken)


if __name__ == "__main__":
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    asked = sys.argv[1:]
    print(json.dumps(inspect_alone(asked[0], int(asked[1])) if asked else floor()))
