"""Delays the first result of a function or method that the window calls in the background."""

import threading
from concurrent.futures import Future
from typing import Any

from app.ui.base.background.runner import Runner

LONG_S = 60  # far more than it takes


class LateAnswer:
    def __init__(self, monkeypatch, place: object, name: str) -> None:
        self._work, self._run = getattr(place, name), Runner.run
        self._begun, self._go_on = threading.Event(), threading.Event()
        self._futures: list[Future[Any]] = []
        monkeypatch.setattr(place, name, self._held)
        monkeypatch.setattr(Runner, "run", lambda *args, **named: self._noted(*args, **named))

    def wait_until_known(self, qtbot) -> None:
        """Wait until the answer is known in the background."""
        qtbot.waitUntil(self._begun.is_set)

    def arrive(self, qtbot, runner: Runner) -> None:
        """Let it go, and wait until the window has got it and all others."""
        given, later = threading.Semaphore(0), []
        for future in self._futures:
            future.add_done_callback(lambda _: given.release())  # after the runner's own
        self._go_on.set()
        for _ in self._futures[:]:
            assert given.acquire(timeout=LONG_S)
        self._run(runner, lambda: None, later.append)
        qtbot.waitUntil(lambda: bool(later))

    def _held(self, *args: Any, **named: Any) -> Any:
        answer, is_first = self._work(*args, **named), not self._begun.is_set()
        self._begun.set()
        if is_first:
            self._go_on.wait(LONG_S)
        return answer

    def _noted(self, *args: Any, **named: Any) -> Future[Any]:
        self._futures.append(self._run(*args, **named))
        return self._futures[-1]
