"""Messages of other programs, worked off one after another in a thread of their own.

A file that is offered is fetched only when the user wants it, in another thread.
"""

import hashlib
import os
import shutil
import stat
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

import httpx

from agent.errors import Cancelled
from agent.web.body import says_more
from agent.web.transport import FAULTS, new_client
from app.services.samp.hub import is_here
from app.services.samp.library import RefusedMessage
from app.services.samp.received import (
    LOAD_FITS,
    LOAD_VOTABLE,
    PICKS,
    FileOffered,
    NotFollowed,
    Received,
    checked,
)

MAX_WAITING = 50  # Messages that are not worked off yet; more are refused.
UNKNOWN = "a program"

MAX_TABLE = 512 * 1024 * 1024
MAX_SPECTRUM = 64 * 1024 * 1024
SILENCE_S = 10.0
TOTAL_S = 60.0
PIECE = 256 * 1024
MAX_STEM = 40
FREE_SHARE = 2
"""So many times its largest size must be free on the disk; else the rest of the disk is a limit."""
FITS_START, GZIP_START = b"SIMPLE  =", b"\x1f\x8b"
START = 4096  # bytes that show what it is
TOO_MANY = "too many messages at once"
NOT_FETCHED = "its file could not be fetched in time, or not whole"


class Inbox:
    """`receive` is told of each message that is sound, or that one was refused, in that thread."""

    def __init__(
        self,
        receive: Callable[[Received | NotFollowed], object],
        folder: Path,
        name_of: Callable[[str], str],
        reply: Callable[[str, str], object],
    ) -> None:
        """`folder` takes the files of others; `reply` takes the id of a call and what is wrong."""
        self._receive, self._folder = receive, folder
        self._name_of, self._reply = name_of, reply
        self._stop = threading.Event()
        self._fetching = threading.Event()
        """Set, it ends the last fetch."""
        self._free = threading.Semaphore(MAX_WAITING)
        self._pool: ThreadPoolExecutor | None = None
        self._pick: tuple[object, object, str, object] | None = None
        """The pick that waits: of a flood of them the last one counts."""
        self._lock = threading.Lock()

    def open(self) -> None:
        self._stop = threading.Event()  # a fetch of before keeps its own
        self._pick = None
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, thread_name_prefix="SAMP messages")

    def stop_soon(self) -> None:
        self._stop.set()
        self._fetching.set()

    def close(self) -> None:
        """Drop what is waiting and what is being fetched, and wait for neither."""
        self.stop_soon()
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def fetch(self, offered: FileOffered) -> None:
        """Copy a file that the user wants: `receive` is told of it again, with its path.

        A later one takes its place.
        """
        self._fetching.set()
        if self._stop.is_set():
            return
        if not self._free.acquire(blocking=False):
            self._answer(offered.call, TOO_MANY)
            return
        self._fetching = stop = threading.Event()
        # Whose file system hangs holds a daemon only.
        threading.Thread(target=self._fetch, args=(offered, stop), daemon=True).start()

    def _fetch(self, offered: FileOffered, stop: threading.Event) -> None:
        fault = ""
        try:
            offered = replace(offered, path=fetch(offered, self._folder, stop.is_set))
        except RefusedMessage as error:
            fault = str(error)
        finally:
            self._free.release()
        self._answer(offered.call, fault)
        if not stop.is_set():
            self._receive(NotFollowed(sender=offered.sender, reason=fault) if fault else offered)

    def refuse(self, reason: str, sender: str = UNKNOWN) -> None:
        self._receive(NotFollowed(sender=sender, reason=reason))

    def take(
        self, _: str, sender: object, call: object, mtype: str, params: object, __: object
    ) -> None:
        """The library calls this in a thread of the message; `call` is None if no reply is due."""
        pool = self._pool
        if pool is None or self._stop.is_set():
            return
        if mtype in PICKS:
            with self._lock:
                before, self._pick = self._pick, (sender, call, mtype, params)
            if before is not None:
                self._answer(before[1], "a later message took its place")
                return
            with suppress(RuntimeError):  # it was closed just now
                pool.submit(self._work_off_pick)
            return
        if not self._free.acquire(blocking=False):
            self._answer(call, TOO_MANY)
            return
        try:
            done = pool.submit(self._work_off, sender, call, mtype, params)
        except RuntimeError:  # it was closed just now
            self._free.release()
        else:
            done.add_done_callback(lambda _: self._free.release())

    def _work_off_pick(self) -> None:
        with self._lock:
            pick, self._pick = self._pick, None
        if pick is not None:
            self._work_off(*pick)

    def _work_off(self, sender: object, call: object, mtype: str, params: object) -> None:
        name = self._name_of(sender) if isinstance(sender, str) else UNKNOWN
        try:
            received = checked(mtype, params, name)
            if isinstance(received, FileOffered):
                check_place(received.url)
        except RefusedMessage as error:
            self._answer(call, str(error))
            self.refuse(str(error), name)
            return
        if isinstance(received, FileOffered):
            # Answered only when it was fetched: a program that sends one table and ends takes its
            # file with it.
            received = replace(received, call=call if isinstance(call, str) else "")
        else:
            self._answer(call)
        self._receive(received)

    def _answer(self, call: object, fault: str = "") -> None:
        if isinstance(call, str) and call:
            self._reply(call, fault)


