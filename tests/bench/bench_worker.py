"""What it costs to inspect in a process of its own: the start, the pipe, and a crash."""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from agent.errors import WorkbenchError
from agent.inspection.built_in import MEASURED
from agent.inspection.inspector import Inspector, run
from agent.inspection.inspector_factory import make_inspector
from agent.spectra.readers import read
from agent.tasks.catalogue import find_task
from app.worker.errors import WorkerError
from app.worker.inspection import Event, TextGenerated
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient, worker_command
from tests.app.worker.conftest import COMMAND, request, spectrum
from tests.bench.measuring import figure_line, ms_of

STARTS, ROUNDS, ROUND_TRIPS, KILLS, PIECES = 15, 5, 50, 5, 20_000
SPECTRA = 12
SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "spectra"
BARE = [sys.executable, "-c", "print('up', flush=True); input()"]


def figures() -> Iterator[dict[str, object]]:
    yield from _start()
    yield from _inspections()
    yield from _pipe()
    yield from _speech()
    if sys.platform != "win32":
        yield from _crashes()


def _start() -> Iterator[dict[str, object]]:
    ours, bare = [], []
    for _ in range(STARTS):
        bare.append(ms_of(_start_bare))
        ours.append(ms_of(_start_worker))
    ours_ms, bare_ms = statistics.median(ours), statistics.median(bare)
    yield figure_line("start of a worker, process to hello and end", ours_ms, "ms")
    about = {"baseline": "a Python that does nothing", "target": 3.0, "baseline_ms": bare_ms}
    yield figure_line(
        "start of a worker against a bare Python", ours_ms / bare_ms, "ratio", **about
    )


def _start_bare() -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen(BARE, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.kill()


def _start_worker() -> None:
    child = ChildProcess(worker_command())
    while child.receive(10) is None:
        pass
    child.kill("was timed")
    child.close()


def _inspections() -> Iterator[dict[str, object]]:
    """The measured inspector on the bundled sample, here and in a worker, in turns."""
    inspector = make_inspector(MEASURED)
    paths = list(islice(usable(), SPECTRA))
    here: list[float] = []
    there: list[float] = []
    with WorkerClient() as client:
        client.load(LoadRequest(MEASURED)).result()
        client.inspect(InspectRequest(task="CV", path=paths[0])).result()
        for path in paths * ROUNDS:
            asked = InspectRequest(task="CV", path=path)
            here.append(ms_of(lambda path=path: _inspect_here(inspector, path)))
            there.append(ms_of(lambda asked=asked: client.inspect(asked).result()))
    more = statistics.median(b / a for a, b in zip(here, there, strict=True))
    about = {"baseline": "the same in this process", "target": 1.05, "inspections": len(here)}
    about["here_ms"] = statistics.median(here)
    yield figure_line("a measured inspection in a worker", more, "ratio", **about)


def _pipe() -> Iterator[dict[str, object]]:
    """A spectrum of a survey's size sent along, and a record back."""
    asked = InspectRequest(task="CV", spectrum=spectrum(pixels=4000))
    with WorkerClient(COMMAND) as client:
        client.inspect(asked).result()
        times = [ms_of(lambda: client.inspect(asked).result()) for _ in range(ROUND_TRIPS)]
    about = {"round_trips": ROUND_TRIPS}
    yield figure_line("an inspection that does nothing", statistics.median(times), "ms", **about)


def usable() -> Iterator[Path]:
    for path in sorted(SAMPLE.rglob("*.fits.gz")):
        try:
            read(path)
        except WorkbenchError:
            continue
        yield path


def _inspect_here(inspector: Inspector, path: Path) -> None:
    run(inspector.inspect(read(path), find_task("CV"), on_text=lambda text: None))


def _speech() -> Iterator[dict[str, object]]:
    """Pieces of text as they stream: a model that says 100 a second leaves 10,000 us for each."""
    heard, enough, times = [0], threading.Event(), [0.0, 0.0]

    def listen(event: Event) -> None:
        if isinstance(event, TextGenerated):
            heard[0] += 1
            if heard[0] in (1, PIECES):
                times[heard[0] > 1] = time.perf_counter()
            if heard[0] == PIECES:
                enough.set()

    with WorkerClient(COMMAND) as client:
        inspection = client.inspect(request("endless"), listen)
        enough.wait()
        inspection.cancel()
        inspection.result()
    each = 1e6 * (times[1] - times[0]) / PIECES
    yield figure_line("a piece of text through the pipe", each, "us", pieces=PIECES)


def _crashes() -> Iterator[dict[str, object]]:
    told, again = [], []
    with WorkerClient(COMMAND) as client:
        for _ in range(KILLS):
            speaks = threading.Event()
            inspection = client.inspect(request("endless"), partial(_notice, speaks))
            speaks.wait()
            pid = client.pid
            assert pid is not None
            told.append(ms_of(partial(_kill, pid, inspection)))
            again.append(ms_of(lambda: client.inspect(request()).result()))
    yield figure_line("kill -9 to the error, slowest", max(told), "ms", target=1000.0, kills=KILLS)
    yield figure_line("the next inspection, with a new worker", statistics.median(again), "ms")


def _notice(speaks: threading.Event, event: Event) -> None:
    if isinstance(event, TextGenerated):
        speaks.set()


def _kill(pid: int, inspection: Any) -> None:
    os.kill(pid, signal.SIGKILL)
    try:
        inspection.result()
    except WorkerError:
        return
    raise AssertionError("it was not killed")
