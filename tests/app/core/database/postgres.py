"""A PostgreSQL server of the tests' own: one for each worker of pytest, gone with it."""

import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tests.processes import LONG_S

SETTINGS = {
    "listen_addresses": "", "fsync": "off", "full_page_writes": "off", "autovacuum": "off",
    "jit": "off", "shared_buffers": "32MB", "max_connections": "80", "log_checkpoints": "off",
    "log_min_error_statement": "panic", "log_min_messages": "log",
}  # fmt: skip
EMPTIED = """
    ALTER DATABASE {name} RESET ALL;
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid();
    DROP SCHEMA public CASCADE;
    CREATE SCHEMA public AUTHORIZATION pg_database_owner;
    GRANT USAGE ON SCHEMA public TO PUBLIC
"""
USES = 30
"""Of one database, whose system tables grow each time, as nothing vacuums them."""
READY = b"ready to accept connections"


class Cluster:
    """A running server, reached by a socket in a folder of its own."""

    def __init__(self, folder: Path, as_user: list[str], programs: Path) -> None:
        self.folder, self._programs = folder, programs
        self.as_user = as_user
        """What stands before a command that its user runs."""
        self._numbers = count(1)
        self._free: list[str] = []
        self._uses: Counter[str] = Counter()

    def start(self) -> None:
        settings = [f"-c{key}={value}" for key, value in SETTINGS.items()]
        place = ["-D", self.folder / "data", "-k", self.folder]
        self._server = subprocess.Popen(
            [*self.as_user, self._programs / "postgres", *place, *settings],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd=self.folder,
        )
        _wait_until_ready(self._server)

    def kill(self) -> None:
        """End it at once, without a word to whoever is connected."""
        if self._server.poll() is None:
            place = ["-D", self.folder / "data", "-m", "immediate"]
            stop = [*self.as_user, self._programs / "pg_ctl", *place, "stop"]
            subprocess.run(stop, check=True, capture_output=True, cwd=self.folder)
        self._server.communicate(timeout=LONG_S)

    def url(self, database: str, user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}"

    def new_database(self, options: str = "") -> str:
        """The name of an empty one: one that was emptied, as making one takes longer."""
        if self._free and not options:
            return self._free.pop()
        name = f"session{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} {options}")
        if options:
            self._uses[name] = USES
        return name

    def drop(self, name: str) -> None:
        self._uses[name] += 1
        if self._uses[name] < USES:
            self.run(EMPTIED.format(name=name), name)
            self._free.append(name)
        else:
            self.run(f"DROP DATABASE {name} WITH (FORCE)")

    def run(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def cut_connections(self, database: str) -> None:
        """As when the server is restarted, or the network fails."""
        self.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{database}' AND pid <> pg_backend_pid()"
        )


@contextmanager
def running_cluster() -> Iterator[Cluster]:
    """Skips the test where there is no server, or no driver, to be had."""
    programs = _programs()
    pytest.importorskip("psycopg", reason="psycopg is not installed: the extra `teams` brings it")
    # Below /tmp: a socket's path is short, and the server's user must be able to go there.
    folder = Path(tempfile.mkdtemp(prefix="spec-o3-pg-", dir="/tmp"))
    try:
        as_user = _as_user(folder)
        data = folder / "data"
        making = [programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8"]
        subprocess.run(
            [*as_user, *making, "--locale=C", "--no-sync", "--no-instructions"],
            check=True,
            capture_output=True,
            cwd=folder,
        )
        cluster = Cluster(folder, as_user, programs)
        try:
            cluster.start()
            yield cluster
        finally:
            cluster.kill()
    finally:
        shutil.rmtree(folder)


def _wait_until_ready(server: subprocess.Popen[bytes]) -> None:
    assert server.stderr is not None
    lines = []
    for line in server.stderr:
        lines.append(line.decode(errors="replace"))
        if READY in line:
            return
    pytest.fail("the PostgreSQL server did not start:\n" + "".join(lines))


def _programs() -> Path:
    """The folder of PostgreSQL's programs; Debian keeps them out of the PATH."""
    found = [Path(name).resolve().parent for name in [shutil.which("initdb")] if name]
    found += sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name)
    whole = [path for path in found if all((path / name).exists() for name in ("initdb", "pg_ctl"))]
    if not whole or shutil.which("setpriv") is None:
        pytest.skip("no PostgreSQL server here: apt-get install postgresql")
    return whole[-1]


def _as_user(folder: Path) -> list[str]:
    """How to run its programs: never as root, and never longer than this process lives."""
    import pwd

    command = ["setpriv", "--pdeathsig", "QUIT"]
    if os.getuid() != 0:
        return command
    for name in ("postgres", "nobody"):
        try:
            shutil.chown(folder, name)
        except LookupError:
            continue
        group = str(pwd.getpwnam(name).pw_gid)
        return [*command, "--reuid", name, "--regid", group, "--clear-groups"]
    pytest.skip("PostgreSQL does not run as root, and there is no other user here")


def name_of(location):
    return location.partition("@/")[2].partition("?")[0]