# Copies the file that another program offers into a folder of ours. Only files of this machine:
# `file:` in the home folder or the folder for temporary files, and `http` to this machine,
# without redirects. Size and time are bounded.
def fetch(offered: FileOffered, folder: Path, should_stop: Callable[[], bool]) -> Path:
    """The path of our copy, named after what was offered. Raises RefusedMessage."""
    check_place(offered.url)
    most = MAX_TABLE if offered.is_table else MAX_SPECTRUM
    url = urlsplit(offered.url)
    if url.scheme == "file":
        with _opened(_local(url.path)) as file:
            return _copied(_pieces(file), offered, folder, most, should_stop)
    host = "127.0.0.1" if url.hostname == "localhost" else str(url.hostname)
    host = f"[{host}]" if ":" in host else host
    target = f"{url.path or '/'}?{url.query}" if url.query else url.path
    client, transport = new_client(httpx.Timeout(SILENCE_S))
    try:
        with (
            closing(client),
            transport.stopping(should_stop, TOTAL_S),
            client.stream("GET", f"http://{host}:{url.port or 80}{target}") as response,
        ):
            if response.status_code != 200:
                status = response.status_code
                raise RefusedMessage(f"its file is not there (HTTP status {status})")
            if says_more(response.headers.get("content-length", ""), most):
                raise RefusedMessage(_too_large(most))
            return _copied(response.iter_raw(), offered, folder, most, should_stop)
    except (*FAULTS, Cancelled, OSError, ValueError) as error:
        raise RefusedMessage(NOT_FETCHED) from error


def check_place(text: str) -> None:
    """Raises RefusedMessage for what is never fetched, without a look at a file or a server."""
    try:
        url = urlsplit(text) if text.isprintable() and " " not in text else None
    except ValueError:
        url = None
    if url is None or url.scheme not in ("file", "http"):
        raise RefusedMessage("an address that is neither file: nor http:")
    if url.scheme == "http" and not is_here(text):
        raise RefusedMessage(f"a file of another machine ({(url.hostname or '')[:60]})")
    if url.scheme == "file" and url.netloc not in ("", "localhost"):
        raise RefusedMessage("a file of another machine")  # which Windows would ask
    if url.scheme == "file":
        _check_inside(Path(os.path.normpath(_local(url.path))))


def _check_inside(path: Path) -> None:
    homes = (Path.home(), Path(tempfile.gettempdir()))
    if not any(path.is_relative_to(each) for home in homes for each in (home, home.resolve())):
        raise RefusedMessage(
            "a file outside your home folder: open it yourself if you want to see it"
        )


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    try:
        while piece := file.read(PIECE):
            yield piece
    except OSError as error:
        raise RefusedMessage("a file that cannot be read") from error


def _opened(name: str) -> BinaryIO:
    """A regular file, which may be a link to one. Raises RefusedMessage."""
    try:
        path = Path(name).resolve(strict=True)
        _check_inside(path)
        # Without O_NONBLOCK, opening a pipe would wait for somebody to write to it.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        number = os.open(path, flags)
    except (OSError, ValueError, RuntimeError) as error:
        raise RefusedMessage("a file that cannot be read") from error
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise RefusedMessage("something that is not a file")
    return os.fdopen(number, "rb")


def _local(path: str) -> str:
    name = unquote(path)
    has_drive = os.name == "nt" and len(name) > 2 and name[0] == "/" and name[2] == ":"
    return name[1:] if has_drive else name


def _copied(
    pieces: Iterator[bytes],
    offered: FileOffered,
    folder: Path,
    most: int,
    should_stop: Callable[[], bool],
) -> Path:
    until = time.monotonic() + TOTAL_S
    start = b""
    for piece in pieces:
        start += piece
        if len(start) >= START or time.monotonic() > until:
            break
    suffix = _suffix(start, offered.mtype)
    unfinished, digest, size = None, hashlib.sha256(), 0
    try:
        folder.mkdir(parents=True, exist_ok=True)
        most = min(most, shutil.disk_usage(folder).free // FREE_SHARE)
        number, name = tempfile.mkstemp(dir=folder, prefix="partial-")
        unfinished = Path(name)
        with os.fdopen(number, "wb") as out:
            for piece in chain([start], pieces):
                size += len(piece)
                if size > most:
                    raise RefusedMessage(_too_large(most))
                if time.monotonic() > until or should_stop():
                    raise RefusedMessage(NOT_FETCHED)
                digest.update(piece)
                out.write(piece)
        copy = folder / f"{_stem(offered.name)}-{digest.hexdigest()[:8]}{suffix}"
        unfinished.replace(copy)
    except OSError as error:
        raise RefusedMessage("its file could not be stored here") from error
    finally:
        if unfinished is not None:
            with suppress(FileNotFoundError):
                unfinished.unlink()
    return copy


def _suffix(start: bytes, mtype: str) -> str:
    """By what the file begins with. Raises RefusedMessage: a key or a mail is not copied."""
    if start.startswith(GZIP_START) and mtype != LOAD_VOTABLE:
        with suppress(zlib.error):
            if zlib.decompressobj(31).decompress(start, START).startswith(FITS_START):
                return ".fits.gz"
    text = start[:START].lstrip(b"\xef\xbb\xbf \t\r\n")
    is_votable = text.startswith(b"<") and b"VOTABLE" in text.upper()
    if start.startswith(FITS_START) and mtype != LOAD_VOTABLE:
        return ".fits"
    if is_votable and mtype != LOAD_FITS:
        return ".vot"
    if mtype in (LOAD_VOTABLE, LOAD_FITS):
        raise RefusedMessage("a file that is not a table of the kind it says")
    raise RefusedMessage("a file that is neither FITS nor VOTable")


def _stem(name: str) -> str:
    kept = "".join(c if c.isalnum() or c in "-+." else "_" for c in name)
    return kept.strip("._")[:MAX_STEM] or "received"


def _too_large(most: int) -> str:
    return f"a file of more than {most / 1e6:,.0f} MB"
