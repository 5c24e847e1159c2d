"""The task of a session without a class: spectra are looked at, and not judged."""

from functools import cache
from pathlib import Path

from agent.tasks.task import Task
from agent.tasks.task_file import read_task

FILE = Path(__file__).resolve().parents[2] / "resources" / "look" / "look.toml"
LOOK = "LOOK"


@cache
def look_task() -> Task:
    """Line sets and windows that are of use in any spectrum."""
    return read_task(FILE)


def has_class(task: Task) -> bool:
    """Whether there is a class to judge."""
    return task.id.casefold() != LOOK.casefold()
