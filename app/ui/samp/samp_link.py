"""The window's connection to other programs by SAMP, in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from agent.errors import WorkbenchError
from app.ui.background.runner import Done, Failed, Runner

if TYPE_CHECKING:
    from app.services.samp.connection import SampConnection

CHECK_MS = 5_000
"""How often it is looked whether the hub is still there, or another one."""


class SampLink(QObject):
    """Costs nothing until it is turned on; `close` ends the thread and what listens."""

    received = Signal(object)
    """A message of another program, checked; or that one was refused."""
    connected = Signal(object)
    """The names of the other programs; after `turn_on` only."""
    failed = Signal(str)
    """Why there is no connection, in English; after `turn_on` only."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner: Runner | None = None
        self._connection: SampConnection | None = None
        self._leaving: list[SampConnection] = []
        self._is_checking = False
        self._timer = QTimer(self, interval=CHECK_MS)
        self._timer.timeout.connect(self._check)

    @property
    def is_on(self) -> bool:
        return self._connection is not None

    def turn_on(self) -> None:
        if self._connection is not None:
            return
        from platformdirs import user_data_path

        from app.services.samp.connection import SampConnection

        folder = user_data_path("spec-o3-workbench", appauthor=False) / "received"
        self._connection = SampConnection(self.received.emit, folder)
        if self._runner is None:
            self._runner = Runner(self, threads=1)
        self._timer.start()
        self.run(_connect, self.connected.emit, self._on_failed)

    def turn_off(self) -> None:
        """Leave the hub in the background; what is on its way is dropped."""
        self._timer.stop()
        connection, self._connection = self._connection, None
        if connection is not None and self._runner is not None:
            connection.stop_soon()
            self._leaving.append(connection)
            self._runner.run(connection.close, partial(self._left, connection), owner=self)

    def close(self) -> None:
        """Leave, and wait for that: at most a few seconds."""
        self.turn_off()
        if self._runner is not None:
            self._runner.close()
        for connection in self._leaving:
            connection.close()
        self._leaving.clear()

    def run(
        self,
        work: Callable[[SampConnection], Any],
        done: Done = lambda result: None,
        failed: Failed = lambda error: None,
    ) -> None:
        """Do it with the connection in its thread; nothing if it is off."""
        if self._connection is not None and self._runner is not None:
            self._runner.run(partial(work, self._connection), done, failed, owner=self)

    def _on_failed(self, error: WorkbenchError) -> None:
        self.failed.emit(str(error))

    def _check(self) -> None:
        if not self._is_checking:
            self._is_checking = True
            self.run(_reconnect, self._end_check, self._end_check)

    def _left(self, connection: SampConnection, _: object) -> None:
        self._leaving.remove(connection)

    def _end_check(self, _: object) -> None:
        self._is_checking = False


def _connect(connection: SampConnection) -> list[str]:
    connection.connect()
    return sorted({peer.name for peer in connection.others()})


def _reconnect(connection: SampConnection) -> None:
    connection.connect()
