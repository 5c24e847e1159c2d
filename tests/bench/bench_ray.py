"""What Ray costs: the measured inspector in actors against as many processes, in turns."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from agent.cluster.options import RayPlace
from agent.inspection.built_in import MEASURED
from app.worker.pool import InspectionPool, WorkerPool
from app.worker.ray_pool import RayPool
from app.worker.request import InspectRequest, LoadRequest
from tests.bench.bench_worker import SPECTRA, usable
from tests.bench.measuring import figure_line

ROUNDS, A_ROUND = 8, 12


def figures() -> Iterator[dict[str, object]]:
    paths = list(islice(usable(), SPECTRA))
    for count in (1, 2, 4):
        with (
            WorkerPool(count, LoadRequest(MEASURED)) as processes,
            RayPool(RayPlace(actors=count), LoadRequest(MEASURED)) as actors,
        ):
            for pool in (processes, actors):
                pool.ready()
                _seconds(pool, paths)
            pairs = [(_seconds(processes, paths), _seconds(actors, paths)) for _ in range(ROUNDS)]
        plain_s = sum(plain for plain, _ in pairs)
        yield figure_line(
            f"the measured inspector in {count} actor(s) of Ray",
            statistics.median(ray / plain for plain, ray in pairs), "ratio",
            baseline="as many processes without Ray, in turns", target=1.05,
            inspections=ROUNDS * A_ROUND, of_all=sum(ray for _, ray in pairs) / plain_s,
            plain_per_s=ROUNDS * A_ROUND / plain_s, load=os.getloadavg()[0]
        )  # fmt: skip


def _seconds(pool: InspectionPool, paths: list[Path]) -> float:
    requests = (InspectRequest(task="CV", path=path) for path in islice(cycle(paths), A_ROUND))
    began = time.perf_counter()
    assert all(each.trajectory for each in pool.run(enumerate(requests)))
    return time.perf_counter() - began
