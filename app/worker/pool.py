"""Several workers for one batch. A spectrum that crashes a worker does not stop the batch."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Generic, Protocol, TypeVar

from agent.trajectory.trajectory import ModelRef, Trajectory
from app.worker import errors
from app.worker.inspection import Event, RunningInspection, ignore_event
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient

# One crash may be chance or a lack of memory; after two we blame the spectrum.
MAX_TRIES = 2
# On Windows a thread that waits without a timeout does not receive Ctrl-C.
POLL_S = 0.5

FEWEST = 2
MOST = 256
# Doubling must end so many times more inspections in a second to be worth a further one
FAIR_SHARE = 1.25
# and so many times more to be kept at all
WORTH = 1.05
# Inspections that end before a number is judged
LEAST_COUNT = 4

Key = TypeVar("Key")


@dataclass(frozen=True)
class PoolResult(Generic[Key]):
    key: Key
    trajectory: Trajectory | None = None
    error: errors.WorkerError | None = None
    busy: int = 0  # how often servers refused for too much work since the last result


@dataclass
class _Item(Generic[Key]):
    key: Key
    request: InspectRequest
    crashes: int = 0  # how often it is to blame for the end of a worker
    crashes_beside: int = 0
    """How often it was in a worker that ended, one of several that may be to blame."""


class InspectionPool(Protocol):
    """Inspects many spectra with one model, here or on other machines."""

    @property
    def slots(self) -> int | None:
        """How many it inspects at once; None while that is being found."""

    def ready(self) -> ModelRef:
        """Wait until the model is loaded and return it. Raises WorkbenchError."""

    def run(self, requests: Iterable[tuple[Key, InspectRequest]]) -> Iterator[PoolResult[Key]]:
        """Yield one result for each request. Closing the generator stops the work."""

    def close(self) -> None:
        """End what works for the pool."""


class WorkerPool(AbstractContextManager["WorkerPool"]):
    """Workers that inspect with the same model. For one thread, unless it is shared."""

    def __init__(
        self,
        workers: int,
        load: LoadRequest,
        *,
        command: Sequence[str] | None = None,
        in_flight: int | None = None,
        is_shared: bool = False,
    ) -> None:
        """`in_flight` inspections run at once with each server in each worker.

        None finds the number. A model that is not on a server inspects one at a time. With
        `is_shared`, several threads may call `run`, if each takes all that its call gives.
        """
        self._clients = [WorkerClient(command) for _ in range(max(workers, 1))]
        self._concurrency = Concurrency(server_count(load), len(self._clients), in_flight)
        self._is_shared = is_shared
        self._load = replace(
            load,
            sharing=load.sharing * len(self._clients),
            side_by_side=self._concurrency.is_side_by_side,
        )
        for client in self._clients:
            client.select(self._load)

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def slots(self) -> int | None:
        """How many inspections run at once; None while that is being found."""
        per_worker = self._concurrency.per_worker
        return len(self._clients) * per_worker if self._concurrency.is_known else None

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
        that were already taken then have no result. In a shared pool, the error CrashBeside means
        that a request must be alone in it for us to know whether it kills the worker.
        """
        batch = _Batch(
            self._clients, requests, on_event, self._concurrency, is_alone=not self._is_shared
        )
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
        concurrency: Concurrency,
        *,
        is_alone: bool,
    ) -> None:
        self._in_flight = dict.fromkeys(clients, 0)
        """How many inspections run in each worker that can load the model."""
        self._concurrency = concurrency
        self._is_alone = is_alone  # whether nobody else gives requests to these workers
        self._requests = iter(requests)
        self._retries: deque[_Item[Key]] = deque()
        self._suspects: deque[_Item[Key]] = deque()
        """Those in flight at several crashes; they run at the end, one at a time."""
        self._on_event = on_event
        self._running: dict[RunningInspection, tuple[WorkerClient, _Item[Key]]] = {}
        self._done: queue.SimpleQueue[RunningInspection] = queue.SimpleQueue()

    def results(self) -> Iterator[PoolResult[Key]]:
        while self._start() or self._running:
            inspection = self._wait()
            client, item = self._running.pop(inspection)
            self._in_flight[client] -= 1
            try:
                trajectory = inspection.result(0)
            except errors.WorkerError as error:
                result = self._result_of(client, item, error)
                if result is not None:
                    yield result
            else:
                self._concurrency.ended(inspection.busy)
                yield PoolResult(item.key, trajectory, busy=inspection.busy)

    def cancel(self) -> None:
        for inspection in self._running:
            inspection.cancel()

    def _result_of(
        self, client: WorkerClient, item: _Item[Key], error: errors.WorkerError
    ) -> PoolResult[Key] | None:
        """The result, or None if the request will be retried."""
        if isinstance(error, errors.LoadError):
            self._retries.append(item)
            if not isinstance(error, errors.LoadCrash):
                self._in_flight.pop(client, None)
                if not (self._in_flight or self._running):
                    raise error
            return None
        if isinstance(error, errors.CrashBeside):
            item.crashes_beside += not error.is_innocent
            is_suspect = item.crashes_beside >= MAX_TRIES
            if is_suspect and not self._is_alone:
                return PoolResult(item.key, error=error)
            (self._suspects if is_suspect else self._retries).append(item)
            return None
        is_crash = isinstance(error, errors.WorkerCrash)
        item.crashes += is_crash
        if is_crash and not isinstance(error, errors.WorkerTimeout) and item.crashes < MAX_TRIES:
            self._retries.append(item)
            return None
        return PoolResult(item.key, error=error)

    def _start(self) -> bool:
        """Give requests to workers that have room; False if there was none to give."""
        started = False
        while (client := self._with_room()) is not None and (item := self._next()) is not None:
            listen = partial(self._on_event, item.key) if self._on_event else ignore_event
            inspection = client.inspect(item.request, listen)
            self._running[inspection] = (client, item)
            self._in_flight[client] += 1
            inspection.when_done(self._done.put)
            started = True
        return started

    def _with_room(self) -> WorkerClient | None:
        """The worker that has the least to do, if it may have more."""
        if not self._in_flight:
            return None
        client = min(self._in_flight, key=self._in_flight.__getitem__)
        return client if self._in_flight[client] < self._concurrency.per_worker else None

    def _next(self) -> _Item[Key] | None:
        if self._retries:
            return self._retries.popleft()
        following = next(self._requests, None)
        if following is not None:
            return _Item(*following)
        if self._suspects and not self._running:
            return self._suspects.popleft()
        return None

    def _wait(self) -> RunningInspection:
        while True:
            with suppress(queue.Empty):
                return self._done.get(timeout=POLL_S)


