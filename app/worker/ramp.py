"""How many inspections to have in flight: doubled while more of them end in a second.

A server that answers many conversations at once ends more of them in a second than one that
answers few, up to its limit; beyond that they only take longer.
"""

from __future__ import annotations

import time
from collections.abc import Callable

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
