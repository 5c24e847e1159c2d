"""A server on plain sockets that sends whatever it likes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

KEY = "canary-5f0c1b77e2d94a"
WORKED = 0.02
"""Seconds between the bytes of a slow server."""


@dataclass
class Call:
    """One connection with the request that came over it."""

    socket: socket.socket
    server: HostileServer
    head: bytes = b""
    body: bytes = b""

    @property
    def path(self) -> str:
        return self.head.split(b" ", 2)[1].decode("latin-1")

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            self.socket.sendall(piece)

    def endless(self, piece: bytes) -> None:
        while not self.server.closing.is_set():
            self.socket.sendall(piece)

    def slowly(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            if self.server.closing.wait(WORKED):
                return
            self.socket.sendall(piece)

    def wait(self) -> None:
        """Until the client hangs up."""
        with suppress(OSError):
            while self.socket.recv(65536):
                pass


Play = Callable[[Call], None]


class HostileServer:
    """Plays one script for every request, on this machine; keeps the requests."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.closing = threading.Event()
        self.requests: list[tuple[bytes, bytes]] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        # Another host, where nobody may ever come
        self.elsewhere = socket.create_server(("127.0.0.2", 0))
        self.visitors: list[Any] = []
        self._sockets: list[socket.socket] = []
        self._threads = [
            threading.Thread(target=self._accept),
            threading.Thread(target=self._accept_elsewhere),
        ]
        for thread in self._threads:
            thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def elsewhere_url(self) -> str:
        return f"http://127.0.0.2:{self.elsewhere.getsockname()[1]}"

    def close(self) -> None:
        self.closing.set()
        for address in (self.listener.getsockname(), self.elsewhere.getsockname()):
            with suppress(OSError), socket.create_connection(address, 20):
                pass  # wakes the thread that accepts
        for each in self._sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(20)
        assert not any(thread.is_alive() for thread in self._threads)
        for each in (self.listener, self.elsewhere, *self._sockets):
            each.close()

    def _accept(self) -> None:
        while True:
            connection, _ = self.listener.accept()
            self._sockets.append(connection)
            if self.closing.is_set():
                return
            thread = threading.Thread(target=self._serve, args=(connection,))
            self._threads.append(thread)
            thread.start()

    def _accept_elsewhere(self) -> None:
        while True:
            connection, who = self.elsewhere.accept()
            with connection:
                if self.closing.is_set():
                    return
                self.visitors.append(who)

    def _serve(self, connection: socket.socket) -> None:
        connection.settimeout(30)
        call = Call(connection, self)
        try:
            while self._read_request(call):
                self.requests.append((call.head, call.body))
                self.play(call)
        except OSError:
            pass  # the client has had enough
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    def _read_request(self, call: Call) -> bool:
        data = b""
        while b"\r\n\r\n" not in data:
            piece = call.socket.recv(65536)
            if not piece:
                return False
            data += piece
        call.head, _, call.body = data.partition(b"\r\n\r\n")
        length = next(
            (
                int(line.split(b":")[1])
                for line in call.head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ),
            0,
        )
        while len(call.body) < length:
            piece = call.socket.recv(1 << 20)
            if not piece:
                return False
            call.body += piece
        return True


@contextmanager
def hostile(play: Play) -> Iterator[HostileServer]:
    server = HostileServer(play)
    try:
        yield server
    finally:
        server.close()
