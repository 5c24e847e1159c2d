"""A pool in PostgreSQL, with its spectra, so that people far apart need no common disk."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, make_url, text
from sqlalchemy.exc import ArgumentError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from agent.checked_toml import printable
from agent.errors import WorkbenchError
from agent.examples.examples import Example, read_examples, write_examples
from agent.json_lines import Entry, log_line
from agent.trajectory.trajectory import Trajectory
from agent.trajectory.trajectory_file import from_line, to_line
from train.review.pool_folder import Truths
from train.review.review_rules import (
    Review,
    Take,
    review_from,
    review_to_json,
    take_from,
    take_to_json,
)

WRITE_LOCK = 0x53334355
"""Key of the advisory lock of whoever writes; the server frees it when a program dies."""
LOCK_TIMEOUT_MS = 30_000
CONNECT_TIMEOUT_S = 10
VERSION = 2  # Of the tables. Those of 1 do not say it, and may lack some that came later.
TABLES = (
    "CREATE TABLE IF NOT EXISTS pool_about (version integer NOT NULL)",
    "CREATE TABLE IF NOT EXISTS pool_drafts (id bigserial PRIMARY KEY, line text NOT NULL)",
    "CREATE TABLE IF NOT EXISTS pool_spectra (sha256 text, task text, answer text NOT NULL, "
    "label text NOT NULL, content bytea NOT NULL, PRIMARY KEY (sha256, task))",
    "CREATE TABLE IF NOT EXISTS pool_log (id bigserial PRIMARY KEY, kind text NOT NULL, "
    "line text NOT NULL)",
    "CREATE TABLE IF NOT EXISTS pool_work (trajectory text, by_whom text, content text NOT NULL, "
    "PRIMARY KEY (trajectory, by_whom))",
)


class PoolDatabase:
    """The tables of one pool, with the methods of a `PoolFolder`. Any thread may use it."""

    sets: tuple[Path, ...] = ()  # None: the spectra are in a table.

    def __init__(self, url: str) -> None:
        self._engine, self.location = _connected(url)
        self._state = threading.local()
        self.example = lru_cache(maxsize=64)(self._example)

    @classmethod
    def open(cls, url: str, *, make: bool = False) -> PoolDatabase:
        """Open a pool, or `make` one where there is none.

        The tables of an older version of this program are brought up to date.
        """
        found = cls(url)
        try:
            version = found._version()
            if not (version or make):
                raise WorkbenchError(
                    f"{found.location} is not a pool: make one with `spec-o3-train curate import`"
                )
            if version < VERSION:
                with found.writing(), found._connection() as connection:
                    if found._version() < VERSION:  # or somebody else was quicker
                        for table in TABLES:
                            connection.execute(text(table))
                        row = {"version": VERSION}
                        connection.execute(text("INSERT INTO pool_about VALUES (:version)"), row)
        except BaseException:
            found.close()
            raise
        return found

    def trajectories(self) -> Iterator[Trajectory]:
        for (line,) in self._rows("SELECT line FROM pool_drafts ORDER BY id"):
            yield from_line(line)

    def reviews(self) -> Iterator[Review]:
        return self._log("review", review_from)

    def takes(self) -> Iterator[Take]:
        return self._log("take", take_from)

    def stamp(self) -> tuple[object, object]:
        query = "SELECT (SELECT max(id) FROM pool_drafts), (SELECT max(id) FROM pool_log)"
        drafts, log = self._rows(query)[0]
        return drafts, log

    @contextmanager
    def writing(self) -> Iterator[None]:
        """One transaction: all of it is on the server's disk when the block ends, or nothing."""
        with self._translated(), self._engine.begin() as connection:
            connection.execute(text(f"SET LOCAL lock_timeout = {LOCK_TIMEOUT_MS}"))
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": WRITE_LOCK})
            self._state.connection = connection
            try:
                yield
            finally:
                self._state.connection = None

    def add_reviews(self, reviews: Sequence[Review]) -> None:
        self._add_to_log("review", [review_to_json(each) for each in reviews])

    def add_take(self, take: Take) -> None:
        self._add_to_log("take", [take_to_json(take)])

    def add_trajectories(self, trajectories: Iterable[Trajectory]) -> None:
        lines = [{"line": to_line(each)} for each in trajectories]
        self._execute("INSERT INTO pool_drafts (line) VALUES (:line)", lines)

    def add_examples(self, examples: Iterable[Example]) -> None:
        """Add spectra with their answers; those that are there already stay as they are."""
        for each in examples:
            values = {"sha256": each.sha256, "task": each.task, "answer": each.answer}
            self._execute(
                "INSERT INTO pool_spectra (sha256, task, answer, label, content) "
                "VALUES (:sha256, :task, :answer, :label, :content) ON CONFLICT DO NOTHING",
                [{**values, "label": each.label, "content": _packed(each)}],
            )

    def truths(self) -> Truths:
        rows = self._rows("SELECT sha256, task, answer, label FROM pool_spectra")
        return {
            (sha256, task): {"answer": answer, "label": label}
            for sha256, task, answer, label in rows
        }

    def save_work(self, trajectory: str, by: str, content: str) -> None:
        statement = "DELETE FROM pool_work WHERE trajectory = :trajectory AND by_whom = :by"
        if content:
            statement = (
                "INSERT INTO pool_work VALUES (:trajectory, :by, :content) "
                "ON CONFLICT (trajectory, by_whom) DO UPDATE SET content = excluded.content"
            )
        self._execute(statement, [{"trajectory": trajectory, "by": by, "content": content}])

    def work(self, trajectory: str, by: str) -> str:
        query = "SELECT content FROM pool_work WHERE trajectory = :trajectory AND by_whom = :by"
        rows = self._rows(query, trajectory=trajectory, by=by)
        return str(rows[0][0]) if rows else ""

    def close(self) -> None:
        self._engine.dispose()

    def _version(self) -> int:
        """Version of the tables; 0 if there are none. Raises WorkbenchError for a newer one."""
        there = self._rows("SELECT to_regclass('pool_drafts'), to_regclass('pool_about')")[0]
        if there[0] is None:
            return 0
        rows = [] if there[1] is None else self._rows("SELECT max(version) FROM pool_about")
        version = int(rows[0][0] or 1) if rows else 1
        if version > VERSION:
            raise WorkbenchError(
                f"{self.location} was made by a newer version of this program (its tables have "
                f"version {version}, this one knows {VERSION}). Update Spec-o3 Workbench"
            )
        return version

    def _log(self, kind: str, entry_from: Callable[[object], Entry]) -> Iterator[Entry]:
        query = "SELECT id, line FROM pool_log WHERE kind = :kind ORDER BY id"
        for number, line in self._rows(query, kind=kind):
            try:
                yield entry_from(json.loads(line))
            except (ValueError, RecursionError, WorkbenchError) as error:
                where = f"{self.location}, entry {number} of its log"
                raise WorkbenchError(f"{where}: {printable(str(error), 160)}") from error

    def _add_to_log(self, kind: str, records: Sequence[object]) -> None:
        lines = [{"kind": kind, "line": log_line(each)} for each in records]
        self._execute("INSERT INTO pool_log (kind, line) VALUES (:kind, :line)", lines)

    def _example(self, sha256: str, task: str) -> Example:
        query = "SELECT content FROM pool_spectra WHERE sha256 = :sha256 AND task = :task"
        (content,) = self._rows(query, sha256=sha256, task=task)[0]
        return _unpacked(bytes(content))

    def _rows(self, query: str, **values: str) -> list[tuple[Any, ...]]:
        with self._connection() as connection:
            return [tuple(row) for row in connection.execute(text(query), values)]

    def _execute(self, statement: str, rows: Sequence[Mapping[str, object]]) -> None:
        if rows:
            with self._connection() as connection:
                connection.execute(text(statement), [dict(row) for row in rows])

    @contextmanager
    def _connection(self) -> Iterator[Connection]:
        """That of this thread's open `writing` block, or one of its own."""
        mine = getattr(self._state, "connection", None)
        if mine is not None:
            yield mine
            return
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", None) or error).splitlines()[0]
            raise WorkbenchError(f"{self.location} cannot be used: {reason}") from error


def _connected(url: str) -> tuple[Engine, str]:
    """The engine, and the address without its password."""
    # The original error may hold the password.
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):
        raise WorkbenchError("this is neither a folder nor a database URL") from None
    if parsed.get_backend_name() != "postgresql":
        raise WorkbenchError("a shared pool needs PostgreSQL: postgresql://host/database")
    try:
        # A connection for each act: a room is idle most of the time, and servers are restarted.
        full = parsed.set(drivername="postgresql+psycopg")
        if "connect_timeout" not in full.query:
            full = full.update_query_dict({"connect_timeout": str(CONNECT_TIMEOUT_S)})
        engine = create_engine(full, poolclass=NullPool)
    except ImportError as error:
        raise WorkbenchError(
            'pools in PostgreSQL need a driver: pip install "spec-o3-workbench[teams]"'
        ) from error
    return engine, parsed.set(password=None).render_as_string()


def _packed(one: Example) -> bytes:
    """A set with this example alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.parquet"
        write_examples(path, [one])
        return path.read_bytes()


def _unpacked(content: bytes) -> Example:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.parquet"
        path.write_bytes(content)
        return next(iter(read_examples(path)))