# How many inspections to have in flight: doubled while more of them end in a second. A server that
# answers many conversations at once ends more of them in a second than one that answers few, up to
# its limit; beyond that they only take longer.
class Ramp:
    """Tells after each inspection how many may be in flight; `number` is for each server."""

    def __init__(self, servers: int = 1, *, now: Callable[[], float] = time.monotonic) -> None:
        self.number = FEWEST
        self.has_settled = False
        self._servers = servers
        self._now = now
        self._best = 0.0  # inspections in a second at half the number
        self._most = MOST
        self._begin()

    def ended(self, busy: int = 0) -> None:
        """Note the end of an inspection; `busy` is how often servers refused since the last one."""
        self._ends += 1
        if busy:
            self._back_off()
        elif self._ends == self._warm:
            self._since = self._now()
        elif self._ends >= self._warm + self._count:
            self._judge(self._count / max(self._now() - self._since, 1e-9))

    def _begin(self) -> None:
        """Judge the number anew, from those that were begun with it."""
        all_servers = self.number * self._servers
        self._ends = 0
        self._warm = all_servers  # those that were begun with another number end first
        self._count = max(all_servers, LEAST_COUNT)
        self._since = self._now()

    def _judge(self, rate: float) -> None:
        if self.has_settled:
            # after a refusal it rises again, little by little
            self.number = min(self._most, self.number + max(1, self.number // 8))
        elif self._best and rate < WORTH * self._best:
            self.number //= 2
            self._settle()
        elif (self._best and rate < FAIR_SHARE * self._best) or self.number == MOST:
            self._settle()
        else:
            self._best = rate
            self.number = min(2 * self.number, MOST)
        self._begin()

    def _settle(self) -> None:
        self.has_settled, self._most = True, self.number

    def _back_off(self) -> None:
        """The server refused: halve the number, once for all refusals of those in flight."""
        if self._ends <= self._warm and self.has_settled:
            return
        if not self.has_settled:
            self._settle()
        self.number = max(1, self.number // 2)
        self._begin()


# How many inspections run at once in each worker of a pool.
def server_count(load: LoadRequest) -> int:
    """Return how many servers a model has; 0 if it runs in the worker itself."""
    from agent.models.card import is_server, split_servers

    model = load.model or ""
    return len(split_servers(model)) if is_server(model) else 0


class Concurrency:
    """A given number for each server, or one that a ramp finds; one without servers."""

    def __init__(self, servers: int, workers: int, in_flight: int | None) -> None:
        self._servers = servers
        self._given = in_flight and min(in_flight, MOST)
        is_found = servers > 0 and in_flight is None
        self._ramp = Ramp(servers * workers) if is_found else None

    @property
    def is_side_by_side(self) -> bool:
        return self._servers > 0 and (self._given != 1 or self._servers > 1)

    @property
    def is_known(self) -> bool:
        return self._ramp is None or self._ramp.has_settled

    @property
    def per_worker(self) -> int:
        """How many inspections may run in each worker at once."""
        number = self._given if self._ramp is None else self._ramp.number
        return max(1, self._servers) * (number or 1) if self._servers else 1

    @property
    def most_per_worker(self) -> int:
        """How many inspections can ever run in each worker at once."""
        return self._servers * (self._given or MOST) if self._servers else 1

    def ended(self, busy: int) -> None:
        """Note the end of an inspection, and how often servers refused since the last one."""
        if self._ramp is not None:
            self._ramp.ended(busy)
