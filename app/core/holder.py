"""One writer for a session file: who has it open is written beside it, and locked.

The lock is the system's, so it goes with the program that held it, however that ended.
"""

from __future__ import annotations

import getpass
import json
import os
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from agent.checked_toml import printable
from app.core.errors import SessionError, SessionHeldError

KEYS = ("user", "host", "process", "since")
MAX_BYTES = 2000
TRIES = 5


class Hold:
    """Held from construction to `release`."""

    def __init__(self, session: Path) -> None:
        self.path = session.with_name(f".{session.name}.lock")
        self._file = self._locked(session)

    def release(self) -> None:
        """Let another program write. The file goes first, while it is still ours."""
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            self._file.close()

    def _locked(self, session: Path) -> IO[bytes]:
        for _ in range(TRIES):
            try:
                file = self.path.open("a+b")
            except OSError as error:
                raise SessionError(
                    f"{session.parent} cannot be written ({error.strerror}): open the session "
                    "read-only, or copy it to another folder"
                ) from error
            if not _lock(file):
                holder = _read_holder(file)
                file.close()
                raise SessionHeldError(
                    f"{session} is open in another program: {holder}. Close it there, or open it "
                    "read-only",
                    holder,
                )
            if self._is_current(file):
                _write_holder(file)
                return file
            file.close()  # its holder removed it while we came
        raise SessionError(f"{session} is opened and closed by other programs all the time")

    def _is_current(self, file: IO[bytes]) -> bool:
        try:
            there = self.path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(file.fileno()))


if sys.platform == "win32":
    import msvcrt

    # Beyond what is written there: a locked byte cannot be read by others on Windows.
    _BYTE = 1_000_000

    def _lock(file: IO[bytes]) -> bool:
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _lock(file: IO[bytes]) -> bool:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True


def _write_holder(file: IO[bytes]) -> None:
    about = {
        "user": _user(),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    file.seek(0)
    file.truncate()
    file.write(json.dumps(about).encode())
    file.flush()


def _read_holder(file: IO[bytes]) -> str:
    with suppress(OSError, ValueError):
        file.seek(0)
        about = json.loads(file.read(MAX_BYTES))
        if isinstance(about, dict):
            words = [
                f"{key} {about[key]}"
                for key in ("user", "host", "process", "since")
                if key in about
            ]
            return printable(", ".join(words), 200)
    return "somebody who left no name"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a user without a name, as in some containers
        return "unknown"
