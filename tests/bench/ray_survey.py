"""A long list through Ray while things go wrong: `python -m tests.bench.ray_survey 100000`.

The inspector is as cheap as one can be: it asks a server on loopback for each verdict. The server
hangs up in the middle of some answers, gives some twice and some never. While the list is worked
on, processes are killed with SIGKILL: two actors, one more process of Ray, two engines, and once
the command itself, which is then repeated. At the end each candidate is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import socketserver
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections import Counter
from contextlib import closing
from pathlib import Path

from sqlalchemy import text

from agent.cluster.place import RayPlace
from app.core.inspections.batch import inspect_all
from app.core.session.session import open_session
from app.worker.ray_pool import RayPool
from app.worker.request import LoadRequest
from tests.app.core.sessions import made
from tests.processes import marked

CHILD = [sys.executable, "-P", str(Path(__file__).with_name("ray_survey_child.py"))]
MARK = "SPEC_O3_RAY_SURVEY"
SPECTRUM = "wavelength,flux\n" + "".join(f"{4000 + n},{1 + n % 3}\n" for n in range(12))
HANGS_UP, TWICE, NEVER = 101, 103, 1009
"""One in so many answers."""


class Mischief(socketserver.StreamRequestHandler):
    """Lines with names in, lines with names and verdicts out."""

    server: MischiefServer

    def handle(self) -> None:
        for line in self.rfile:
            name = line.decode().strip()
            turn = self.server.count(name)
            fate = zlib.crc32(name.encode())
            answer = f"{name} {'YES' if fate % 7 == 0 else 'NO'}\n".encode()
            if turn == 1 and fate % HANGS_UP == 0:
                self.wfile.write(answer[:-3])
                self.server.fates["hung up in the middle"] += 1
                return
            if turn == 1 and fate % NEVER == 0:
                self.server.fates["never answered"] += 1
                continue
            if fate % TWICE == 0:
                self.server.fates["answered twice"] += 1
                answer *= 2
            self.wfile.write(answer)


class MischiefServer(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Mischief)
        self.asked: Counter[str] = Counter()
        self.fates: Counter[str] = Counter()
        self._lock = threading.Lock()

    def count(self, name: str) -> int:
        with self._lock:
            self.asked[name] += 1
            return self.asked[name]

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed is part of the plan."""


def prepare(folder: Path, count: int) -> Path:
    place = folder / "survey.speco3"
    spectra = folder / "spectra"
    for number in range(1, count + 1):
        path = spectra / f"{number % 1000:03d}" / f"{number}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SPECTRUM)
    with made(place, count) as session, session.database.writing() as connection:
        own = "printf('%s/%03d/%d.csv', :folder, id % 1000, id)"
        connection.execute(text(f"UPDATE candidates SET path = {own}"), {"folder": str(spectra)})
    return place


def drive(place: Path, actors: int, port: int) -> None:
    """The command, without its bar."""
    with (
        open_session(place, "Ada") as session,
        RayPool(RayPlace(actors=actors), LoadRequest(f"port {port}"), command=CHILD) as pool,
    ):
        faults = 0
        for done in inspect_all(session, pool, pool.ready()):
            faults += bool(done.fault)
    print(json.dumps({"faults": faults}))


def done_in(place: Path) -> int:
    with closing(sqlite3.connect(f"file:{place}?mode=ro", uri=True, timeout=60)) as connection:
        return int(connection.execute("SELECT count(*) FROM inspections").fetchone()[0])


def named(pids: list[int], word: str) -> list[int]:
    found = []
    for pid in pids:
        try:
            line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if word in line:
            found.append(pid)
    return found


class Killer:
    """Kills each victim when its part of the list is done."""

    def __init__(self, count: int) -> None:
        actor, engine = "ray::Shell", "ray_survey_child"
        plan = [actor, engine, actor, "command", engine, actor]
        self.plan = [(count * (n + 1) // (len(plan) + 2), word) for n, word in enumerate(plan)]
        self.killed: list[str] = []

    def look(self, done: int, command: subprocess.Popen[bytes]) -> None:
        if not self.plan or done < self.plan[0][0]:
            return
        _, word = self.plan[0]
        victims = (
            [command.pid] if word == "command" else named(marked(MARK, str(os.getpid())), word)
        )
        if victims:
            os.kill(random.Random(done).choice(victims), signal.SIGKILL)
            self.killed.append(f"{word} at {done:,}")
            self.plan.pop(0)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("count", type=int)
    options.add_argument("--actors", type=int, default=8)
    options.add_argument("--drive", help=argparse.SUPPRESS)
    options.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.drive:
        drive(Path(chosen.drive), chosen.actors, chosen.port)
        return
    server = MischiefServer()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        place = prepare(Path(folder), chosen.count)
        words = [str(chosen.count), "--actors", str(chosen.actors), "--drive", str(place)]
        words += ["--port", str(server.server_address[1])]
        killer, began, commands, faults = Killer(chosen.count), time.monotonic(), 0, 0
        while done_in(place) + faults < chosen.count:
            commands += 1
            with subprocess.Popen(
                [sys.executable, "-m", "tests.bench.ray_survey", *words],
                env={**os.environ, MARK: str(os.getpid())},
                stdout=subprocess.PIPE,
            ) as command:
                while command.poll() is None:
                    time.sleep(0.2)
                    killer.look(done_in(place), command)
                assert command.stdout is not None
                said = command.stdout.read().splitlines()
            faults = json.loads(said[-1])["faults"] if said else 0
        took = time.monotonic() - began
        report(place, chosen, server, killer, took, commands)
    server.shutdown()


def report(
    place: Path,
    chosen: argparse.Namespace,
    server: MischiefServer,
    killer: Killer,
    took_s: float,
    commands: int,
) -> None:
    with closing(sqlite3.connect(place)) as connection:
        query = "SELECT count(*), count(DISTINCT candidate_id) FROM inspections"
        stored, judged = connection.execute(query).fetchone()
        wrong = connection.execute(
            "SELECT candidate_id, record FROM inspections WHERE verdict IS NULL LIMIT 5"
        ).fetchall()
        faults = connection.execute("SELECT count(*) FROM candidates WHERE fault != ''").fetchone()
    figures = {
        "candidates": chosen.count,
        "actors": chosen.actors,
        "stored": stored,
        "judged": judged,
        "lost": chosen.count - judged,
        "judged twice in the session": stored - judged,
        "marked as faults": faults[0],
        "without a verdict": len(wrong),
        "asked again at the server": sum(n - 1 for n in server.asked.values()),
        "asked at least once": len(server.asked),
        "server": dict(server.fates),
        "killed": killer.killed,
        "commands": commands,
        "seconds": round(took_s),
        "each second": round(chosen.count / took_s, 1),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
