"""The window's connection to other programs by SAMP, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from app.ui.base.background.runner import Done, Failed, Runner

if TYPE_CHECKING:
    from app.services.samp.connection import SampConnection
    from app.services.samp.received import FileOffered

CHECK_MS = 5_000  # how often it is looked whether the hub is still there, or another one


class _Turn:
    """One time of being on; its connection is made in the thread, where importing it takes long."""

    def __init__(self) -> None:
        self.connection: SampConnection | None = None
        self.is_made = self.is_over = False


class SampLink(QObject):
    """Costs nothing until it is turned on; `close` ends the thread and what listens."""

    received = Signal(object)  # A message of another program, checked; or that one was refused.
    ready = Signal()  # What it needs has been imported; after `turn_on` only.
    connected = Signal(object)  # The names of the other programs; after `turn_on` only.
    failed = Signal(str)  # Why there is no connection, in English; after `turn_on` only.

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner: Runner | None = None
        self._turn: _Turn | None = None
        self._is_checking = False
        self._timer = QTimer(self, interval=CHECK_MS)
        self._timer.timeout.connect(self._check)

    @property
    def is_on(self) -> bool:
        return self._turn is not None

    @property
    def is_ready(self) -> bool:
        return self._turn is not None and self._turn.is_made

    def turn_on(self) -> None:
        if self._turn is not None:
            return
        self._turn = turn = _Turn()
        if self._runner is None:
            self._runner = Runner(self, threads=1)
        self._timer.start()
        work, done = partial(_make, turn, self.received.emit), partial(self._made, turn)
        self._runner.run(work, done, owner=self)
        self.run(_connect, self.connected.emit, lambda error: self.failed.emit(str(error)))

    def turn_off(self) -> None:
        """Leave the hub in the background; what is on its way is dropped."""
        self._timer.stop()
        turn, self._turn = self._turn, None
        if turn is None or self._runner is None:
            return
        turn.is_over = True
        if turn.connection is not None:
            turn.connection.stop_soon()
        self._runner.run(partial(_leave, turn))

    def close(self) -> None:
        """Leave, and wait for nobody: the thread ends by itself, in a few seconds at most."""
        self.turn_off()
        if self._runner is not None:
            self._runner.close(waits=False)

    def fetch(self, offered: FileOffered) -> None:
        """Copy a file that the user wants: `received` tells of it again, with its path."""
        if self._turn is not None and self._turn.connection is not None:
            self._turn.connection.fetch(offered)

    def decline(self, offered: FileOffered) -> None:
        self.run(lambda connection: connection.decline(offered))

    def run(
        self,
        work: Callable[[SampConnection], Any],
        done: Done = lambda result: None,
        failed: Failed = lambda error: None,
    ) -> None:
        """Do it with the connection in its thread; nothing if it is off, or is turned off."""
        turn = self._turn
        if turn is not None and self._runner is not None:
            ends = partial(self._if_on, turn, done), partial(self._if_on, turn, failed)
            self._runner.run(partial(_with, turn, work), *ends, owner=self)

    def _if_on(self, turn: _Turn, call: Callable[[Any], None], result: Any) -> None:
        if turn is self._turn:
            call(result)

    def _made(self, turn: _Turn, _: object) -> None:
        turn.is_made = True
        if turn is self._turn:
            self.ready.emit()

    def _check(self) -> None:
        if not self._is_checking:
            self._is_checking = True
            self.run(lambda connection: connection.connect(), self._end_check, self._end_check)

    def _end_check(self, _: object) -> None:
        self._is_checking = False


def _make(turn: _Turn, receive: Callable[[object], object]) -> None:
    """Import all that SAMP needs, which takes a second, and make the connection."""
    if turn.is_over:
        return
    from platformdirs import user_data_path

    # What the window then makes is imported here, too.
    from app.services.samp.connection import SampConnection

    if not turn.is_over:
        folder = user_data_path("spec-o3-workbench", appauthor=False) / "received"
        turn.connection = SampConnection(receive, folder)


def _with(turn: _Turn, work: Callable[[SampConnection], Any]) -> Any:
    return None if turn.connection is None or turn.is_over else work(turn.connection)


def _leave(turn: _Turn) -> None:
    if turn.connection is not None:
        turn.connection.close()


def _connect(connection: SampConnection) -> list[str]:
    connection.connect()
    return sorted({peer.name for peer in connection.others()})
