"""A session file opened by SQLite, once it is known to be one.

Nothing else opens it: closing it anywhere in this program would drop SQLite's locks on it, and
another program could then delete what SQLite still needs.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from app.core.database import error_messages
from app.core.database.error_messages import UnreadableError
from app.core.errors import SessionError

APPLICATION_ID = 0x53334F33  # "S3O3"
HEADER_BYTES = 100  # bytes


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """A session may come from a stranger: what its schema says is not to be trusted."""
    uri = path.as_uri()
    if not uri.startswith("file:///"):  # SQLite takes a Windows share as a path, not as a host
        uri = uri.replace("file:", "file://", 1)
    connection = sqlite3.connect(
        f"{uri}?mode={mode}",
        uri=True,
        timeout=error_messages.BUSY_TIMEOUT_S,
        check_same_thread=False,
        isolation_level=None,
    )
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON"):
        run_pragma(connection, pragma)
    return connection


def run_pragma(connection: sqlite3.Connection, pragma: str) -> Any:
    """The first thing SQLite answers, if any."""
    try:
        row = connection.execute(f"PRAGMA {pragma}").fetchone()
    except UnicodeDecodeError as error:
        raise UnreadableError from error
    return None if row is None else row[0]


def connect_read_only(path: Path, place: Path) -> sqlite3.Connection:
    connection = connect(path, "ro")
    try:
        run_pragma(connection, "schema_version")
    except sqlite3.OperationalError as error:
        connection.close()
        if not error.sqlite_errorname.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY")):
            raise
        # In a folder we may not write to there is no room for WAL's index. Without a WAL
        # beside it the file alone is complete.
        if file_size(side_file(path, "-wal")):
            raise SessionError(
                f"{place} cannot be read where it lies: copy it together with "
                f"{side_file(path, '-wal').name} to a folder of your own"
            ) from error
        return connect(path, "ro&immutable=1")
    except BaseException:
        connection.close()
        raise
    return connection


def refuse_other_files(path: Path, place: Path) -> None:
    """Refuse what is no session before SQLite makes anything of more than its header."""
    found, page = None, 1
    if file_size(path) >= HEADER_BYTES:
        with closing(connect(path, "ro&immutable=1")) as connection:
            # Without what its log holds the file can be shorter than its header says: a crash has
            # then met it while the log went into it. This lets SQLite read the header all the same.
            connection.execute("PRAGMA writable_schema = ON")
            try:
                found = run_pragma(connection, "application_id")
                page = run_pragma(connection, "page_size")
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorname != "SQLITE_NOTADB":
                    raise
    if found is None and not file_size(path) and not file_size(side_file(path, "-wal")):
        raise SessionError(f"{place} is empty, so it was never finished: delete it")
    if found is None:
        raise SessionError(f"{place} is not a session of Spec-o3 Workbench")
    if found != APPLICATION_ID:
        raise SessionError(f"{place} is a database of another program, not a session")
    if file_size(path) % page and not file_size(side_file(path, "-wal")):
        raise SessionError(f"{place} has been cut short: fetch it again, or open a backup")


def refuse_foreign_log(path: Path, place: Path) -> None:
    """What a crash left beside the file is about to go into it: see that the two fit.

    They do not where somebody put a backup back and left the log of the other beside it.
    """
    log = side_file(path, "-wal")
    if not file_size(log):
        return
    try:
        with closing(connect_read_only(path, place)) as connection:
            is_sound = run_pragma(connection, "quick_check(1)") == "ok"
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorname not in {"SQLITE_CORRUPT", "SQLITE_NOTADB"}:
            raise
        is_sound = False
    if not is_sound:
        raise SessionError(
            f"{place} and {log.name} beside it are damaged, or of different sessions. "
            "Nothing was changed: keep a copy of both, then open a backup elsewhere"
        )


def side_file(path: Path, suffix: str) -> Path:
    """What SQLite keeps beside the file, under its name and one of -wal and -shm."""
    return path.with_name(path.name + suffix)


def file_size(path: Path) -> int:
    """Bytes; 0 for no file."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
