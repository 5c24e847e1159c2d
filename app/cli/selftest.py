"""`spec-o3 selftest`: check this installation and print the results as a table."""

import platform
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from agent.errors import WorkbenchError
from agent.program_version import program_version
from app.cli.inspection_text import cleaned
from app.selftest import inspection, installation, plugins, session, spectra, window
from app.selftest.installation import Check, CheckSkipped

CHECK_MODULES = (installation, spectra, inspection, session, window, plugins)
DONE, SKIPPED, FAILED = "ok", "–", "FAILED"
WIDTHS = (8, 8, 25, 7)


def selftest() -> None:
    """Check this installation: read, inspect, judge, export and open the window."""
    how = "bundled" if installation.is_frozen() else "installed"
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}"
    _print(f"spec-o3 {program_version()}, {how}, {machine}")
    _print(_row("", "part", "check", "s", "result"))
    with _temporary_folder() as folder:
        checks = [check for each in CHECK_MODULES for check in each.checks()]
        states = run_checks(checks, folder)
    if states[FAILED]:
        raise WorkbenchError(f"{states[FAILED]} of {len(checks)} checks failed")
    _print(f"{states[DONE]} checks passed, {states[SKIPPED]} skipped")


def run_checks(checks: Iterable[Check], folder: Path) -> Counter[str]:
    """Run the checks and print a row for each; returns the number of each result."""
    states: Counter[str] = Counter()
    for number, check in enumerate(checks):
        own = folder / str(number)
        began = time.perf_counter()
        try:
            own.mkdir()
            state, result = DONE, check.run(own)
        except CheckSkipped as error:
            state, result = SKIPPED, str(error)
        except (WorkbenchError, OSError) as error:
            state, result = FAILED, str(error)
        except Exception as error:  # any error: continue with the other checks
            state, result = FAILED, f"{type(error).__name__}: {error}"
        states[state] += 1
        seconds = time.perf_counter() - began
        _print(_row(state, check.part, check.name, f"{seconds:.2f}", result))
        shutil.rmtree(own, ignore_errors=True)
    return states


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A temporary folder with non-ASCII letters and spaces in its name."""
    try:
        home = tempfile.TemporaryDirectory(prefix="spec-o3 β 夜 ", ignore_cleanup_errors=True)
    except OSError as error:
        raise WorkbenchError(
            f"temporary files cannot be created ({error.strerror}): free some disk space, or set "
            "TMPDIR to another folder"
        ) from error
    with home as folder:
        yield Path(folder)


def _row(state: str, part: str, name: str, seconds: str, result: str) -> str:
    cells = zip((state, part, name, seconds), WIDTHS, strict=True)
    return " ".join(f"{cell:<{width}}" for cell, width in cells) + " " + result


def _print(words: str) -> None:
    typer.echo(cleaned(words).rstrip())
    sys.stdout.flush()
