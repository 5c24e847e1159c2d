"""What a bench says of one figure, how long a call takes, and what another process measured."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any


def figure_line(
    name: str, value: object, unit: str, *, baseline: object = None, **more: object
) -> dict[str, object]:
    return {"figure": name, "value": value, "unit": unit, "baseline": baseline, **more}


def seconds_of(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def ms_of(call: Callable[[], object]) -> float:
    return 1e3 * seconds_of(call)


def median_ms(call: Callable[[], object], calls: int) -> float:
    """Of so many calls, after one that is not counted."""
    call()
    return statistics.median(ms_of(call) for _ in range(calls))


def told_by(*words: str, environment: Mapping[str, str] | None = None) -> Any:
    """What Python, given these words, says in its last line; its memory is its own."""
    command = [sys.executable, *words]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])
