"""A server that sends one part of its answer piece by piece, without an end."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

HEAD, CHUNKED = b"HTTP/1.1 200 OK\r\n", b"Transfer-Encoding: chunked\r\n\r\n"
TRICKLES = {
    "body": (HEAD + b"\r\n<VOTABLE>", b" "),
    "header": (HEAD + b"X: ", b"x"),
    "status line": (b"HTTP/1.1 200 ", b"x"),
    "chunk size": (HEAD + CHUNKED, b"0"),
    "more headers": (HEAD, b"X: y\r\n"),
    "nothing but patience": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@contextmanager
def trickling(part: str) -> Iterator[tuple[str, threading.Event]]:
    """A server that never comes to an end, and whether it has begun to say its pieces."""
    start, piece = TRICKLES[part]
    with socket.create_server(("127.0.0.1", 0)) as listener, ThreadPoolExecutor(1) as thread:
        enough, began = threading.Event(), threading.Event()

        def serve() -> None:
            taken, _ = listener.accept()
            with taken, suppress(OSError):
                taken.recv(65536)
                taken.sendall(start)
                while not enough.wait(0.01):
                    taken.sendall(piece)
                    began.set()

        thread.submit(serve)
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/t.vot", began
        finally:
            enough.set()
