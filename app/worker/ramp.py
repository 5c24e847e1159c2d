"""How many inspections to have in flight: doubled while more of them end in a second.

A server that answers many conversations at once ends more of them in a second than one that
answers few, up to its limit; beyond that they only take longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from app.worker.request import LoadRequest

FEWEST = 2
MOST = 256
# Doubling must end so many times more inspections in a second to be worth a further one
FAIR_SHARE = 1.25
# and so many times more to be kept at all
WORTH = 1.05
# Inspections that end before a number is judged
LEAST_COUNT = 4


class Ramp:
    """Tells after each inspection how many may be in flight; `number` is for each server."""

    def __init__(self, servers: int = 1, *, now: Callable[[], float] = time.monotonic) -> None:
        self.number = FEWEST
        self.has_settled = False
        self._servers = servers
        self._now = now
        self._best = 0.0
        """Inspections in a second at half the number."""
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
