"""Benches of another revision and of this tree in turn: `python -m tests.bench.beside REV NAME...`.

A machine is quicker at one minute than at the next, so that only figures of one run compare.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import mean

from tests.bench.__main__ import short

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 3


def main(revision: str, *names: str) -> None:
    """Print the means of all rounds until then, after each of them."""
    command = ["git", "-C", str(ROOT), "archive", revision]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive)
        for name in names:
            figures: dict[str, tuple[list[float], list[float]]] = defaultdict(lambda: ([], []))
            for number in range(ROUNDS):
                for which, tree in enumerate((Path(folder), ROOT)):
                    for figure, value in figures_in(tree, name).items():
                        figures[figure][which].append(value)
                print_means({"bench": name, "rounds": number + 1, "before": revision}, figures)


def figures_in(tree: Path, name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.bench", name]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True)
    figures = {each["figure"]: each["value"] for each in map(json.loads, done.stdout.splitlines())}
    return {figure: value for figure, value in figures.items() if isinstance(value, float | int)}


def print_means(
    what: dict[str, object], figures: dict[str, tuple[list[float], list[float]]]
) -> None:
    for figure, (before, after) in figures.items():
        if before and after and mean(before):
            told = {"figure": figure, "value before": mean(before), "value": mean(after)}
            told["ratio"] = round(mean(after) / mean(before), 3)
            print(json.dumps(what | {key: short(value) for key, value in told.items()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
