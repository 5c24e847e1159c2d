"""Check that each installed plug-in loads, and that nothing it brings is faulty."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from agent.engines.registry import engine_names
from agent.plugins import KINDS, Kind, faults, find_plugin, packages_of, plugins
from agent.tasks.catalogue import load_tasks
from app.core.exporting.plugin_formats import plugin_formats
from app.selftest.installation import Check, CheckFailed, require
from app.services.catalogues.service import all_services


def checks() -> Iterator[Check]:
    """A check for each plug-in; there are none if no other package brings any."""
    for kind in KINDS:
        for name, package in packages_of(kind):
            yield Check(part="plug-ins", name=name, run=partial(_load, kind, name, package))


def _load(kind: Kind, name: str, package: str, folder: Path) -> str:
    plugins(kind)
    if kind == "tasks":
        load_tasks(on_fault=lambda fault: None)  # a fault of the user's own file is none of ours
    if kind == "exporters":
        plugin_formats()
    if kind == "engines":
        engine_names()
    if kind == "evidence":
        all_services()
    wrong = [
        each for each in faults() if (each.kind, each.name, each.package) == (kind, name, package)
    ]
    if wrong:
        raise CheckFailed(" | ".join(map(str, wrong)))
    require(find_plugin(kind, name), f"plug-in {name} of {package} ({kind}) is not loaded")
    return f"{kind}, {package}"
