"""Many conversations in flight with one server, as a share of what the server can do.

The server is `vllm_profile`, in a process of its own. Our side is one worker process (two at the
most in flight), reached through its pipe as `vet` reaches it; its CPU time and memory are read when
it has ended.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path

from agent.errors import WorkbenchError
from agent.spectra.readers import read
from app.worker.pool import WorkerPool
from app.worker.request import InspectRequest, LoadRequest
from tests.bench import vllm_profile

SAMPLE = Path(__file__).resolve().parents[2] / "resources" / "sample" / "spectra"
SPECTRA = 20
# In flight at once, conversations that are timed, worker processes
RUNS = ((1, 4, 1), (8, 32, 1), (64, 192, 2), (256, 768, 2))
TARGET = 0.9


def figures() -> Iterator[dict[str, object]]:
    paths = list(islice(_usable(), SPECTRA))
    for in_flight, count, workers in RUNS:
        yield from _run(paths, in_flight, count, workers)


def _run(
    paths: list[Path], in_flight: int, count: int, workers: int
) -> Iterator[dict[str, object]]:
    with serving() as url:
        before = _used()
        pool = WorkerPool(workers, LoadRequest(url), in_flight=in_flight // workers)
        with pool:
            # the first of each are not timed: imports, and all conversations at the same turn
            warm = 2 * in_flight
            ends = []
            requests = islice(cycle(paths), warm + count)
            for result in pool.run(_requests(requests)):
                assert result.trajectory is not None, result.error
                assert result.trajectory.verdict == "YES", result.trajectory.stop_reason
                ends.append(time.perf_counter())
            memory = sum(_peak_mb(client.pid) for client in pool._clients)
    cpu_s = _used() - before
    # up to where the last ones begin to be fewer than may be in flight
    last = max(warm + 1, len(ends) - in_flight)
    rate = (last - warm) / (ends[last] - ends[warm]) if in_flight > 1 else _rate(ends[warm:])
    limit = vllm_profile.conversations_per_s(in_flight)
    about = {"in_flight": in_flight, "workers": workers, "cpus": os.cpu_count()}
    yield {
        "figure": f"{in_flight} conversations in flight, share of the server's limit",
        "value": rate / limit,
        "unit": "ratio",
        "baseline": "the server's own limit with so many in flight",
        "target": TARGET,
        "per_s": rate,
        "limit_per_s": limit,
        **about,
    }
    yield _figure("our side's CPU for a conversation", 1000 * cpu_s / len(ends), "ms", **about)
    yield _figure("our side's memory at its peak", memory, "MB", **about)


def _rate(ends: list[float]) -> float:
    return (len(ends) - 1) / (ends[-1] - ends[0])


def _requests(paths: Iterator[Path]) -> Iterator[tuple[int, InspectRequest]]:
    for number, path in enumerate(paths):
        yield number, InspectRequest(task="CV", path=path)


@contextmanager
def serving() -> Iterator[str]:
    """A server with vLLM's profile."""
    command = [sys.executable, "-m", "tests.bench.vllm_profile"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None and server.stdout is not None
        port = int(server.stdout.readline())
        yield f"http://127.0.0.1:{port}/v1#{vllm_profile.MODEL}"
        server.stdin.close()


def _usable() -> Iterator[Path]:
    for path in sorted(SAMPLE.rglob("*.fits.gz")):
        try:
            read(path)
        except WorkbenchError:
            continue
        yield path


def _used() -> float:
    """CPU seconds of this process and of its children that have ended: not yet of the server."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in used)


def _peak_mb(pid: int | None) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (peak,) = [line for line in status.splitlines() if line.startswith("VmHWM")]
    return int(peak.split()[1]) / 1024


def _figure(name: str, value: float, unit: str, **more: object) -> dict[str, object]:
    return {"figure": name, "value": value, "unit": unit, "baseline": None, **more}
