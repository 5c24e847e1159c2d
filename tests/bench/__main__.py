"""`make bench`: one JSON line per figure. `python -m tests.bench NAME...` runs some of them."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

ONLY_BY_NAME = ("million",)
"""Those that take too long, or too much disk, to be run with the others."""


def main(names: list[str]) -> None:
    here = Path(__file__).parent
    modules = sorted(path.stem for path in here.glob("bench_*.py"))
    for module in modules:
        name = module.removeprefix("bench_")
        if name not in names and (names or name in ONLY_BY_NAME):
            continue
        for figure in import_module(f"tests.bench.{module}").figures():
            figure = {key: _short(value) for key, value in figure.items()}
            print(json.dumps({"bench": name, **figure}), flush=True)


def _short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


if __name__ == "__main__":
    main(sys.argv[1:])
