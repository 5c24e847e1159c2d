"""The storage of a personal session: a `*.speco3` file (SQLite).

WAL with synchronous FULL makes sure that committed data is on the disk. The class also notices
when other programs move, replace or truncate the file while it is open.

No other code may open the file: closing any handle of this process would drop SQLite's POSIX
locks on it, and another program could then delete files that SQLite still needs.
"""

import os
import sqlite3
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Literal
from weakref import WeakSet

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import QueuePool, StaticPool

from agent.atomic_file import atomic_path
from app.core.database import error_messages
from app.core.database.error_messages import UnreadableError
from app.core.database.file_lock import SessionLock
from app.core.errors import SessionError, disk_errors

APPLICATION_ID = 0x53334F33  # "S3O3"
HEADER_BYTES = 100
MAX_VALUE_BYTES = 130 * 1024**2
"""SQLite refuses longer texts, blobs and rows; its own limit is a gigabyte."""
APPLICATION_ID_AT = 68
WAL_HEADER_BYTES, FRAME_HEADER_BYTES = 32, 24
MAX_FRAMES = 100_000
MAX_READERS = 32
SIDE_SUFFIXES = ("-wal", "-shm")
WRITER_PRAGMAS = ("journal_mode = WAL", "synchronous = FULL", "fullfsync = ON", "foreign_keys = ON")

Mode = Literal["create", "write", "read"]
Identity = tuple[int, int]


