"""The inspector and what it looks at; the names of `agent.api` can be imported from here.

They are imported when they are first used, so that `import agent` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent.api import LineMeasurement as LineMeasurement
    from agent.api import Measurement as Measurement
    from agent.api import Spectrum as Spectrum
    from agent.api import Task as Task
    from agent.api import Trajectory as Trajectory
    from agent.api import WindowMeasurement as WindowMeasurement
    from agent.api import WorkbenchError as WorkbenchError
    from agent.api import draw as draw
    from agent.api import features as features
    from agent.api import find_task as find_task
    from agent.api import index_names as index_names
    from agent.api import inspect as inspect
    from agent.api import inspect_all as inspect_all
    from agent.api import line_names as line_names
    from agent.api import measure as measure
    from agent.api import measure_index as measure_index
    from agent.api import measure_line as measure_line
    from agent.api import read_spectrum as read_spectrum

__all__ = [
    "LineMeasurement", "Measurement", "Spectrum", "Task", "Trajectory", "WindowMeasurement",
    "WorkbenchError", "draw", "features", "find_task", "index_names", "inspect", "inspect_all",
    "line_names", "measure", "measure_index", "measure_line", "read_spectrum",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("agent.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
