"""`make bench`: one JSON line per figure. `python -m tests.bench NAME...` runs some of them,
`python -m tests.bench.beside REV NAME...` in turn with those of another revision.

Each bench runs in a process of its own: one that fails, or crashes, does not end the others, and
none finds what another has loaded.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path

ONLY_BY_NAME = ("find_kills", "find_survey", "million", "redshift")
"""Those that take too long, or too much disk, to be run with the others."""
ALONE = "--alone"


def main(arguments: list[str]) -> str | None:
    """The names of those that failed, if any did."""
    if arguments[:1] == [ALONE]:
        return _print_figures(arguments[1])
    known = sorted(
        path.stem.removeprefix("bench_") for path in Path(__file__).parent.glob("bench_*.py")
    )
    if unknown := [name for name in arguments if name not in known]:
        return f"no such bench: {', '.join(unknown)}. There are: {', '.join(known)}"
    names = arguments or [name for name in known if name not in ONLY_BY_NAME]
    failed = [name for name in names if not _is_done(name)]
    return f"failed: {', '.join(failed)}" if failed else None


def _is_done(name: str) -> bool:
    """Run one, and say which and how it ended where others read no figures."""
    _say(f"bench {name}")
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.bench", ALONE, name]
    as_in_the_program = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    status = subprocess.run(command, check=False, env=as_in_the_program).returncode
    if status < 0:
        _say(f"bench {name} crashed: {signal.Signals(-status).name}")
    elif status:
        _say(f"bench {name} failed")
    return status == 0


def _print_figures(name: str) -> None:
    for figure in import_module(f"tests.bench.bench_{name}").figures():
        figure = {key: short(value) for key, value in figure.items()}
        print(json.dumps({"bench": name, **figure}), flush=True)


def short(value: object) -> object:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
