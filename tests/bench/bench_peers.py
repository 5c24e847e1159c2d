"""The window beside another program for looking at spectra: start, memory, size.

SPEC_O3_PEER is the other program's command, SPEC_O3_PEER_FOLDER where it is installed; SPEC_O3_OURS
and SPEC_O3_OURS_FOLDER may name a bundle in place of this environment. Both are started on a screen
of their own, whose pixels tell when they have painted. Without a peer or Xvfb there are no figures.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.bench.weighing import share_mb, size_mb

STARTS = 5
WAIT_S = 60.0
CALM_S = 1.5
"""Without a change of any pixel: it has come to rest."""
POLL_S = 0.01
SCREEN = "1440x900x24"
HEADER = 4096
"""Bytes at the beginning of Xvfb's file that are not all pixels."""


def figures() -> Iterator[dict[str, object]]:
    peer, xvfb = os.environ.get("SPEC_O3_PEER"), shutil.which("Xvfb")
    if not peer or xvfb is None:
        return
    ours = os.environ.get("SPEC_O3_OURS") or f"{sys.executable} -P -m app.cli.main"
    folders = [
        Path(os.environ.get("SPEC_O3_OURS_FOLDER") or Path(sys.executable).parents[1]),
        Path(os.environ.get("SPEC_O3_PEER_FOLDER") or Path(shlex.split(peer)[0]).parents[1]),
    ]
    with tempfile.TemporaryDirectory() as place:
        painted, rested = zip(
            *(_starts(each, Path(place), xvfb) for each in (ours, peer)), strict=True
        )
    first = [statistics.median(seconds for seconds, _ in each) for each in painted]
    calm = [statistics.median(seconds for _, seconds in each) for each in painted]
    yield _figure("start to first pixels", first, "s")
    yield _figure("start to a window that changes no more", calm, "s")
    yield _figure("memory at rest", list(rested), "MB")
    yield _figure("size on disk", list(map(size_mb, folders)), "MB")


def _figure(what: str, values: list[float], unit: str) -> dict[str, object]:
    return {
        "figure": f"beside a peer: {what}",
        "value": values[0],
        "unit": unit,
        "baseline": os.environ["SPEC_O3_PEER"],
        f"baseline_{unit.lower()}": round(values[1], 2),
        "ratio": round(values[0] / values[1], 2),
    }


def _starts(command: str, place: Path, xvfb: str) -> tuple[list[tuple[float, float]], float]:
    """Seconds to the first pixels and to rest, of starts after the first; megabytes at rest."""
    home = Path(tempfile.mkdtemp(dir=place))
    found, memory = [], 0.0
    for _ in range(STARTS + 1):
        with _screen(home, xvfb) as (display, pixels):
            times, memory = _start(shlex.split(command), home, display, pixels)
            found.append(times)
    return found[1:], memory


def _start(
    command: list[str], home: Path, display: str, pixels: Path
) -> tuple[tuple[float, float], float]:
    environment = {
        **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "HOME": str(home),
        "XDG_CONFIG_HOME": str(home), "XDG_CACHE_HOME": str(home), "XDG_DATA_HOME": str(home),
        "XDG_STATE_HOME": str(home), "SPEC_O3_CONFIG": str(home),
    }  # fmt: skip
    blank = _seen(pixels)
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=environment, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as running:  # fmt: skip
        try:
            first = last = 0.0
            seen = blank
            while (now := time.perf_counter() - began) < WAIT_S:
                if running.poll() is not None:
                    raise RuntimeError(f"{command[0]} ended with {running.returncode}")
                if (fresh := _seen(pixels)) != seen:
                    seen, last = fresh, now
                    first = first or now
                if first and now - last > CALM_S:
                    return (first, last), _tree_mb(running.pid)
                time.sleep(POLL_S)
            raise TimeoutError(f"{command[0]} painted nothing, or never came to rest")
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, 9)


@contextmanager
def _screen(home: Path, xvfb: str) -> Iterator[tuple[str, Path]]:
    """A display of its own, and the file in which its pixels are."""
    reading, writing = os.pipe()
    folder = Path(tempfile.mkdtemp(dir=home))
    with subprocess.Popen(
        [xvfb, "-displayfd", str(writing), "-screen", "0", SCREEN, "-fbdir", str(folder)],
        pass_fds=[writing], stderr=subprocess.DEVNULL,
    ) as server:  # fmt: skip
        os.close(writing)
        try:
            with os.fdopen(reading) as told:
                number = told.readline().strip()
            yield f":{number}", folder / "Xvfb_screen0"
        finally:
            server.terminate()


def _seen(pixels: Path) -> bytes:
    """A fingerprint; the pointer's and the clock's pixels are none of a fresh screen."""
    with pixels.open("rb") as file:
        file.seek(HEADER)
        return hashlib.blake2b(file.read(), digest_size=16).digest()


def _tree_mb(pid: int) -> float:
    """Megabytes that are its own or its share, with those it started."""
    total, waiting = 0.0, [pid]
    while waiting:
        one = waiting.pop()
        total += share_mb(one)
        children = Path(f"/proc/{one}/task/{one}/children").read_text().split()
        waiting += map(int, children)
    return total
