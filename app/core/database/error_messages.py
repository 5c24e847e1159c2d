"""Turns database errors into messages for the user."""

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
# How long to wait for another writer before we report an error.
BUSY_TIMEOUT_S = 10.0

FORBIDDEN = "42501"  # PostgreSQL's code for what the user has no right to
_BUSY = "another program is writing to it. Nothing was lost. Try again"
_FULL = "the disk is full. Nothing was lost. Free some space and try again"
_DAMAGED = "the file is damaged. Open a copy or a backup"
_NO_ANSWER = "the database server does not answer ({words}). Try again"

# By the prefix of SQLite's error name.
_SQLITE_MESSAGES = (
    ("SQLITE_FULL", _FULL),
    ("SQLITE_IOERR_SHMSIZE", _FULL),
    (
        "SQLITE_READONLY",
        "it is not writable. Nothing was lost. Check the permissions of the file and its folder",
    ),
    ("SQLITE_BUSY", _BUSY),
    ("SQLITE_LOCKED", _BUSY),
    ("SQLITE_PROTOCOL", _BUSY),
    ("SQLITE_CORRUPT", _DAMAGED),
    ("SQLITE_NOTADB", _DAMAGED),
    ("SQLITE_FORMAT", _DAMAGED),
    ("SQLITE_IOERR", "the disk reported an error. Nothing was lost. Check the disk and try again"),
    ("SQLITE_CANTOPEN", "it cannot be opened. Check the permissions of the file and its folder"),
    (
        "SQLITE_NOMEM",
        "there is not enough memory. Nothing was lost. Close other programs and try again",
    ),
    ("SQLITE_TOOBIG", "a value in it is too large"),
    ("SQLITE_CONSTRAINT", "that contradicts the data in it ({words})"),
)

# By the prefix of PostgreSQL's error code, longer prefixes first.
_POSTGRES_MESSAGES = (
    ("08", _NO_ANSWER),
    ("57P", _NO_ANSWER),
    ("28", "the database server refused the login ({words})"),
    ("3D000", "the server has no such database. Ask for it to be created ({words})"),
    ("53100", "the server's disk is full. Nothing was lost. Free some space there and try again"),
    ("53300", "the server accepts no more connections. Try again later ({words})"),
    ("55P03", _BUSY),
    ("57014", _BUSY),
    ("40", _BUSY),
    (FORBIDDEN, "you do not have permission for that ({words})"),
    ("25006", "the database is read-only ({words})"),
    ("42P01", "a table or column of the session is missing ({words})"),
    ("42703", "a table or column of the session is missing ({words})"),
    ("23", "that contradicts the data in it ({words})"),
)


class UnreadableError(sqlite3.DatabaseError):
    """SQLite's own message quotes the damaged schema and is not valid UTF-8."""

    sqlite_errorname = "SQLITE_CORRUPT"


@contextmanager
def translate_errors(location: Path | str) -> Iterator[None]:
    """Raise every database error of the block as a SessionError that says what to do."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        raise SessionError(f"{location}: {explain(error)}") from error
    except TimeoutError as error:
        raise SessionError(f"{location}: too many readers at once. Try again") from error


def explain(error: DBAPIError | sqlite3.Error) -> str:
    """One line that says what is wrong and what to do."""
    driver_error: BaseException | None = error.orig if isinstance(error, DBAPIError) else error
    words = printable(str(driver_error).strip().split("\n")[0], MAX_WORDS)
    if isinstance(driver_error, sqlite3.Error):
        if "decode to UTF-8" in words:
            return _DAMAGED
        message = _lookup(_SQLITE_MESSAGES, getattr(driver_error, "sqlite_errorname", ""))
    else:
        code = getattr(driver_error, "sqlstate", None)
        is_lost = isinstance(error, DBAPIError) and error.connection_invalidated
        message = (
            _NO_ANSWER if is_lost else _lookup(_POSTGRES_MESSAGES, code or _guessed_code(words))
        )
    return (message or "the database says: {words}").replace("{words}", words)


def _guessed_code(words: str) -> str:
    """Guess a code for a failed connection, for which the server sent none."""
    signs = {
        "28": ("authentication failed", "no password supplied", "FATAL:  role "),
        "3D000": ("does not exist",),
        "53300": ("too many",),
        "08": ("connection", "timeout", "resolve"),
    }
    return next((code for code, some in signs.items() if any(sign in words for sign in some)), "")


def _lookup(table: tuple[tuple[str, str], ...], name: str) -> str | None:
    return next((message for prefix, message in table if name and name.startswith(prefix)), None)


def translate_driver_errors(engine: Engine) -> None:
    """Also translate the plain Python errors that drivers raise for values they cannot store."""

    @event.listens_for(engine, "handle_error")
    def refuse(context: ExceptionContext) -> None:
        error = context.original_exception
        if isinstance(error, UnicodeDecodeError):
            raise UnreadableError from error
        if isinstance(error, UnicodeError):
            raise SessionError("text that is not valid Unicode cannot be stored") from error
        if isinstance(error, OverflowError):
            raise SessionError("a number is too large for a session") from error
