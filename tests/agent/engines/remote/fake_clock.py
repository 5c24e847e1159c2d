"""Time that passes only when somebody waits."""

from __future__ import annotations


class FakeClock:
    """Waits of `asked` slices; `waited_s` in all."""

    def __init__(self) -> None:
        self.waited_s = 0.0
        self.asked = 0

    def now(self) -> float:
        return self.waited_s

    def wait(self, seconds: float) -> None:
        assert 0 < seconds <= 0.05 + 1e-9  # or a stop would go unheard
        self.waited_s += seconds
        self.asked += 1