class SessionFile:
    """An open session file: one connection for writing and several for reading.

    Only `readers` and `needs_repair` may be used by several threads at once.
    """

    def __init__(self, path: Path, mode: Mode) -> None:
        self.location = path
        self._mode = mode
        self._lock: SessionLock | None = None
        self._was_created = False
        self._identity: Identity | None = None
        self._side_identities: list[Identity | None] = []
        self._size = 0
        try:
            # Resolve links now: SQLite names the -wal and -shm files after the real file.
            self._path = Path(os.path.realpath(path))
            with error_messages.translate_errors(path):
                self._create() if mode == "create" else self._open()
        except (OSError, ValueError) as error:
            self._release(is_unwanted=True)
            reason = error.strerror if isinstance(error, OSError) else "not a valid file name"
            raise SessionError(f"{path} cannot be opened: {reason}") from error
        except BaseException:
            self._release(is_unwanted=True)
            raise
        self.writer = _engine(self._writing_connection, "BEGIN IMMEDIATE", poolclass=StaticPool)
        self.readers = _engine(
            self._reading_connection,
            "BEGIN",
            poolclass=QueuePool,
            pool_size=3,
            max_overflow=MAX_READERS - 3,
            pool_timeout=error_messages.BUSY_TIMEOUT_S,
            pool_use_lifo=True,
        )

    @property
    def address(self) -> Path:
        return self.location

    def version(self, connection: Connection, *, is_writing: bool) -> int:
        """Version of the tables, 0 for none."""
        found = int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
        if found > 0 or self._mode == "create":
            return found
        # Creation writes the version last; without one, advise to delete only what is empty.
        tables = connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema").scalar_one()
        if tables:
            raise SessionError(
                f"{self.location} is damaged: its version number is missing, but it may hold "
                "verdicts. Keep it, and open a backup or ask for a copy"
            )
        raise SessionError(
            f"{self.location} is incomplete: its creation was interrupted. Delete it"
        )

    def set_version(self, connection: Connection, version: int) -> None:
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")

    def after_open(self) -> None:
        """Remember the file's identity, now that its side files exist too."""
        try:
            stat = self._path.stat()
        except OSError as error:
            raise SessionError(
                f"{self.location} was moved or deleted while it was opened"
            ) from error
        self._identity = (stat.st_dev, stat.st_ino)
        self._size = stat.st_size
        self._side_identities = self._read_side_identities()

    def check_intact(self) -> None:
        """Refuse to write to a file that was moved, deleted, replaced or truncated."""
        if change := self._external_change():
            self._checkpoint("PASSIVE")
            raise SessionError(f"{self.location} {change}. No more changes are written to it")

    def needs_repair(self) -> bool:
        """Whether the -wal or -shm file was deleted or replaced, or the file cut short.

        For any thread.
        """
        if os.name == "nt":
            return False
        return self._is_cut_short() or self._read_side_identities() != self._side_identities

    def _is_cut_short(self) -> bool:
        """Of which nobody would hear while what is read is still in memory."""
        known = self._size  # before the look at the file, which another thread may let grow
        with suppress(OSError):  # moved or deleted: what is open can still be read
            stat = self._path.stat()
            return (stat.st_dev, stat.st_ino) == self._identity and stat.st_size < known
        return False

    def repair(self) -> None:
        """Copy the deleted WAL's content into the file and reconnect.

        Further commits into the deleted WAL would be lost when this program ends.
        """
        self.check_intact()
        if self._mode != "read" and not self._checkpoint("TRUNCATE"):
            raise SessionError(
                f"{self.location}: its {side_file(self._path, '-wal').name} was deleted while "
                "it was open, and another program is still reading it. Nothing was lost. Try again"
            )
        self.writer.dispose()
        self.readers.dispose()
        source = self.readers if self._mode == "read" else self.writer
        with source.connect() as connection, connection.begin():
            connection.exec_driver_sql("PRAGMA user_version").all()
        self.after_open()

    def copy_to(self, path: Path) -> None:
        """Save a complete copy, even if the file itself was deleted."""
        if path.exists():
            raise SessionError(f"{path} already exists. Choose another name")
        engine = self.readers if self._mode == "read" else self.writer
        with (
            closing(engine.raw_connection()) as pooled,
            disk_errors(path),
            atomic_path(path) as part,
            closing(sqlite3.connect(part)) as target,
        ):
            _driver_connection(pooled).backup(target)

    def close(self) -> None:
        if self._mode != "read":
            self._checkpoint("TRUNCATE", patience_s=0)
        self._end(is_unwanted=False)

    def discard(self) -> None:
        """Close it, and delete the file if this object created it."""
        self._end(is_unwanted=True)

    def _end(self, *, is_unwanted: bool) -> None:
        self.readers.dispose()
        self.writer.dispose()
        self._release(is_unwanted=is_unwanted)

    def _release(self, *, is_unwanted: bool) -> None:
        if is_unwanted and self._was_created:
            for suffix in ("", *SIDE_SUFFIXES):
                with suppress(OSError):
                    side_file(self._path, suffix).unlink()
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    def _create(self) -> None:
        exists = f"{self.location} already exists. Open it or choose another name"
        if self._path.exists():
            raise SessionError(exists)
        if not self._path.parent.is_dir():
            raise SessionError(f"{self._path.parent} is not a folder. Create it first")
        old_log = side_file(self._path, "-wal")
        if file_size(old_log):
            raise SessionError(f"{old_log} belongs to a session that is gone. Move it away first")
        self._lock = SessionLock(self._path)
        try:
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o666))
        except FileExistsError as error:
            raise SessionError(exists) from error
        self._was_created = True
        with closing(connect(self._path, "rw")) as connection:
            # Before WAL mode: otherwise the id would stay in the WAL until the next checkpoint.
            run_pragma(connection, f"application_id = {APPLICATION_ID}")

    def _open(self) -> None:
        if not self._path.is_file():
            raise SessionError(f"{self.location} does not exist or is not a file")
        refuse_other_files(self._path, self.location)
        if self._mode == "write":
            if not os.access(self._path, os.W_OK):
                raise SessionError(
                    f"{self.location} is not writable. Open it read-only or change its permissions"
                )
            if self._path.stat().st_nlink > 1:  # the -wal file depends on the name
                raise SessionError(
                    f"{self.location} has a second name (a hard link), and changes made under one "
                    "name could be lost under the other. Open a copy of it"
                )
            self._lock = SessionLock(self._path)
            refuse_foreign_log(self._path, self.location)

    def _writing_connection(self) -> sqlite3.Connection:
        return self._checked(connect(self._path, "rw"), WRITER_PRAGMAS)

    def _reading_connection(self) -> sqlite3.Connection:
        if self._mode == "read":
            return self._checked(connect_read_only(self._path, self.location), ())
        return self._checked(connect(self._path, "rw"), ("query_only = ON",))

    def _checked(
        self, connection: sqlite3.Connection, pragmas: tuple[str, ...]
    ) -> sqlite3.Connection:
        """Set up a new connection, after a check that the file is still the same one."""
        try:
            if self._identity is not None and (change := self._external_change()):
                raise SessionError(f"{self.location} {change}")
            for pragma in pragmas:
                run_pragma(connection, pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    def _external_change(self) -> str:
        """What another program did to the open file, or an empty string."""
        if os.name == "nt":  # Windows lets nobody delete or replace an open file
            return ""
        try:
            stat = self._path.stat()
        except OSError:
            return "was moved or deleted while it was open: put it back or save a copy now"
        if (stat.st_dev, stat.st_ino) != self._identity:
            return "was replaced by another file while it was open: save a copy now"
        if stat.st_size < self._size:
            self._size = sys.maxsize  # for good: what the log holds may let it grow, with holes
            return "was truncated by another program while it was open: open a backup"
        self._size = stat.st_size
        return ""

    def _checkpoint(self, how: str, patience_s: float | None = None) -> bool:
        """Copy the WAL's content into the file; False if that failed."""
        try:
            with closing(self.writer.raw_connection()) as pooled:
                connection = _driver_connection(pooled)
                if patience_s is not None:
                    run_pragma(connection, f"busy_timeout = {round(patience_s * 1000)}")
                is_busy = run_pragma(connection, f"wal_checkpoint({how})")
        except (sqlite3.Error, SQLAlchemyError, SessionError):
            return False
        return not is_busy

    def _read_side_identities(self) -> list[Identity | None]:
        return [_identity(side_file(self._path, suffix)) for suffix in SIDE_SUFFIXES]


def _identity(path: Path) -> Identity | None:
    """What tells a file from others; None if there is none."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _engine(connect: Any, begin: str, **pool: Any) -> Engine:
    engine = create_engine("sqlite://", creator=connect, **pool)
    error_messages.translate_driver_errors(engine)

    # The driver would begin transactions late and without a lock; begin explicitly instead.
    @event.listens_for(engine, "begin")
    def begin_at_once(connection: Connection) -> None:
        connection.exec_driver_sql(begin)

    # A result that is not read to its end would pin this connection to an old snapshot, also for
    # its later users. So close all cursors when the connection returns to the pool.
    @event.listens_for(engine, "after_cursor_execute")
    def note(connection: Connection, cursor: Any, *_: Any) -> None:
        connection.info.setdefault("cursors", WeakSet()).add(cursor)

    @event.listens_for(engine, "checkin")
    def end_all(_connection: Any, record: Any) -> None:
        for cursor in list(record.info.pop("cursors", ())):
            cursor.close()

    return engine


def _driver_connection(pooled: Any) -> sqlite3.Connection:
    connection = pooled.driver_connection
    assert isinstance(connection, sqlite3.Connection)
    return connection


# Opens a session file with SQLite, after checks that it is one.
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
