"""A worker with a scripted child, requests for it, and a recorder of its events."""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import numpy as np
import pytest

from agent.spectra.spectrum import Spectrum
from app.worker import inspection, process
from app.worker.inspection import Event
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import WorkerClient
from tests.processes import LONG_S, wait_until

COMMAND = [sys.executable, "-P", str(Path(__file__).with_name("scripted_child.py"))]
HELLO = '{"type": "hello", "wire": 1}'
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals")

Kind = TypeVar("Kind")


class EventRecorder:
    """Keeps all events and can wait for one."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()

    def __call__(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.events if isinstance(event, kind)]

    def wait_for(self, is_it: Callable[[Event], bool] | type) -> Event:
        if isinstance(is_it, type):
            kind = is_it
            return self.wait_for(lambda event: isinstance(event, kind))
        with self._changed:
            assert self._changed.wait_for(lambda: any(map(is_it, self.events)), LONG_S)
            return next(filter(is_it, self.events))


def spectrum(name: str = "any", pixels: int = 400) -> Spectrum:
    wavelength = np.linspace(6400.0, 6700.0, pixels)
    flux = 10 + 5 * np.exp(-0.5 * ((wavelength - 6564.6) / 8) ** 2)
    ivar = np.full(pixels, 4.0)
    return Spectrum(
        wavelength=wavelength, flux=flux, ivar=ivar, object_id=name, snr=20.0, simulated=True
    )


def request(name: str = "any", **more: object) -> InspectRequest:
    return InspectRequest(task="CV", spectrum=spectrum(name), **more)  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def on_a_slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process writes as it ends comes later there."""
    monkeypatch.setattr(process, "END_GRACE_S", 3.0)


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Fail a test that leaves a thread or pipe behind."""
    threads, pipes = set(threading.enumerate()), _pipes()
    yield
    wait_until(lambda: set(threading.enumerate()) <= threads)
    wait_until(lambda: _pipes() <= pipes)


@pytest.fixture
def little_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is told to stop has a moment for it."""
    monkeypatch.setattr(inspection, "CANCEL_GRACE_S", 0.2)


@pytest.fixture(scope="module")
def shared() -> Iterator[WorkerClient]:
    """One worker for tests that leave it unchanged: starting one takes half a second."""
    with WorkerClient(COMMAND) as client:
        client.load(LoadRequest("good", threads=1)).result(LONG_S)
        yield client


@pytest.fixture
def client() -> Iterator[WorkerClient]:
    with WorkerClient(COMMAND) as client:
        yield client


def is_gone(pid: int) -> bool:
    """Neither running nor a zombie."""
    if sys.platform == "win32":  # where nothing waits, and signal 0 is Ctrl-C
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def _pipes() -> set[str]:
    """The pipes that this process holds, where the system tells."""
    folder = Path("/proc/self/fd")
    names = (_target(each) for each in (folder.iterdir() if folder.is_dir() else ()))
    return {name for name in names if name.startswith("pipe:")}


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # the one that lists the folder
        return ""
