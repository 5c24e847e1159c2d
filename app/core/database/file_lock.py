"""Allows one writer per session file: a lock file beside it names the holder.

It uses the system's file locks, which end with the program that holds them, even after a crash.
"""

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
from app.core.reviewer_name import system_user_name

HOLDER_KEYS = ("user", "host", "process", "since")
MAX_BYTES = 2000
MAX_TRIES = 5
LOCKED_ERRNOS = {errno.EACCES, errno.EAGAIN}


class SessionLock:
    """The write lock of a session file, held from construction to `release`."""

    def __init__(self, session: Path) -> None:
        self.path = session.with_name(f".{session.name}.lock")
        self._file = self._acquire(session)

    def release(self) -> None:
        """Let another program write. The file is deleted while the lock is still held."""
        if self._file.closed:
            return
        with suppress(OSError):
            if self._is_current(self._file):  # it may have been replaced
                self.path.unlink()
        with suppress(OSError):
            _unlock(self._file)
        with suppress(OSError):
            self._file.close()
        # Windows deletes no open file: ours was still open above, and a new holder's is safe.
        if os.name == "nt":
            with suppress(OSError):
                self.path.unlink()

    def _acquire(self, session: Path) -> FileIO:
        for _ in range(MAX_TRIES):
            file = self._open_file(session)
            try:
                if not _try_lock(file):
                    holder = _read_holder(file)
                    raise SessionHeldError(
                        f"{session} is open in another program: {holder}. Close it there or open "
                        "it read-only",
                        holder,
                    )
                if self._is_current(file):
                    _write_holder(file)
                    return file
            except OSError as error:
                file.close()
                raise SessionError(
                    f"{session} cannot be locked against a second writer: its disk does not "
                    f"support locks ({error.strerror}). Move it to a local disk"
                ) from error
            except BaseException:
                file.close()
                raise
            file.close()  # its holder deleted it before we had locked it
        raise SessionError(f"other programs keep opening and closing {session}. Try again")

    def _open_file(self, session: Path) -> FileIO:
        try:
            file = FileIO(self.path, "r+", opener=_opener)
        except OSError as error:
            raise SessionError(
                f"{session.parent} is not writable ({error.strerror}). Use another folder or open "
                "the session read-only"
            ) from error
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise SessionError(f"{self.path} is not a regular file. Remove it")
        return file

    def _is_current(self, file: FileIO) -> bool:
        try:
            there = self.path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(file.fileno()))


def _opener(path: str, _flags: int) -> int:
    """Open without following symbolic links, which could point to any of the user's files."""
    names = ("O_BINARY", "O_NOINHERIT", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC")
    flags = sum(getattr(os, name, 0) for name in names)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError:
        return os.open(path, os.O_RDONLY | flags)  # the file may be left over from another user


if sys.platform == "win32":
    import msvcrt

    # Far behind the text: on Windows other programs cannot read a locked byte.
    _LOCKED_BYTE = 1_000_000

    def _lock(file: FileIO) -> None:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    def _unlock(file: FileIO) -> None:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: FileIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: FileIO) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_UN)


def _try_lock(file: FileIO) -> bool:
    """False if another program holds the lock. Raises OSError where files cannot be locked."""
    try:
        _lock(file)
    except OSError as error:
        if error.errno not in LOCKED_ERRNOS:
            raise
        return False
    return True


def _write_holder(file: FileIO) -> None:
    about = {
        "user": system_user_name("unknown"),
        "host": socket.gethostname(),
        "process": os.getpid(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    with suppress(OSError):  # without a name it still locks: on a full disk, or if not our file
        file.seek(0)
        file.truncate()
        file.write(json.dumps(about).encode())


def _read_holder(file: FileIO) -> str:
    with suppress(OSError, ValueError, RecursionError):
        file.seek(0)
        about = json.loads(file.read(MAX_BYTES))
        if isinstance(about, dict):
            words = [f"{key} {about[key]}" for key in HOLDER_KEYS if key in about]
            return printable(", ".join(words), 200)
    return "unknown user"
