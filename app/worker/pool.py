"""Several workers for one batch. A spectrum that crashes a worker does not stop the batch."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from agent.trajectory.trajectory import ModelRef, Trajectory
from app.worker.client import CANCEL_GRACE_S, WorkerClient
from app.worker.errors import LoadCrash, LoadError, WorkerCrash, WorkerError, WorkerTimeout
from app.worker.inspection import Event, RunningInspection, ignore_event
from app.worker.request import InspectRequest, LoadRequest

# One crash may be chance or a lack of memory; after two we blame the spectrum.
MAX_TRIES = 2
# On Windows a thread that waits without a timeout does not receive Ctrl-C.
POLL_S = 0.5

Key = TypeVar("Key")


@dataclass(frozen=True)
class PoolResult(Generic[Key]):
    """The result of one request: a trajectory or an error."""

    key: Key
    trajectory: Trajectory | None = None
    error: WorkerError | None = None


@dataclass
class _Item(Generic[Key]):
    key: Key
    request: InspectRequest
    crashes: int = 0


class InspectionPool(Protocol):
    """Inspects many spectra with one model, here or on other machines."""

    @property
    def slots(self) -> int:
        """How many it inspects at once."""

    def ready(self) -> ModelRef:
        """Wait until the model is loaded and return it. Raises WorkbenchError."""

    def run(self, requests: Iterable[tuple[Key, InspectRequest]]) -> Iterator[PoolResult[Key]]:
        """Yield one result for each request. Closing the generator stops the work."""

    def close(self) -> None:
        """End what works for the pool."""


class WorkerPool:
    """Workers that inspect with the same model. For one thread."""

    def __init__(
        self,
        workers: int,
        load: LoadRequest,
        *,
        command: Sequence[str] | None = None,
        cancel_grace_s: float = CANCEL_GRACE_S,
    ) -> None:
        self._clients = [
            WorkerClient(command, cancel_grace_s=cancel_grace_s) for _ in range(max(workers, 1))
        ]
        self._load = replace(load, sharing=load.sharing * len(self._clients))
        for client in self._clients:
            client.select(self._load)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def slots(self) -> int:
        return len(self._clients)

    def ready(self) -> ModelRef:
        """Wait until the first worker has loaded the model and return it. Raises LoadError."""
        return self._clients[0].load(self._load).result()

    def run(
        self,
        requests: Iterable[tuple[Key, InspectRequest]],
        on_event: Callable[[Key, Event], None] | None = None,
    ) -> Iterator[PoolResult[Key]]:
        """Yield results in the order in which inspections finish.

        Requests are taken from the iterable when a worker becomes free. Closing the generator
        cancels the running ones. Raises LoadError when no worker can load the model; requests
        that were already taken then have no result.
        """
        batch = _Batch(self._clients, requests, on_event)
        try:
            yield from batch.results()
        finally:
            batch.cancel()

    def close(self) -> None:
        for client in self._clients:
            client.stop()
        for client in self._clients:
            client.close()


class _Batch(Generic[Key]):
    def __init__(
        self,
        clients: Iterable[WorkerClient],
        requests: Iterable[tuple[Key, InspectRequest]],
        on_event: Callable[[Key, Event], None] | None,
    ) -> None:
        self._idle = list(clients)
        self._requests = iter(requests)
        self._retries: deque[_Item[Key]] = deque()
        self._on_event = on_event
        self._running: dict[RunningInspection, tuple[WorkerClient, _Item[Key]]] = {}
        self._done: queue.SimpleQueue[RunningInspection] = queue.SimpleQueue()

    def results(self) -> Iterator[PoolResult[Key]]:
        while self._start() or self._running:
            inspection = self._wait()
            client, item = self._running.pop(inspection)
            try:
                trajectory = inspection.result(0)
            except WorkerError as error:
                result = self._result_of(client, item, error)
                if result is not None:
                    yield result
            else:
                self._idle.append(client)
                yield PoolResult(item.key, trajectory)

    def cancel(self) -> None:
        for inspection in self._running:
            inspection.cancel()

    def _result_of(
        self, client: WorkerClient, item: _Item[Key], error: WorkerError
    ) -> PoolResult[Key] | None:
        """The result, or None if the request will be retried."""
        if isinstance(error, LoadError):
            self._retries.append(item)
            if isinstance(error, LoadCrash):
                self._idle.append(client)
            elif not (self._idle or self._running):
                raise error
            return None
        self._idle.append(client)
        item.crashes += isinstance(error, WorkerCrash)
        may_retry = isinstance(error, WorkerCrash) and not isinstance(error, WorkerTimeout)
        if may_retry and item.crashes < MAX_TRIES:
            self._retries.append(item)
            return None
        return PoolResult(item.key, error=error)

    def _start(self) -> bool:
        """Give requests to idle workers; False if there was none to give."""
        started = False
        while self._idle and (item := self._next()) is not None:
            client = self._idle.pop()
            listen = partial(self._on_event, item.key) if self._on_event else ignore_event
            inspection = client.inspect(item.request, listen)
            self._running[inspection] = (client, item)
            inspection.when_done(self._done.put)
            started = True
        return started

    def _next(self) -> _Item[Key] | None:
        if self._retries:
            return self._retries.popleft()
        following = next(self._requests, None)
        return None if following is None else _Item(*following)

    def _wait(self) -> RunningInspection:
        while True:
            try:
                return self._done.get(timeout=POLL_S)
            except queue.Empty:
                continue
