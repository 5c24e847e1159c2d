"""What a database's own error means to whoever sits before it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import DBAPIError, TimeoutError

from agent.checked_toml import printable
from app.core.errors import SessionError

MAX_WORDS = 200
BUSY_TIMEOUT_S = 10.0
"""For others to finish what they write, before the user is told."""

_BUSY = "another program is writing to it. Nothing was lost: try again"
_DAMAGED = "the file is damaged: open a copy of it, or a backup"
_SILENT = "the database server does not answer ({words}). Try again"

# By the beginning of SQLite's name for the error.
_OF_A_FILE = (
    ("SQLITE_FULL", "the disk is full. Nothing was lost: make room, then do it again"),
    (
        "SQLITE_READONLY",
        "it cannot be written. Nothing was lost: check its and its folder's rights",
    ),
    ("SQLITE_BUSY", _BUSY),
    ("SQLITE_LOCKED", _BUSY),
    ("SQLITE_PROTOCOL", _BUSY),
    ("SQLITE_CORRUPT", _DAMAGED),
    ("SQLITE_NOTADB", _DAMAGED),
    ("SQLITE_FORMAT", _DAMAGED),
    (
        "SQLITE_IOERR",
        "the disk did not take or give it. Nothing was lost: check the disk, try again",
    ),
    ("SQLITE_CANTOPEN", "it cannot be opened: check the rights of the file and of its folder"),
    ("SQLITE_NOMEM", "memory ran out. Nothing was lost: close other programs, then try again"),
    ("SQLITE_TOOBIG", "that is too large to be kept"),
    ("SQLITE_CONSTRAINT", "that does not fit what it holds ({words})"),
)

# By the beginning of PostgreSQL's code for the error, the longer ones first.
_OF_A_SERVER = (
    ("08", _SILENT),
    ("57P", _SILENT),
    ("28", "the database server does not let you in ({words})"),
    ("3D000", "the server has no such database: have it made ({words})"),
    ("53100", "the server's disk is full. Nothing was lost: make room there, then do it again"),
    ("53300", "the server has no connection left. Try again later ({words})"),
    ("55P03", _BUSY),
    ("57014", _BUSY),
    ("40", _BUSY),
    ("42501", "you have no right to do that there ({words})"),
    ("25006", "it cannot be written there ({words})"),
    ("42P01", "it lacks what a session has ({words})"),
    ("42703", "it lacks what a session has ({words})"),
    ("23", "that does not fit what it holds ({words})"),
)


class UnreadableError(sqlite3.DatabaseError):
    """SQLite complains of a damaged schema in its very words, which are no text any more."""

    sqlite_errorname = "SQLITE_CORRUPT"


@contextmanager
def translate_errors(place: Path | str) -> Iterator[None]:
    """Let every error of the database come out as a SessionError that says what to do."""
    try:
        yield
    except DBAPIError as error:
        raise SessionError(f"{place}: {explain(error)}") from error
    except sqlite3.Error as error:
        raise SessionError(f"{place}: {explain(error)}") from error
    except TimeoutError as error:
        raise SessionError(f"{place}: too much is read from it at once. Try again") from error


def explain(error: DBAPIError | sqlite3.Error) -> str:
    """One line: what is the matter, and what to do."""
    own: BaseException | None = error.orig if isinstance(error, DBAPIError) else error
    words = printable(str(own).strip().split("\n")[0], MAX_WORDS)
    if isinstance(own, sqlite3.Error):
        if "decode to UTF-8" in words:
            return _DAMAGED
        found = _first(_OF_A_FILE, getattr(own, "sqlite_errorname", ""))
    else:
        code = getattr(own, "sqlstate", None)
        is_lost = isinstance(error, DBAPIError) and error.connection_invalidated
        found = _SILENT if is_lost else _first(_OF_A_SERVER, code or _guessed(words))
    return (found or "the database says: {words}").replace("{words}", words)


def _guessed(words: str) -> str:
    """What went wrong before the server gave a code; most often it was not reached at all."""
    signs = (
        ("authentication failed", "28"),
        ("no password supplied", "28"),
        ("FATAL:  role ", "28"),
        ("does not exist", "3D000"),
        ("too many", "53300"),
        ("connection", "08"),
        ("timeout", "08"),
        ("resolve", "08"),
    )
    return next((code for sign, code in signs if sign in words), "")


def _first(table: tuple[tuple[str, str], ...], name: str) -> str | None:
    return next((told for begin, told in table if name and name.startswith(begin)), None)


def translate_driver_errors(engine: Engine) -> None:
    """Values no database takes fail in its driver, with errors that are not the database's."""

    @event.listens_for(engine, "handle_error")
    def refuse(context: ExceptionContext) -> None:
        error = context.original_exception
        if isinstance(error, UnicodeDecodeError):
            raise UnreadableError from error
        if isinstance(error, UnicodeError):
            raise SessionError("text that is no valid Unicode cannot be kept") from error
        if isinstance(error, OverflowError):
            raise SessionError("a number is too large for a session") from error
