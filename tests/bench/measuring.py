"""What a bench says of one figure, and how long a call takes."""

from __future__ import annotations

import time
from collections.abc import Callable


def figure_line(name: str, value: object, unit: str, **more: object) -> dict[str, object]:
    return {"figure": name, "value": value, "unit": unit, **more}


def seconds_of(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def ms_of(call: Callable[[], object]) -> float:
    return 1e3 * seconds_of(call)
