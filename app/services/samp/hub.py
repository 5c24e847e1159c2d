"""Starts and ends our own hub, where no other runs."""

import os
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Self
from urllib.parse import unquote, urlsplit

from agent.child_process.start_child import child_command, end_child, start_child
from app.services.samp.library import SampError

CHILD, MODULE = "samp-hub", "app.services.samp.hub_child"
START_S = 30.0
STOP_S = 3.0
POLL_S = 0.1
MAX_WORD = 100
READY, TAKEN = b"ready", b"taken"  # what it says when it listens, and where another hub was quicker

PROFILE = "std-lockurl:"
MAX_BYTES = 64 * 1024


class OwnHub:
    """A hub that listens on 127.0.0.1 only and leaves no lock file behind. Any thread."""

    def __init__(self) -> None:
        try:
            # Its own session keeps Ctrl-C in a terminal from it: it ends when its input does.
            self._process = start_child(
                child_command(CHILD, ["-m", MODULE]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise SampError(f"the SAMP hub could not be started: {error}") from error
        self.pid = self._process.pid

    @classmethod
    def start(cls, should_stop: Callable[[], bool]) -> Self | None:
        """Start it and wait until it listens; None if another was quicker. Raises SampError."""
        hub, said = cls(), threading.Event()
        watcher = threading.Thread(target=hub._watch, args=(said, should_stop), name="SAMP hub")
        watcher.start()
        try:
            assert hub._process.stdout is not None
            word = hub._process.stdout.readline(MAX_WORD).strip()
        finally:
            said.set()
            watcher.join()
        if word == READY:
            return hub
        hub.stop()
        if word != TAKEN:
            raise SampError("the SAMP hub could not be started: it ended at once or took too long")
        return None

    def _watch(self, said: threading.Event, should_stop: Callable[[], bool]) -> None:
        """Kill it if it says nothing in time, or nobody waits for it any more."""
        until = time.monotonic() + START_S
        while not said.wait(POLL_S):
            if should_stop() or time.monotonic() > until:
                self._process.kill()
                return

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """Let it tell the programs that it ends and remove its lock file; else kill it."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        end_child(self._process, STOP_S)


# The file in which a SAMP hub says where it listens; it is believed only within this machine.
@dataclass(frozen=True)
class HubAddress:
    url: str
    secret: str


def lock_path() -> Path:
    """Where the lock file of the hub is, or would be. Raises SampError."""
    told = os.environ.get("SAMP_HUB", "")
    if not told:
        return Path.home() / ".samp"
    url = urlsplit(told.removeprefix(PROFILE))
    if not told.startswith(PROFILE) or url.scheme != "file" or url.netloc not in ("", "localhost"):
        raise SampError("SAMP_HUB names no file of this machine: only such a hub is used")
    return Path(unquote(url.path))


def read_lock_file() -> HubAddress | None:
    """The hub that the lock file names; None without one. Raises SampError."""
    path = lock_path()
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        raise SampError(f"{path.name}: the file of the SAMP hub cannot be read") from error
    pairs = (line.partition("=") for line in text.splitlines() if not line.startswith("#"))
    values = {key.strip(): value.strip() for key, _, value in pairs}
    url = values.get("samp.hub.xmlrpc.url", "").replace("\\", "")
    secret = values.get("samp.secret", "")
    if not url or not secret:
        return None
    if not is_here(url):
        raise SampError(f"the SAMP hub of {path} is not on this machine: it is not used")
    return HubAddress(url, secret)


def is_here(url: str) -> bool:
    """Whether an http URL leads to this machine itself, without a look at the network."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "http" or not (1 <= (parts.port or 80) <= 65535):
            return False
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
