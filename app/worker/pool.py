"""Several workers for a batch: results as they come, and a spectrum that kills is not the end."""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from agent.trajectory.trajectory import ModelRef, Trajectory
from app.worker.client import WorkerClient
from app.worker.errors import LoadCrash, LoadError, WorkerCrash, WorkerError
from app.worker.inspection import Event, RunningInspection, unheard
from app.worker.request import InspectRequest, LoadRequest

MAX_TRIES = 2
"""A crash may be chance, or the machine's memory; twice is the spectrum's fault."""
LOOK_UP_S = 0.5
"""On Windows a thread that waits without limit does not hear of Ctrl-C."""

Key = TypeVar("Key")


@dataclass(frozen=True)
class PoolResult(Generic[Key]):
    """What became of one request: a record, or an error."""

    key: Key
    trajectory: Trajectory | None = None
    error: WorkerError | None = None


@dataclass
class _Item(Generic[Key]):
    key: Key
    request: InspectRequest
    crashes: int = 0


class WorkerPool:
    """Some workers that inspect with the same model. One thread uses it."""

    def __init__(
        self,
        workers: int,
        load: LoadRequest,
        *,
        command: Sequence[str] | None = None,
    ) -> None:
        self._clients = [WorkerClient(command) for _ in range(max(workers, 1))]
        self._load = replace(load, sharing=len(self._clients))
        for client in self._clients:
            client.want(self._load)

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def ready(self) -> ModelRef:
        """Which model it is, when the first worker has loaded it. Raises LoadError."""
        return self._clients[0].load(self._load).result()

    def run(
        self,
        requests: Iterable[tuple[Key, InspectRequest]],
        on_event: Callable[[Key, Event], None] | None = None,
    ) -> Iterator[PoolResult[Key]]:
        """Outcomes in the order they come. Requests are taken from the iterable as workers get
        free; stopping half-way cancels those that run.

        Raises LoadError when no worker is left that could load the model; what they had been
        given then has no outcome.
        """
        batch = _Batch(self._clients, requests, on_event)
        try:
            yield from batch.outcomes()
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
        self._fresh = iter(requests)
        self._again: deque[_Item[Key]] = deque()
        self._on_event = on_event
        self._running: dict[RunningInspection, tuple[WorkerClient, _Item[Key]]] = {}
        self._done: queue.SimpleQueue[RunningInspection] = queue.SimpleQueue()

    def outcomes(self) -> Iterator[PoolResult[Key]]:
        while self._start() or self._running:
            inspection = self._wait()
            client, item = self._running.pop(inspection)
            try:
                trajectory = inspection.result(0)
            except WorkerError as error:
                outcome = self._judge(client, item, error)
                if outcome is not None:
                    yield outcome
            else:
                self._idle.append(client)
                yield PoolResult(item.key, trajectory)

    def cancel(self) -> None:
        for inspection in self._running:
            inspection.cancel()

    def _judge(
        self, client: WorkerClient, item: _Item[Key], error: WorkerError
    ) -> PoolResult[Key] | None:
        """The outcome, or None where the request is to be tried again."""
        if isinstance(error, LoadError):
            self._again.append(item)
            if isinstance(error, LoadCrash):
                self._idle.append(client)
            elif not (self._idle or self._running):
                raise error
            return None
        self._idle.append(client)
        item.crashes += isinstance(error, WorkerCrash)
        if isinstance(error, WorkerCrash) and item.crashes < MAX_TRIES:
            self._again.append(item)
            return None
        return PoolResult(item.key, error=error)

    def _start(self) -> bool:
        """Give the idle workers work; whether there was any."""
        started = False
        while self._idle and (item := self._next()) is not None:
            client = self._idle.pop()
            listen = partial(self._on_event, item.key) if self._on_event else unheard
            inspection = client.inspect(item.request, listen)
            self._running[inspection] = (client, item)
            inspection.when_done(self._done.put)
            started = True
        return started

    def _next(self) -> _Item[Key] | None:
        if self._again:
            return self._again.popleft()
        following = next(self._fresh, None)
        return None if following is None else _Item(*following)

    def _wait(self) -> RunningInspection:
        while True:
            try:
                return self._done.get(timeout=LOOK_UP_S)
            except queue.Empty:
                continue
