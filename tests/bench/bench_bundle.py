"""The bundle that `make app` made: its size, its start, its memory, each against the program as pip
installed it to be bundled. SPEC_O3_BUNDLE names another folder; without one there are no figures.

A cold start is one whose files the system has forgotten; the second line of a pair is a warm one.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from app.selftest.session import judged_session
from tests.bench.measuring import figure_line

ROOT = Path(__file__).resolve().parents[2]
BUNDLER = ROOT / "build" / "bundler"
STARTS = 5
COLD_STARTS = 3
WAIT_S = 120.0
STEADY_S = 2.0
MEGABYTE = 10**6


def figures() -> Iterator[dict[str, object]]:
    folder = Path(os.environ.get("SPEC_O3_BUNDLE") or ROOT / "dist" / "spec-o3-workbench")
    program = folder / "spec-o3"
    python = BUNDLER / "bin" / "python"
    if not (program.exists() and python.exists()):
        return
    bundled = [str(program), "--child", "window-probe"]
    installed = [str(python), "-P", "-m", "app.selftest.window_probe"]
    with tempfile.TemporaryDirectory() as home:
        session = judged_session(Path(home))
        environment = _surroundings(Path(home))
        yield _figure("size on disk", size_mb(folder), "MB", size_mb(BUNDLER))
        warm = [_start(each, session, environment) for each in (bundled, installed)]
        yield _figure("start to spectrum painted", warm[0], "s", warm[1])
        before = _cold_start(bundled, folder, session, environment)
        after = _cold_start(installed, BUNDLER, session, environment)
        yield _figure("start to spectrum painted, files not in memory", before, "s", after)
        windows = [[str(program)], [str(python), "-P", "-m", "app.cli.main"]]
        rests = [_at_rest([*each, str(session)], environment) for each in windows]
        yield _figure("memory at rest, a spectrum on screen", rests[0], "MB", rests[1])


def _figure(what: str, value: float, unit: str, baseline: float) -> dict[str, object]:
    beside = {f"baseline_{unit.lower()}": round(baseline, 2), "ratio": round(value / baseline, 2)}
    by_pip = "the program as pip installs it"
    return figure_line(f"bundle: {what}", value, unit, baseline=by_pip, **beside)


def _surroundings(home: Path) -> dict[str, str]:
    return {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "SPEC_O3_CONFIG": str(home / "config"),
        "SPEC_O3_REVIEWER": "Ada", "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_DATA_HOME": str(home / "data"), "XDG_STATE_HOME": str(home / "state"),
        "PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(home / "compiled"),
    }  # fmt: skip


def _start(command: list[str], session: Path, environment: dict[str, str]) -> float:
    """The median; the first, for which nothing is compiled or kept yet, is not counted."""
    times = [_once(command, session, environment) for _ in range(STARTS + 1)]
    return statistics.median(times[1:])


def _cold_start(
    command: list[str], folder: Path, session: Path, environment: dict[str, str]
) -> float:
    times = []
    for _ in range(COLD_STARTS):
        _forget(folder)
        times.append(_once(command, session, environment))
    return statistics.median(times)


def _once(command: list[str], session: Path, environment: dict[str, str]) -> float:
    began = time.perf_counter()
    with subprocess.Popen(
        [*command, str(session)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None and running.stdout.readline()
        seconds = time.perf_counter() - began
        running.stdout.read()
    return seconds


def _forget(folder: Path) -> None:
    """Ask the system to keep none of the folder's files in its memory."""
    os.sync()
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _at_rest(command: list[str], environment: dict[str, str]) -> float:
    """Megabytes that are its own or its share, once they do not change any more."""
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            return _steady(running.pid)
        finally:
            running.terminate()


def _steady(pid: int) -> float:
    ends, since, last = time.monotonic() + WAIT_S, time.monotonic(), 0.0
    while time.monotonic() < ends:
        now = psutil.Process(pid).memory_full_info().pss / MEGABYTE
        if abs(now - last) > 1.0:
            since, last = time.monotonic(), now
        elif time.monotonic() - since > STEADY_S and now > 50:
            return now
        time.sleep(0.2)
    raise TimeoutError("its memory kept changing")


def size_mb(folder: Path) -> float:
    """Megabytes of its files; links do not count."""
    files = (path for path in folder.rglob("*") if not path.is_symlink())
    return sum(path.lstat().st_size for path in files) / MEGABYTE
