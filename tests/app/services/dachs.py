"""A real TAP server on loopback: GAVO DaCHS with a PostgreSQL of the tests' own, gone with them."""

import csv
import os
import shutil
import socket
import subprocess
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.services.catalogues.service import Service
from tests.app.core.database.postgres import running_cluster
from tests.processes import LONG_S, wait_until

NEEDED = "apt-get install python3-gavo postgresql-pgsphere postgresql-q3c"
ASKED = "Processing starts: /tap/sync"
SETTINGS = """
[general]
rootDir={root}
gavoGroup={group}
group={group}
[web]
serverURL=http://127.0.0.1:{port}
serverPort={port}
bindAddress=127.0.0.1
user=
[ivoa]
authority=x-tests
"""
DESCRIPTION = """
<resource schema="{schema}">
  <meta name="creationDate">2026-01-01T00:00:00Z</meta>
  <meta name="title">Stars</meta>
  <meta name="description">Stars that a test made up.</meta>
  <meta name="subject">stars</meta>
  <table id="{table}" onDisk="True" adql="True" mixin="//scs#q3cindex">
    {columns}
  </table>
  <data id="import">
    <sources>stars.csv</sources>
    <csvGrammar/>
    <make table="{table}"/>
  </data>
</resource>
"""
POSITION = (
    '<column name="{name}" type="double precision" unit="deg" ucd="pos.eq.{role};meta.main"/>'
)


class Dachs:
    """The running server, and how often it was asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/tap"
        self.asked = 0
        self.log: list[str] = []

    def listen(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            self.asked += ASKED in line
            self.log.append(line)


@contextmanager
def running_dachs(service: Service, rows: Sequence[Mapping[str, object]]) -> Iterator[Dachs]:
    """Serves the table of a service; skips the test where DaCHS cannot be had."""
    extensions = Path("/usr/share/postgresql").glob("*/extension/q3c.control")
    if shutil.which("dachs") is None or not any(extensions):
        pytest.skip(f"no DaCHS here: {NEEDED}")
    with running_cluster() as cluster:
        cluster.run("CREATE DATABASE gavo ENCODING 'UTF8' TEMPLATE template0")
        root, port = cluster.folder / "dachs", _free_port()
        schema, _, table = service.table.partition(".")
        _write_resource(root / "inputs" / schema, table, service, rows)
        if os.getuid() == 0:  # the files are of the user who runs the server
            owner = cluster.folder.owner()
            for path in (root, *root.rglob("*")):
                shutil.chown(path, owner, owner)
        settings = cluster.folder / "gavo.rc"
        settings.write_text(SETTINGS.format(root=root, port=port, group=root.group()))
        environment = {
            "PATH": "/usr/bin:/bin",  # where Debian's own Python is the first
            "HOME": str(root),
            "LANG": "C.UTF-8",
            "GAVOSETTINGS": str(settings),
            "GAVOCUSTOM": "/nonexistent",
        }
        command = [*cluster.as_user, "dachs"]
        for words in (
            ["init", "-d", f"dbname=gavo host={cluster.folder} user=postgres"],
            ["imp", f"{schema}/q"],
        ):
            done = subprocess.run(
                [*command, *words], env=environment, cwd=root, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stdout + done.stderr
        process = subprocess.Popen(
            [*command, "serve", "debug"], env=environment, cwd=root, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        server = Dachs(port)
        listener = threading.Thread(target=server.listen, args=(process,), name="log of DaCHS")
        listener.start()
        try:
            _wait_until_it_answers(server, process)
            yield server
        finally:
            process.terminate()
            process.wait(LONG_S)
            listener.join()
            assert process.stdout is not None
            process.stdout.close()


def _write_resource(
    folder: Path, table: str, service: Service, rows: Sequence[Mapping[str, object]]
) -> None:
    """The table as DaCHS wants it described; columns with numbers are doubles."""
    folder.mkdir(parents=True)
    columns = [
        POSITION.format(name=service.ra, role="ra"),
        POSITION.format(name=service.dec, role="dec"),
    ]
    texts = {each.column for each in service.columns if each.is_text}
    columns += [
        f'<column name="{name}" type="{"text" if name in texts else "double precision"}"/>'
        for name in rows[0]
        if name not in (service.ra, service.dec)
    ]
    described = DESCRIPTION.format(schema=folder.name, table=table, columns="\n    ".join(columns))
    (folder / "q.rd").write_text(described)
    with (folder / "stars.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(server: Dachs, process: subprocess.Popen[str]) -> None:
    def answers() -> bool:
        assert process.poll() is None, "DaCHS did not start:\n" + "".join(server.log[-40:])
        try:
            with urllib.request.urlopen(f"{server.url}/availability", timeout=LONG_S):
                return True
        except (urllib.error.URLError, OSError):
            return False

    wait_until(answers)
