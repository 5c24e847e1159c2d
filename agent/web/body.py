"""How far the body of a reply is read, and whether anybody still waits for it."""

import threading
from collections.abc import Callable, Iterable, Mapping

MAX_DIGITS = 20
_this_thread = threading.local()


def never() -> bool:
    return False


def stop_this_thread(should_stop: Callable[[], bool]) -> None:
    """Let every request of this thread end once `should_stop` is true, whoever makes it."""
    _this_thread.should_stop = should_stop


def is_stopped() -> bool:
    should_stop: Callable[[], bool] = getattr(_this_thread, "should_stop", never)
    return should_stop()


def whole_body(
    pieces: Iterable[bytes], most: int, too_large: Exception, announced: str = ""
) -> bytes:
    """All pieces together; raises `too_large` rather than hold more than `most` bytes.

    `announced` is the header content-length, by which a body may be refused before it comes.
    """
    if says_more(announced, most):
        raise too_large
    found = bytearray()
    for piece in pieces:
        if len(found) + len(piece) > most:
            raise too_large
        found += piece
    return bytes(found)


def says_more(announced: str, most: int) -> bool:
    """Whether the header content-length tells of more than `most` bytes."""
    return announced.isdecimal() and int(announced[:MAX_DIGITS]) > most


def is_packed(headers: Mapping[str, str]) -> bool:
    """Whether a body is compressed: it could unpack to any size."""
    return headers.get("content-encoding", "").strip().lower() not in ("", "identity")
