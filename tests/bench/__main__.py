"""`make bench`: one JSON line per figure. `python -m tests.bench NAME...` runs some of them."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path


def main(names: list[str]) -> None:
    here = Path(__file__).parent
    modules = sorted(path.stem for path in here.glob("bench_*.py"))
    for module in modules:
        if names and module.removeprefix("bench_") not in names:
            continue
        for figure in import_module(f"tests.bench.{module}").figures():
            figure = {key: _short(value) for key, value in figure.items()}
            print(json.dumps({"bench": module.removeprefix("bench_"), **figure}), flush=True)


def _short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main(sys.argv[1:])
