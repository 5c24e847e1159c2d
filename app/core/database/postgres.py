"""The storage of a team session: a PostgreSQL database, given as a URL."""

from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from app.core.database import error_messages
from app.core.database.locations import shown_location
from app.core.database.tables import metadata, prepare_for_postgresql
from app.core.errors import SessionError

TEAM_LOCK = 0x53334F33  # key of the advisory lock held while tables are created or upgraded
MAX_CONNECTIONS = 32

PROGRAM = "spec-o3 "
OWN_NAME = f"{PROGRAM}{uuid4().hex[:16]}"
"""Tells the connections of this process from those of others."""

# Detect a lost server within seconds instead of the system's default of two hours.
CONNECT_DEFAULTS = {
    "application_name": OWN_NAME,
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}


class TeamDatabase:
    """A pool of connections to the server, opened when needed and reopened when lost."""

    def __init__(self, url: str) -> None:
        parsed = _parse(url)
        self.location = shown_location(parsed.render_as_string(hide_password=False))
        missing = {key: value for key, value in CONNECT_DEFAULTS.items() if key not in parsed.query}
        full = parsed.set(drivername="postgresql+psycopg").update_query_dict(missing)
        try:
            engine = create_engine(
                full,
                pool_pre_ping=True,
                pool_size=3,
                max_overflow=MAX_CONNECTIONS - 3,
                pool_timeout=error_messages.BUSY_TIMEOUT_S,
                pool_use_lifo=True,
            )
        except ImportError as error:
            raise SessionError(
                'sessions in PostgreSQL need a driver: pip install "spec-o3-workbench[teams]"'
            ) from error
        self._strange: frozenset[str] | None = None
        """Tables there before ours, if this object creates those."""
        self._was_created = False
        prepare_for_postgresql()
        _set_up_connections(engine)
        error_messages.translate_driver_errors(engine)
        self._engine = engine
        # Independent of the server's defaults: a writer sees everything committed before it took
        # its locks, and a reader sees one consistent snapshot.
        self.writer: Engine = engine.execution_options(isolation_level="READ COMMITTED")
        self.readers: Engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    @property
    def address(self) -> str:
        """The URL with its password, made when asked for: no attribute holds it in the clear."""
        return self._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    def version(self, connection: Connection, *, is_writing: bool) -> int:
        """Version of the tables, 0 for none. A writer locks out others who would create them."""
        if is_writing:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": TEAM_LOCK})
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise SessionError(
                f"{self.location} has the text encoding {encoding}. Sessions need UTF8"
            )
        if connection.execute(text("SELECT to_regclass('facts')")).scalar_one() is None:
            self._strange = frozenset(inspect(connection).get_table_names())
            return 0
        found = connection.execute(text("SELECT value FROM facts WHERE key = 'tables'")).scalar()
        if found is None or not str(found).isdecimal():
            raise SessionError(f"{self.location} contains tables of another program")
        return int(found)

    def set_version(self, connection: Connection, version: int) -> None:
        """Nothing to do: `Database` stores the version among the facts."""

    def after_open(self) -> None:
        self._was_created = self._strange is not None

    def check_intact(self) -> None:
        pass

    def needs_repair(self) -> bool:
        return False

    def repair(self) -> None:
        pass

    def copy_to(self, path: Path) -> None:
        raise SessionError(f"{self.location} is on a server. Use the server's own backups")

    def close(self) -> None:
        self._engine.dispose()

    def discard(self) -> None:
        """Close it, and delete the tables that this object created if nobody else uses them."""
        if self._was_created:
            # Why it is unwanted is what the user is told, not that something was left behind.
            with (
                suppress(DBAPIError, SessionError),
                self.writer.connect() as connection,
                connection.begin(),
            ):
                if not count_other_programs(connection):
                    strange = self._strange or frozenset()
                    ours = [each for each in metadata.sorted_tables if each.name not in strange]
                    metadata.drop_all(connection, ours)
        self.close()


def count_other_programs(connection: Connection) -> int:
    """How many connections other running copies of this program have; no new one can come.

    They cannot until the transaction ends, as they take the same lock when they open the session.
    """
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": TEAM_LOCK})
    query = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
        "AND starts_with(application_name, :program) AND application_name <> :own"
    )
    return int(connection.execute(query, {"program": PROGRAM, "own": OWN_NAME}).scalar_one())


def _parse(url: str) -> URL:
    # Neither the URL nor the original error may appear in the message: both can hold a password.
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise SessionError("this is neither a session file nor a database URL") from None
    if parsed.get_backend_name() != "postgresql":
        raise SessionError("a shared session needs PostgreSQL: postgresql://host/database")
    if "@" in f"{parsed.host}{parsed.database}":
        raise SessionError("in a database URL, write an @ in the password or name as %40")
    return parsed


def _set_up_connections(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        # Make sure that committed data is on the server's disk.
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.execute(f"SET lock_timeout = {round(error_messages.BUSY_TIMEOUT_S * 1000)}")
        connection.autocommit = False
