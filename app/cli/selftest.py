"""`spec-o3 selftest`: whether this copy of the program can do all that it should, as a table."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path

import typer

from agent.errors import WorkbenchError
from app.cli.inspection_text import cleaned
from app.selftest import inspection, installation, session, spectra, window
from app.selftest.check import Check, CheckSkipped

CHECK_MODULES = (installation, spectra, inspection, session, window)
DONE, LEFT_OUT, FAILED = "ok", "–", "FAILED"
WIDTHS = (8, 8, 25, 7)


def selftest() -> None:
    """Read, inspect, judge, export and open the window, each once, on the bundled sample."""
    _say(f"spec-o3 {_version()}, {_platform()}")
    _say(_row("", "part", "what", "s", "seen"))
    with _temporary_folder() as folder:
        every = [check for each in CHECK_MODULES for check in each.checks()]
        states = run_checks(every, folder)
    if states[FAILED]:
        raise WorkbenchError(f"{states[FAILED]} of {len(every)} checks failed")
    _say(f"{states[DONE]} checks came out well, {states[LEFT_OUT]} left out")


def run_checks(checks: Iterable[Check], folder: Path) -> Counter[str]:
    """A row of the table as soon as it is known; how many came out how."""
    states: Counter[str] = Counter()
    for number, check in enumerate(checks):
        own = folder / str(number)
        began = time.perf_counter()
        try:
            own.mkdir()
            state, seen = DONE, check.run(own)
        except CheckSkipped as error:
            state, seen = LEFT_OUT, str(error)
        except Exception as error:  # whatever it is, the others are tried, too
            state, seen = FAILED, _error_text(error)
        states[state] += 1
        seconds = time.perf_counter() - began
        _say(_row(state, check.part, check.name, f"{seconds:.2f}", seen))
        shutil.rmtree(own, ignore_errors=True)
    return states


def _error_text(error: Exception) -> str:
    is_ours = isinstance(error, (WorkbenchError, OSError))
    return str(error) if is_ours else f"{type(error).__name__}: {error}"


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder to write in, of a name that not every program can read."""
    try:
        home = tempfile.TemporaryDirectory(prefix="spec-o3 β 夜 ", ignore_cleanup_errors=True)
    except OSError as error:
        raise WorkbenchError(
            f"there is no room for temporary files ({error.strerror}): free some, or name another "
            "folder for them in TMPDIR"
        ) from error
    with home as folder:
        yield Path(folder)


def _row(state: str, part: str, name: str, seconds: str, seen: str) -> str:
    cells = zip((state, part, name, seconds), WIDTHS, strict=True)
    return " ".join(f"{cell:<{width}}" for cell, width in cells) + " " + seen


def _version() -> str:
    return metadata.version("spec-o3-workbench")


def _platform() -> str:
    how = "bundled" if installation.is_frozen() else "installed"
    return f"{how}, Python {platform.python_version()} on {platform.system()} {platform.machine()}"


def _say(words: str) -> None:
    typer.echo(cleaned(words).rstrip())
    sys.stdout.flush()
