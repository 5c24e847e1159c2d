"""Finds tasks: bundled ones, those of plug-ins and of the user's folder, and files by path."""

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path

from platformdirs import user_config_path

from agent.checked_toml import near_miss, shown
from agent.errors import OnFault, ResourceError, reporting
from agent.plugins import Plugin, plugins, report
from agent.tasks.look import has_class as has_class
from agent.tasks.look import look_task as look_task
from agent.tasks.task import Task
from agent.tasks.task_file import read_task

BUNDLED = Path(__file__).resolve().parents[2] / "resources" / "tasks"
MAX_FILES_IN_FOLDER = 200
_SHOWN_FIRST = ("CV", "CS", "SS", "MG", "WD", "O", "B", "A")


def load_tasks(extra: Sequence[Path] = (), *, on_fault: OnFault | None = None) -> tuple[Task, ...]:
    """Load all tasks: bundled, of plug-ins, from the user's folder, then `extra` files or folders.

    A faulty user file raises ResourceError. With `on_fault` it is reported and left out instead, so
    that a mistake in one file does not keep the program from starting. That of a plug-in is a fault
    of the plug-in.
    """
    tasks = {task.id.casefold(): task for task in bundled_tasks()}
    for plugin in plugins("tasks"):
        _add_files(tasks, plugin.value, partial(_report, plugin), may_replace=False)
    for location in (user_task_folder(), *extra):
        _add_files(tasks, location, on_fault)
    return tuple(tasks.values())


def _report(plugin: Plugin, fault: ResourceError) -> None:
    report("tasks", plugin.name, plugin.package, str(fault))


def _add_files(
    tasks: dict[str, Task], location: Path, on_fault: OnFault | None, *, may_replace: bool = True
) -> None:
    with reporting(on_fault):
        # The file itself, or the .toml files of a folder; a missing user folder has none.
        try:
            if location.is_dir():
                files = sorted(
                    path for path in location.iterdir() if path.suffix.casefold() == ".toml"
                )
            else:
                files = [] if location == user_task_folder() else [location]
        except (OSError, ValueError) as error:
            raise ResourceError(f"{location}: cannot be listed: {error}") from error
        if len(files) > MAX_FILES_IN_FOLDER:
            problem = f"{len(files)} task files, at most {MAX_FILES_IN_FOLDER} are read"
            raise ResourceError(f"{location}: {problem}")
        for path in files:
            with reporting(on_fault):
                task = read_task(path)
                if task.replaces and not may_replace:
                    raise ResourceError(f"{path.name}: replaces: a plug-in cannot replace a class")
                _add(tasks, task, path)


def find_task(id_or_name: str) -> Task:
    """Find a task by id, name or title (ignoring case), or read it from a .toml file."""
    if id_or_name.casefold().endswith(".toml"):
        return read_task(Path(id_or_name))
    faults: list[ResourceError] = []
    tasks = load_tasks(on_fault=faults.append)
    wanted = id_or_name.strip().casefold()
    for task in tasks:
        if wanted in (task.id.casefold(), task.name.casefold(), task.title.casefold()):
            return task
    known = [name for each in tasks for name in (each.id, each.name)]
    ids = ", ".join(each.id for each in tasks)
    guess = near_miss(id_or_name, known)
    problem = (
        f"no task {shown(id_or_name)}; known tasks: {ids}{guess}; "
        f"your own are read from {user_task_folder()}"
    )
    ignored = "".join(f"\nignored: {fault}" for fault in faults)
    raise ResourceError(problem + ignored)


def bundled_task(task_id: str) -> Task | None:
    """The task of the program itself, whatever task files the user has."""
    return next((task for task in bundled_tasks() if task.id == task_id), None)


def task_source(task: Task) -> str:
    """The text of the task's file."""
    path = task.path or BUNDLED / f"{task.id.casefold()}.toml"
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        raise ResourceError(f"{path}: cannot be read: {error}") from error


def user_task_folder() -> Path:
    """Folder of the user's own task files; it may not exist."""
    return user_config_path("spec-o3-workbench", appauthor=False) / "tasks"


@cache
def bundled_tasks() -> tuple[Task, ...]:
    """The tasks of the program itself, whatever task files the user has."""
    tasks = [read_task(path, bundled=True) for path in sorted(BUNDLED.glob("*.toml"))]
    rank = {task_id: index for index, task_id in enumerate(_SHOWN_FIRST)}
    return tuple(sorted(tasks, key=lambda each: (rank.get(each.id, len(rank)), each.id)))


def _add(tasks: dict[str, Task], new: Task, path: Path) -> None:
    """Add a user's task, or replace the one named in `replaces`."""
    key = new.id.casefold()
    if not has_class(new):
        raise ResourceError(f"{path}: id: {shown(new.id)} means that there is no class")
    if new.replaces:
        if new.replaces.casefold() not in tasks:
            guess = near_miss(new.replaces, (each.id for each in tasks.values()))
            raise ResourceError(f"{path}: replaces: there is no task {shown(new.replaces)}{guess}")
        if new.replaces.casefold() != key:
            problem = f"expected the file's own id {shown(new.id)}, found {shown(new.replaces)}"
            raise ResourceError(f"{path}: replaces: {problem}")
    elif key in tasks:
        owner = tasks[key].path or "the bundled tasks"
        problem = f'{shown(new.id)} belongs to {owner}; write replaces = "{new.id}" to replace it'
        raise ResourceError(f"{path}: id: {problem}")
    names = {each.name.casefold(): each for other, each in tasks.items() if other != key}
    if new.name.casefold() in names:
        owner = names[new.name.casefold()].id
        raise ResourceError(f"{path}: name: {shown(new.name)} is already the name of {owner}")
    tasks[key] = new
