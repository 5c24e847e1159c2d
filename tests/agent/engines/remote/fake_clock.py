"""Time that passes only when somebody waits."""

from __future__ import annotations


class FakeClock:
    """Waits of `asked` slices; `waited` seconds in all."""

    def __init__(self) -> None:
        self.waited = 0.0
        self.asked = 0

    def now(self) -> float:
        return self.waited

    def wait(self, pause: float) -> None:
        assert 0 < pause <= 0.05 + 1e-9  # or a stop would go unheard
        self.waited += pause
        self.asked += 1
