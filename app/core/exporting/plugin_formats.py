"""Export formats of plug-ins: the name of such an entry point is the suffix of its files.

The plug-in is a function `write(file, table)`: `file` is open for bytes, `table` an astropy Table.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO

from agent.errors import WorkbenchError
from agent.plugins import find_plugin, packages_of, report, report_failure
from app.core.errors import SessionError
from app.core.exporting.astropy_table import to_astropy
from app.core.exporting.table import Table
from app.core.progress import StoppedError
from app.core.session.provenance import Provenance

SUFFIX = re.compile(r"[a-z0-9]{1,12}")
TAKEN = (
    *("csv", "ecsv", "fits", "fit", "vot", "votable", "xml", "parquet"),
    *("html", "htm", "jsonl", "speco3", "db", "sqlite"),
)
"""Suffixes of our own files and formats."""


def plugin_formats() -> dict[str, str]:
    """The format of each suffix that a plug-in writes, without running any of its code."""
    found = {}
    for name, package in packages_of("exporters"):
        problem = ""
        if not SUFFIX.fullmatch(name):
            problem = f"a suffix is 1 to 12 of a-z and 0-9, not .{name}: left out"
        elif name in TAKEN:
            problem = f"the suffix .{name} is one of the program's own: left out"
        if problem:
            report("exporters", name, package, problem)
        else:
            found[f".{name}"] = name
    return found


def plugin_titles() -> list[tuple[str, str]]:
    """Format and title of each format of a plug-in."""
    formats = plugin_formats().values()
    return [(name, f".{name} ({by})") for name, by in packages_of("exporters") if name in formats]


def plugin_writer(name: str) -> Callable[[BinaryIO, Table, Provenance], None]:
    """The function that writes the format. Raises SessionError if the plug-in does not work."""
    plugin = find_plugin("exporters", name)
    if plugin is None:
        raise SessionError(f"the plug-in for .{name} files does not work: see spec-o3 selftest")

    def write(file: BinaryIO, table: Table, provenance: Provenance) -> None:
        made = to_astropy(table, provenance)
        try:
            plugin.value(file, made)
        except (WorkbenchError, OSError, StoppedError):
            raise
        except (Exception, SystemExit) as error:
            raise SessionError(str(report_failure(plugin, error))) from error

    return write
