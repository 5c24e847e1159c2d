"""Opens a session file with SQLite, after checks that it is one.

No other code may open the file: closing any handle of this process would drop SQLite's POSIX
locks on it, and another program could then delete files that SQLite still needs.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from app.core.database import error_messages
from app.core.database.error_messages import UnreadableError
from app.core.errors import SessionError

APPLICATION_ID = 0x53334F33  # "S3O3"
HEADER_BYTES = 100
MAX_VALUE_BYTES = 130 * 1024**2
"""SQLite refuses longer texts, blobs and rows; its own limit is a gigabyte."""
APPLICATION_ID_AT = 68
WAL_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
MAX_FRAMES = 100_000


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect with settings for an untrusted schema: a session may come from anybody."""
    uri = path.as_uri()
    if not uri.startswith("file:///"):  # SQLite wants a Windows share as a path, not as a host
        uri = uri.replace("file:", "file://", 1)
    connection = sqlite3.connect(
        f"{uri}?mode={mode}",
        uri=True,
        timeout=error_messages.BUSY_TIMEOUT_S,
        check_same_thread=False,
        isolation_level=None,
    )
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
        run_pragma(connection, pragma)
    return connection


def run_pragma(connection: sqlite3.Connection, pragma: str) -> Any:
    """Run a pragma and return the first value of its result, or None."""
    try:
        row = connection.execute(f"PRAGMA {pragma}").fetchone()
    except UnicodeDecodeError as error:
        raise UnreadableError from error
    return None if row is None else row[0]


# SQLite error names for a -shm file that cannot be made: in a read-only folder, on a full disk.
NO_SIDE_FILE = ("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR_SHM", "SQLITE_FULL")


def connect_read_only(path: Path, location: Path) -> sqlite3.Connection:
    has_log = file_size(side_file(path, "-wal")) > 0
    connection = connect(path, "ro" if has_log or not _may_tidy(path) else "rw")
    try:
        run_pragma(connection, "query_only = ON")
        run_pragma(connection, "schema_version")
    except sqlite3.OperationalError as error:
        connection.close()
        if not error.sqlite_errorname.startswith(NO_SIDE_FILE):
            raise
        # Without a WAL beside it, the file alone is complete and can be opened as immutable.
        if not has_log:
            return connect(path, "ro&immutable=1")
        if error.sqlite_errorname.startswith(("SQLITE_IOERR_SHM", "SQLITE_FULL")):
            raise
        raise SessionError(
            f"{location} cannot be read in a read-only folder: copy it together with "
            f"{side_file(path, '-wal').name} to a folder of your own"
        ) from error
    except BaseException:
        connection.close()
        raise
    return connection


def _may_tidy(path: Path) -> bool:
    """Whether SQLite may open the file for writing, which removes its side files when it closes.

    With a rollback journal beside the file that would change the file.
    """
    if file_size(side_file(path, "-journal")):
        return False
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def refuse_other_files(path: Path, location: Path) -> None:
    """Refuse a file that is not a session, before SQLite reads more than its header."""
    found, page = None, 1
    if file_size(path) >= HEADER_BYTES:
        with closing(connect(path, "ro&immutable=1")) as connection:
            # After a crash during a checkpoint the file can be shorter than its header says.
            # This pragma makes SQLite read the header all the same.
            connection.execute("PRAGMA writable_schema = ON")
            try:
                found = run_pragma(connection, "application_id")
                page = run_pragma(connection, "page_size")
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorname != "SQLITE_NOTADB":
                    raise
    if found != APPLICATION_ID and _is_session_in_log(side_file(path, "-wal")):
        return
    if found is None and not file_size(path) and not file_size(side_file(path, "-wal")):
        raise SessionError(f"{location} is empty: its creation was interrupted. Delete it")
    if found is None:
        raise SessionError(f"{location} is not a session of Spec-o3 Workbench")
    if found != APPLICATION_ID:
        raise SessionError(f"{location} is a database of another program, not a session")
    if file_size(path) % page and not file_size(side_file(path, "-wal")):
        raise SessionError(f"{location} is truncated. Copy it again or open a backup")


def _is_session_in_log(log: Path) -> bool:
    """Whether the WAL holds a session's first page.

    A power cut while the log goes into the file can tear the first sector of the file. SQLite reads
    the page in the log instead.
    """
    if not file_size(log):
        return False
    with log.open("rb") as file:
        page = int.from_bytes(file.read(WAL_HEADER_BYTES)[8:12], "big")
        for number in range(MAX_FRAMES):
            file.seek(WAL_HEADER_BYTES + number * (FRAME_HEADER_BYTES + page))
            frame = file.read(FRAME_HEADER_BYTES + HEADER_BYTES)
            if len(frame) < FRAME_HEADER_BYTES + HEADER_BYTES:
                return False
            is_first_page = int.from_bytes(frame[:4], "big") == 1
            at = FRAME_HEADER_BYTES + APPLICATION_ID_AT
            if is_first_page and int.from_bytes(frame[at : at + 4], "big") == APPLICATION_ID:
                return True
    return False


def refuse_foreign_log(path: Path, location: Path) -> None:
    """Check that the WAL left by a crash belongs to the file, before SQLite replays it.

    It does not if somebody restored a backup beside the WAL of the newer file.
    """
    log = side_file(path, "-wal")
    if not file_size(log):
        return
    try:
        with closing(connect_read_only(path, location)) as connection:
            is_sound = run_pragma(connection, "quick_check(1)") == "ok"
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname not in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}:
            raise
        is_sound = False
    if not is_sound:
        raise SessionError(
            f"{location} and {log.name} beside it are damaged or belong to different sessions. "
            "Nothing was changed. Keep a copy of both and open a backup in another folder"
        )


def side_file(path: Path, suffix: str) -> Path:
    """The file that SQLite keeps beside the session; the suffix is -wal or -shm."""
    return path.with_name(path.name + suffix)


def file_size(path: Path) -> int:
    """Size in bytes; 0 if there is no file."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
