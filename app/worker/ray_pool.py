"""A batch over the actors of a Ray cluster, each of which has a worker process of its own."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from agent.cluster.options import RayPlace
from agent.cluster.ray_actors import MAX_TRIES, CannotWork, MustBeAlone, RayActors, SideBySide
from agent.cluster.ray_cluster import RayCluster
from agent.trajectory.trajectory import ModelRef
from app.worker.errors import CrashBeside, LoadCrash, LoadError, WorkerCrash
from app.worker.pool import MOST, Concurrency, PoolResult, WorkerPool, server_count
from app.worker.request import InspectRequest, LoadRequest, whole_path

Key = TypeVar("Key")

Call = tuple[InspectRequest, str | None]
"""What to inspect, and the text of its task file, which other machines do not have."""


class RayPool(AbstractContextManager["RayPool"]):
    """Does what a WorkerPool does, on the machines of a cluster. For one thread.

    Spectra in files and models in folders are read where the work is done: their paths must mean
    the same on every machine.
    """

    def __init__(
        self,
        place: RayPlace,
        load: LoadRequest,
        *,
        command: Sequence[str] | None = None,
        in_flight: int | None = None,
    ) -> None:
        """`in_flight` as for a WorkerPool, in each actor; one number is found for all of them."""
        with ExitStack() as stack:
            cluster = RayCluster(place)
            stack.callback(cluster.close)
            self._count = cluster.actors
            self._concurrency = Concurrency(server_count(load), self._count, in_flight)
            side_by_side = None
            if self._concurrency.is_side_by_side:
                most = self._concurrency.most_per_worker
                side_by_side = SideBySide(most, lambda: self._concurrency.per_worker)
            make = partial(Inspecting, _found(load), command, side_by_side is not None)
            self._actors: RayActors[object] = RayActors(cluster, make, side_by_side)
            stack.callback(self._actors.close)
            self._ends = stack.pop_all()

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def slots(self) -> int | None:
        """How many inspections run at once; None while that is being found."""
        known = self._concurrency.is_known
        return self._count * self._concurrency.per_worker if known else None

    def ready(self) -> ModelRef:
        """Wait until an actor has loaded the model and return it. Raises WorkbenchError."""
        model = self._actors.ready()
        assert isinstance(model, ModelRef)
        return model

    def run(self, requests: Iterable[tuple[Key, InspectRequest]]) -> Iterator[PoolResult[Key]]:
        """As WorkerPool.run; a request whose actor dies twice has an error, too."""
        calls = ((key, _portable(request)) for key, request in requests)
        for answer in self._actors.run(calls):
            key: Key = answer.key  # type: ignore[assignment]
            if answer.lost:
                reason = f"the actor that inspected it died {MAX_TRIES} times: {answer.lost}"
                yield PoolResult(key, error=WorkerCrash(reason))
                continue
            result: PoolResult[Key] = replace(answer.value, key=key)
            if result.trajectory is not None:
                self._concurrency.ended(result.busy)
            yield result

    def close(self) -> None:
        self._ends.close()


class Inspecting:
    """What an actor holds: a pool of one worker process, which starts what it is given at once."""

    def __init__(
        self, load: LoadRequest, command: Sequence[str] | None, is_side_by_side: bool, sharing: int
    ) -> None:
        self._pool = WorkerPool(
            1,
            replace(load, sharing=sharing),
            command=command,
            in_flight=MOST if is_side_by_side else 1,
            is_shared=True,
        )

    def begin(self) -> ModelRef:
        for _ in range(MAX_TRIES - 1):
            try:
                return self._pool.ready()
            except LoadCrash:  # by chance or for lack of memory: others may load at this moment
                continue
        return self._pool.ready()

    def work(self, call: Call) -> PoolResult[None]:
        request, task = call
        try:
            if task is None:
                return self._result(request)
            with tempfile.TemporaryDirectory(prefix="spec-o3-") as folder:
                path = Path(folder) / Path(request.task).name
                path.write_text(task, encoding="utf-8")
                return self._result(replace(request, task=str(path)))
        except LoadError as error:
            raise CannotWork(str(error)) from error

    def _result(self, request: InspectRequest) -> PoolResult[None]:
        (result,) = self._pool.run([(None, request)])
        if isinstance(result.error, CrashBeside):
            raise MustBeAlone(str(result.error)) from result.error
        return result


def _found(load: LoadRequest) -> LoadRequest:
    """An actor runs in another folder than this process."""
    model = load.model or ""
    is_path = bool(Path(model).name != model and Path(model).exists())
    return replace(load, model=str(Path(model).absolute())) if is_path else load


def _portable(request: InspectRequest) -> Call:
    task = None
    if request.task.casefold().endswith(".toml"):
        task = Path(request.task).read_text(encoding="utf-8")
    if request.path is None:
        return request, task
    return replace(request, path=whole_path(request.path)), task
