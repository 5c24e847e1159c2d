"""One writer for a session file: who has it open is written beside it, and locked.

The lock is the system's, so it goes with the program that held it, however that ended.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import stat
import sys
from contextlib import suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path

from agent.checked_toml import printable
from app.core.errors import SessionError, SessionHeldError
from app.core.user_name import system_user_name

KEYS = ("user", "host", "process", "since")
MAX_BYTES = 2000
TRIES = 5
TAKEN = {errno.EACCES, errno.EAGAIN}


class SessionLock:
    """Held from construction to `release`."""

    def __init__(self, session: Path) -> None:
        self.path = session.with_name(f".{session.name}.lock")
        self._file = self._locked(session)

    def release(self) -> None:
        """Let another program write. The file goes first, while it is still ours."""
        if self._file.closed:
            return
        with suppress(OSError):
            if self._is_current(self._file):  # somebody may have put another in its place
                self.path.unlink()
        with suppress(OSError):
            _unlock(self._file)
        with suppress(OSError):
            self._file.close()
        if os.name == "nt":  # no open file can be removed there: ours could not, nobody else's is
            with suppress(OSError):
                self.path.unlink()

    def _locked(self, session: Path) -> FileIO:
        for _ in range(TRIES):
            file = self._opened(session)
            try:
                if not _lock(file):
                    holder = _read_holder(file)
                    raise SessionHeldError(
                        f"{session} is open in another program: {holder}. Close it there, or open "
                        "it read-only",
                        holder,
                    )
                if self._is_current(file):
                    _write_holder(file)
                    return file
            except OSError as error:
                file.close()
                raise SessionError(
                    f"{session} cannot be kept from being written by two programs at once where it "
                    f"lies ({error.strerror}): take it to a disk of this computer"
                ) from error
            except BaseException:
                file.close()
                raise
            file.close()  # its holder removed it while we came
        raise SessionError(f"{session} is opened and closed by other programs all the time")

    def _opened(self, session: Path) -> FileIO:
        try:
            file = FileIO(self.path, "r+", opener=_opener)
        except OSError as error:
            raise SessionError(
                f"{session.parent} cannot be written ({error.strerror}): take another folder, or "
                "only look at the session (read-only)"
            ) from error
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise SessionError(f"{self.path} is no plain file: take it away")
        return file

    def _is_current(self, file: FileIO) -> bool:
        try:
            there = self.path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(file.fileno()))


def _opener(path: str, _flags: int) -> int:
    """Never through a link: it would have us write to where a stranger points."""
    names = ("O_BINARY", "O_NOINHERIT", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
    flags = sum(getattr(os, name, 0) for name in names)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)  # another user's, who may be gone by now


if sys.platform == "win32":
    import msvcrt

    # Beyond what is written there: a locked byte cannot be read by others on Windows.
    _BYTE = 1_000_000

    def _lock(file: FileIO) -> bool:
        """Whether nobody else has it. Another OSError: files cannot be locked there."""
        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            return False
        return True

    def _unlock(file: FileIO) -> None:
        file.seek(_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO) -> bool:
        """Whether nobody else has it. Another OSError: files cannot be locked there."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in TAKEN:
                raise
            return False
        return True

    def _unlock(file: FileIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _write_holder(file: FileIO) -> None:
    about = {
        "user": system_user_name("unknown"),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with suppress(OSError):  # it is held without a name as well: on a full disk, in another's file
        file.seek(0)
        file.truncate()
        file.write(json.dumps(about).encode())


def _read_holder(file: FileIO) -> str:
    with suppress(OSError, ValueError, RecursionError):
        file.seek(0)
        about = json.loads(file.read(MAX_BYTES))
        if isinstance(about, dict):
            words = [f"{key} {about[key]}" for key in KEYS if key in about]
            return printable(", ".join(words), 200)
    return "somebody who left no name"
