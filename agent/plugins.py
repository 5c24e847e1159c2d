"""Plug-ins: what other installed packages add through entry points named `spec_o3.KIND`.

A kind is loaded when it is first needed. What fails is named in `faults`, told to `listeners`, and
stops nothing else. A plug-in is code that runs with the user's rights: nothing here confines it.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import EntryPoint, distributions, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from agent.checked_toml import printable

Kind = Literal["readers", "exporters", "engines", "tasks", "evidence"]
KINDS: tuple[Kind, ...] = get_args(Kind)
FOLDERS = ("tasks", "evidence")
"""Kinds whose entry points name a package with TOML files; its own code is not run."""
OFF = "SPEC_O3_NO_PLUGINS"
"""Environment variable: with any value, plug-ins are neither listed nor loaded."""
LONGEST_S, SLOW_S = 5.0, 1.0
MAX_FAULTS = 50
MAX_TEXT = 300


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """A loaded plug-in: `value` is the function it names, or the folder with its files."""

    kind: Kind
    name: str
    package: str  # name and version of the package that it comes with
    value: Any


@dataclass(frozen=True, kw_only=True)
class PluginFault:
    """What is wrong with a plug-in."""

    kind: str
    name: str
    package: str
    problem: str

    def __str__(self) -> str:
        return f"plug-in {self.name} of {self.package} ({self.kind}): {self.problem}"


listeners: list[Callable[[PluginFault], None]] = []  # called with each new fault, from any thread
_faults: list[PluginFault] = []
_listed: dict[Kind, list[EntryPoint]] = {}
_loaded: dict[Kind, tuple[Plugin, ...]] = {}
_lock = threading.RLock()
_this_thread = threading.local()


class _Stdout:
    """Standard output, but of what plug-ins print, which goes to stderr.

    Another program may read ours as JSON. Other threads write to it meanwhile.
    """

    def __init__(self, own: Any) -> None:
        self._own = own

    def __getattr__(self, name: str) -> Any:
        is_of_plugin = getattr(_this_thread, "is_in_plugin", False)
        return getattr(sys.stderr if is_of_plugin else self._own, name)


@contextmanager
def in_plugin() -> Iterator[None]:
    """Around each call of a plug-in: what it prints is none of our output."""
    if sys.stdout is not None and not isinstance(sys.stdout, _Stdout):
        sys.stdout = _Stdout(sys.stdout)
    before = getattr(_this_thread, "is_in_plugin", False)
    _this_thread.is_in_plugin = True
    try:
        yield
    finally:
        _this_thread.is_in_plugin = before


def plugins(kind: Kind) -> tuple[Plugin, ...]:
    """The working plug-ins of a kind by name; they are loaded by the first call."""
    with _lock:
        if kind not in _loaded:
            _loaded[kind] = tuple(_load_all(kind))
        return _loaded[kind]


def packages_of(kind: Kind) -> tuple[tuple[str, str], ...]:
    """Name and package of each plug-in of a kind, without running any of their code."""
    return tuple((printable(entry.name, 40), _package(entry)) for entry in _entries(kind))


def find_plugin(kind: Kind, name: str) -> Plugin | None:
    return next((each for each in plugins(kind) if each.name == name), None)


def faults() -> tuple[PluginFault, ...]:
    """What has been found to be wrong with plug-ins since the start, oldest first."""
    with _lock:
        return tuple(_faults)


def report(kind: str, name: str, package: str, problem: str) -> PluginFault:
    """Record that a plug-in failed; the same fault is recorded and told once."""
    clean = printable(" ".join(problem.split()), MAX_TEXT)
    fault = PluginFault(kind=kind, name=name, package=package, problem=clean)
    with _lock:
        if fault in _faults or len(_faults) >= MAX_FAULTS:
            return fault
        _faults.append(fault)
    for tell in tuple(listeners):
        tell(fault)
    return fault


def report_failure(plugin: Plugin, error: BaseException) -> PluginFault:
    """Record that a loaded plug-in raised an unexpected exception while it worked."""
    return report(plugin.kind, plugin.name, plugin.package, failure(error))


def failure(error: BaseException) -> str:
    return printable(f"failed with {type(error).__name__}: {' '.join(str(error).split())}", 240)


def _load_all(kind: Kind) -> Iterator[Plugin]:
    known: dict[str, str] = {}
    for entry in _entries(kind):
        name, package = printable(entry.name, 40), _package(entry)
        if name in known:
            report(kind, name, package, f"{known[name]} has one of this name: left out")
            continue
        known[name] = package
        try:
            value = _load(kind, entry)
        except _Refused as refusal:
            report(kind, name, package, str(refusal))
            continue
        yield Plugin(kind=kind, name=name, package=package, value=value)


class _Refused(Exception):
    """The plug-in is left out; the text says why."""


def _load(kind: Kind, entry: EntryPoint) -> Any:
    """Load in a thread of its own, as an import may hang and cannot be interrupted."""
    done: list[Any] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            with in_plugin():
                done.append(_folder(entry) if kind in FOLDERS else entry.load())
        except BaseException as error:  # sys.exit() and the like included
            errors.append(error)

    thread = threading.Thread(target=work, name=f"plug-in {entry.name}", daemon=True)
    began = time.perf_counter()
    thread.start()
    thread.join(LONGEST_S)
    seconds = time.perf_counter() - began
    if errors:
        raise _Refused(f"{failure(errors[0])}: left out") from errors[0]
    if not done:
        raise _Refused(f"is not loaded after {LONGEST_S:g} s: left out")
    if kind not in FOLDERS and not callable(done[0]):
        raise _Refused(f"{entry.value} is a {type(done[0]).__name__}, not a function: left out")
    if seconds > SLOW_S:
        report(kind, printable(entry.name, 40), _package(entry), f"took {seconds:.1f} s to load")
    return done[0]


def _folder(entry: EntryPoint) -> Path:
    """The folder of the package that the entry point names."""
    found = find_spec(entry.value)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"there is no package {entry.value}")
    return Path(next(iter(found.submodule_search_locations)))


def _entries(kind: Kind) -> list[EntryPoint]:
    if os.environ.get(OFF):
        return []
    with _lock:
        if kind not in _listed:
            _listed[kind] = sorted(_found(kind), key=lambda each: (each.name, each.value))
        return _listed[kind]


def _found(kind: Kind) -> list[EntryPoint]:
    group = f"spec_o3.{kind}"
    try:
        return list(entry_points(group=group))
    except Exception:  # one damaged list spoils all: ask each package alone
        return list(_one_by_one(group))


def _one_by_one(group: str) -> Iterator[EntryPoint]:
    for package in distributions():
        try:
            yield from (each for each in package.entry_points if each.group == group)
        except Exception as error:
            name = "an unknown package"
            with suppress(Exception):
                name = printable(f"{package.name} {package.version}", 80)
            report("any", "entry_points.txt", name, failure(error))


def _package(entry: EntryPoint) -> str:
    with suppress(Exception):  # its metadata may be damaged
        if entry.dist is not None:
            return printable(f"{entry.dist.name} {entry.dist.version}", 80)
    return printable(entry.value, 80)
