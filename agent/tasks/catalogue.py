"""The tasks there are: the bundled ones, the user's own, and any file named outright."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from platformdirs import user_config_path

from agent.checked_toml import near_miss, shown
from agent.errors import ResourceError
from agent.tasks.guideline import Section, guideline_sections, guideline_text
from agent.tasks.task import Contaminant, DiagnosticWindow, Evidence, Guideline, State, Task
from agent.tasks.task_file import WINDOW_KEYS, read_task

BUNDLED = Path(__file__).resolve().parents[2] / "resources" / "tasks"
MAX_FILES_IN_FOLDER = 200
_SHOWN_FIRST = ("CV", "CS", "SS", "MG", "WD", "O", "B", "A")


def load_tasks(
    extra: Sequence[Path] = (), *, on_fault: Callable[[ResourceError], None] | None = None
) -> tuple[Task, ...]:
    """Every task: bundled, then the user's folder, then `extra` files or folders.

    A faulty file of the user's raises, or goes to `on_fault` and is left out, so that one slip
    in one file does not keep the program from starting. Bundled files always raise.
    """
    tasks = {task.id.casefold(): task for task in _bundled_tasks()}
    for place in (user_task_folder(), *extra):
        with _reporting(on_fault):
            for path in _task_files(place):
                with _reporting(on_fault):
                    _add(tasks, read_task(path), path)
    return tuple(tasks.values())


def task(id_or_name: str, extra: Sequence[Path] = ()) -> Task:
    """The task of that id, name or title, in any letter case, or the one in that .toml file."""
    if id_or_name.casefold().endswith(".toml"):
        return read_task(Path(id_or_name))
    faults: list[ResourceError] = []
    tasks = load_tasks(extra, on_fault=faults.append)
    wanted = id_or_name.strip().casefold()
    for found in tasks:
        if wanted in (found.id.casefold(), found.name.casefold(), found.title.casefold()):
            return found
    known = [name for each in tasks for name in (each.id, each.name)]
    ids = ", ".join(each.id for each in tasks)
    problem = f"no task {shown(id_or_name)}; there are {ids}{near_miss(id_or_name, known)}"
    left_out = "".join(f"\nleft out: {fault}" for fault in faults)
    raise ResourceError(problem + left_out)


def task_source(task: Task) -> str:
    """The text of the file the task was read from."""
    path = task.path or BUNDLED / f"{task.id.casefold()}.toml"
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: cannot be read: {error}") from error


def user_task_folder() -> Path:
    """Where the user's own task files lie; it need not exist."""
    return user_config_path("spec-o3-workbench", appauthor=False) / "tasks"


@cache
def _bundled_tasks() -> tuple[Task, ...]:
    tasks = [read_task(path, bundled=True) for path in sorted(BUNDLED.glob("*.toml"))]
    rank = {task_id: place for place, task_id in enumerate(_SHOWN_FIRST)}
    return tuple(sorted(tasks, key=lambda each: (rank.get(each.id, len(rank)), each.id)))


@contextmanager
def _reporting(on_fault: Callable[[ResourceError], None] | None) -> Iterator[None]:
    try:
        yield
    except ResourceError as fault:
        if on_fault is None:
            raise
        on_fault(fault)


def _task_files(place: Path) -> list[Path]:
    """A file itself, or the .toml files of a folder; none where the user has made no folder."""
    try:
        if place.is_dir():
            found = sorted(path for path in place.iterdir() if path.suffix.casefold() == ".toml")
        else:
            found = [] if place == user_task_folder() else [place]
    except (OSError, ValueError) as error:
        raise ResourceError(f"{place}: cannot be listed: {error}") from error
    if len(found) > MAX_FILES_IN_FOLDER:
        problem = f"{len(found)} task files, at most {MAX_FILES_IN_FOLDER} are read"
        raise ResourceError(f"{place}: {problem}")
    return found


def _add(tasks: dict[str, Task], new: Task, path: Path) -> None:
    """Put a user's task beside the others, or in the place of the one it says it replaces."""
    key = new.id.casefold()
    if new.replaces:
        if new.replaces.casefold() not in tasks:
            guess = near_miss(new.replaces, (each.id for each in tasks.values()))
            raise ResourceError(f"{path}: replaces: there is no {shown(new.replaces)}{guess}")
        if new.replaces.casefold() != key:
            problem = f"expected the file's own id {shown(new.id)}, found {shown(new.replaces)}"
            raise ResourceError(f"{path}: replaces: {problem}")
    elif key in tasks:
        owner = tasks[key].path or "the bundled tasks"
        problem = f'{shown(new.id)} is taken by {owner}; write replaces = "{new.id}" to replace it'
        raise ResourceError(f"{path}: id: {problem}")
    names = {each.name.casefold(): each for other, each in tasks.items() if other != key}
    if new.name.casefold() in names:
        owner = names[new.name.casefold()].id
        raise ResourceError(f"{path}: name: {shown(new.name)} is the name of {owner} already")
    tasks[key] = new


__all__ = [
    "WINDOW_KEYS",
    "Contaminant",
    "DiagnosticWindow",
    "Evidence",
    "Guideline",
    "Section",
    "State",
    "Task",
    "guideline_sections",
    "guideline_text",
    "load_tasks",
    "task",
    "task_source",
    "user_task_folder",
]
