"""How many inspections run at once in each worker of a pool."""

from __future__ import annotations

from app.worker.ramp import MOST, Ramp
from app.worker.request import LoadRequest


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
