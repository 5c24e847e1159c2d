"""Many conversations in flight with one server, as a share of what the server can do.

The server is `flight_server`, in a process of its own. Our side is a pool of one or two worker
processes, as `vet` has it. The share says something only where nothing else runs: each figure
carries the load of the machine. What a conversation costs our side, and what it costs the server,
is processor time of their own processes, which a load changes little.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

import psutil

from app.worker.pool import WorkerPool
from app.worker.request import InspectRequest, LoadRequest
from tests.bench import flight_server
from tests.bench.bench_worker import usable
from tests.bench.measuring import figure_line

SPECTRA = 20
# In flight at once, conversations that are timed, worker processes
RUNS = ((1, 4, 1), (8, 32, 1), (64, 192, 2), (256, 768, 2))
TARGET = 0.9


def figures() -> Iterator[dict[str, object]]:
    paths = list(islice(usable(), SPECTRA))
    for in_flight, count, workers in RUNS:
        yield from _run(paths, in_flight, count, workers)


def _run(
    paths: list[Path], in_flight: int, count: int, workers: int
) -> Iterator[dict[str, object]]:
    with serving() as url:
        pool = WorkerPool(workers, LoadRequest(url), in_flight=in_flight // workers)
        with pool:
            # the first of each are not timed: imports, and all conversations at the same turn
            warm = 2 * in_flight
            # whole rounds, as they end in bursts; the last one has fewer and fewer in flight
            last = warm + (count // in_flight - 1) * in_flight
            ends, marks = [], []
            chosen = islice(cycle(paths), warm + count)
            requests = (InspectRequest(task="CV", path=path) for path in chosen)
            for result in pool.run(enumerate(requests)):
                assert result.trajectory is not None, result.error
                assert result.trajectory.verdict == "YES", result.trajectory.stop_reason
                ends.append(time.perf_counter())
                if len(ends) in (warm, last):
                    marks.append((_cpu_s(pool), _server_cpu_s(url)))
            memory = _memory_mb(pool)
    rate = (last - warm) / (ends[last - 1] - ends[warm - 1])
    between = zip(*marks, strict=True)
    ours, servers = (1000 * (end - begin) / (last - warm) for begin, end in between)
    limit = flight_server.conversations_per_s(in_flight)
    about = {"in_flight": in_flight, "workers": workers, "load": os.getloadavg()[0]}
    yield figure_line(
        f"{in_flight} conversations in flight, share of the server's limit", rate / limit, "ratio",
        baseline="the server's own limit with so many in flight", target=TARGET, per_s=rate,
        limit_per_s=limit, **about
    )  # fmt: skip
    yield figure_line("our side's CPU for a conversation", ours, "ms", servers_ms=servers, **about)
    yield figure_line("our side's memory at its peak", memory, "MB", **about)


@contextmanager
def serving() -> Iterator[str]:
    """A server with vLLM's profile."""
    command = [sys.executable, "-m", "tests.bench.flight_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        port = int(server.stdout.readline())
        yield f"http://127.0.0.1:{port}/v1#{flight_server.MODEL}"
        server.stdin.close()


def _cpu_s(pool: WorkerPool) -> float:
    """CPU seconds so far of this process and the workers."""
    workers = [psutil.Process(client.pid).cpu_times() for client in pool._clients]
    return time.process_time() + sum(each.user + each.system for each in workers)


def _server_cpu_s(url: str) -> float:
    """CPU seconds so far of the server, as it says itself."""
    with urllib.request.urlopen(url.partition("/v1#")[0] + "/told", timeout=60) as reply:
        return float(json.load(reply)["cpu_s"])


def _memory_mb(pool: WorkerPool) -> float:
    """What the workers held at most."""
    peaks = 0
    for client in pool._clients:
        status = Path(f"/proc/{client.pid}/status").read_text(encoding="ascii")
        (line,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
        peaks += int(line.split()[1])
    return peaks / 1024
