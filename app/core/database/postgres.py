"""Where a team's session lives: a PostgreSQL database, reached by a URL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError

from app.core.database import error_messages
from app.core.database.tables import prepare_for_postgresql
from app.core.errors import SessionError

TEAM_LOCK = 0x53334F33
"""PostgreSQL's advisory lock while tables are made or changed."""
MAX_CONNECTIONS = 32

# A server that is gone is noticed in seconds, not in the system's two hours.
PATIENCE = {
    "connect_timeout": "10",
    "keepalives_idle": "20",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
SECRETS = ("password", "sslpassword")


class TeamDatabase:
    """Connections to the server: made when needed, made again when lost."""

    def __init__(self, url: str) -> None:
        parsed = _parsed(url)
        self.location = _shown(parsed)
        missing = {key: value for key, value in PATIENCE.items() if key not in parsed.query}
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
                "sessions in PostgreSQL need a driver: pip install 'spec-o3-workbench[teams]'"
            ) from error
        prepare_for_postgresql()
        _set_up(engine)
        error_messages.translate_driver_errors(engine)
        self._engine = engine
        # Whatever the server's own defaults are: a writer sees what was committed before it took
        # its locks, a reader the state of one moment.
        self.writer: Engine = engine.execution_options(isolation_level="READ COMMITTED")
        self.readers: Engine = engine.execution_options(
            isolation_level="REPEATABLE READ", postgresql_readonly=True
        )

    def version(self, connection: Connection, *, is_writing: bool) -> int:
        """Of the tables there, 0 for none. A writer keeps others from making them meanwhile."""
        if is_writing:
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": TEAM_LOCK})
        encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
        if encoding != "UTF8":
            raise SessionError(
                f"{self.location} keeps its text as {encoding}: have the database made with UTF8"
            )
        if connection.execute(text("SELECT to_regclass('facts')")).scalar_one() is None:
            return 0
        found = connection.execute(text("SELECT value FROM facts WHERE key = 'tables'")).scalar()
        if found is None or not str(found).isdecimal():
            raise SessionError(f"{self.location} holds the tables of another program")
        return int(found)

    def set_version(self, connection: Connection, version: int) -> None:
        """The tables themselves say it: see `Database`."""

    def opened(self) -> None:
        pass

    def check(self) -> None:
        pass

    def needs_mending(self) -> bool:
        return False

    def mend(self) -> None:
        pass

    def copy_to(self, path: Path) -> None:
        raise SessionError(f"{self.location} is on a server, which has backups of its own")

    def close(self) -> None:
        self._engine.dispose()

    def discard(self) -> None:
        self.close()


def _parsed(url: str) -> URL:
    # No word of the URL in an error, nor the error it comes from: it may hold a password.
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise SessionError("that is neither a session file nor a database URL") from None
    if parsed.get_backend_name() != "postgresql":
        raise SessionError("a shared session lives in PostgreSQL: postgresql://host/database")
    if "@" in f"{parsed.host}{parsed.database}":
        raise SessionError("write an @ in a password or name of a database URL as %40")
    return parsed


def _shown(parsed: URL) -> str:
    hidden = {key: "***" for key in SECRETS if key in parsed.query}
    return parsed.update_query_dict(hidden).render_as_string(hide_password=True)


def _set_up(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def set_up(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        # What the server has said is committed is on its disk.
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.execute(f"SET lock_timeout = {round(error_messages.BUSY_TIMEOUT_S * 1000)}")
        connection.autocommit = False
