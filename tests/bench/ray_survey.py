"""A long list through Ray while things go wrong: `python -m tests.bench.ray_survey 100000`.

The inspector is as cheap as one can be: it asks a server on loopback for each verdict. The server
hangs up in the middle of some answers, gives some twice and some never. While the list is worked
on, processes are killed with SIGKILL: two actors, one more process of Ray, two engines, and once
the command itself, which is then repeated. At the end each candidate is counted.

With `--http` the inspector is the real one: our client of a server, which is that of
vllm_mischief, with real spectra, pictures and conversations, `--in-flight` of them in each actor.
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
import urllib.request
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from functools import partial
from itertools import islice
from pathlib import Path

from sqlalchemy import text

from agent.cluster.place import RayPlace
from app.core.inspections.batch import inspect_all
from app.core.session.session import open_session
from app.worker.ray_pool import RayPool
from app.worker.request import LoadRequest
from tests.app.core.sessions import made
from tests.bench.bench_flight import SPECTRA, serving, usable
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

    def told(self) -> dict[str, object]:
        again = sum(number - 1 for number in self.asked.values())
        return {**self.fates, "asked": len(self.asked), "asked again": again}

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


def with_real_spectra(place: Path) -> None:
    paths = [*islice(usable(), SPECTRA)]
    with open_session(place, "Ada") as session, session.database.writing() as connection:
        for number, path in enumerate(paths):
            here = {"path": str(path), "of": len(paths), "number": number}
            own = "UPDATE candidates SET path = :path WHERE id % :of = :number"
            connection.execute(text(own), here)


def drive(place: Path, chosen: argparse.Namespace) -> None:
    """The command, without its bar."""
    model = chosen.http or f"port {chosen.port}"
    command = None if chosen.http else CHILD
    in_flight = chosen.in_flight if chosen.http else None
    with (
        open_session(place, "Ada") as session,
        RayPool(
            RayPlace(actors=chosen.actors), LoadRequest(model), command=command, in_flight=in_flight
        ) as pool,
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


class Processor:
    """Seconds of the processor that the command and its processes took, dead ones included."""

    def __init__(self) -> None:
        self._seen: dict[int, float] = {}

    def look(self) -> None:
        for pid in marked(MARK, str(os.getpid())):
            with suppress(OSError):
                stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2]
                ticks = sum(map(int, stat.split()[11:13]))
                self._seen[pid] = ticks / os.sysconf("SC_CLK_TCK")

    @property
    def seconds(self) -> float:
        return sum(self._seen.values())


class Killer:
    """Kills each victim when its part of the list is done."""

    def __init__(self, count: int, engine: str) -> None:
        actor = "ray::Shell"
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
    options.add_argument("--http", nargs="?", const="here", default="")
    options.add_argument("--in-flight", type=int, default=16)
    options.add_argument("--drive", help=argparse.SUPPRESS)
    options.add_argument("--port", type=int, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.drive:
        drive(Path(chosen.drive), chosen)
        return
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        place = prepare(Path(folder), chosen.count)
        words = [str(chosen.count), "--actors", str(chosen.actors), "--drive", str(place)]
        words += ["--in-flight", str(chosen.in_flight)]
        if chosen.http:
            with_real_spectra(place)
            url = stack.enter_context(serving("tests.bench.vllm_mischief"))
            survey(
                place, chosen, [*words, "--http", url], "app/worker/__main__", partial(told, url)
            )
            return
        server = MischiefServer()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        stack.callback(server.shutdown)
        words += ["--port", str(server.server_address[1])]
        survey(place, chosen, words, "ray_survey_child", server.told)


def survey(
    place: Path,
    chosen: argparse.Namespace,
    words: list[str],
    engine: str,
    server: Callable[[], dict[str, object]],
) -> None:
    """Repeat the command until the list is done, kill what is to be killed, and count."""
    killer, processor = Killer(chosen.count, engine), Processor()
    began, commands, faults = time.monotonic(), 0, 0
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
                processor.look()
            assert command.stdout is not None
            said = command.stdout.read().splitlines()
        faults = json.loads(said[-1])["faults"] if said else 0
    figures = {
        "candidates": chosen.count,
        "actors": chosen.actors,
        "in flight in each": chosen.in_flight if chosen.http else 1,
        **counted(place, chosen.count),
        "server": server(),
        "killed": killer.killed,
        "commands": commands,
        "seconds": round(time.monotonic() - began),
        "each second": round(chosen.count / (time.monotonic() - began), 1),
        "ms of a processor for each, Ray's own included": round(
            1000 * processor.seconds / chosen.count
        ),
        "load": os.getloadavg()[0],
    }
    print(json.dumps(figures, indent=1))


def told(url: str) -> dict[str, object]:
    """What the server of vllm_mischief has to say."""
    with urllib.request.urlopen(url.partition("#")[0].replace("/v1", "/told")) as answer:
        return dict(json.load(answer))


def counted(place: Path, count: int) -> dict[str, object]:
    with closing(sqlite3.connect(place)) as connection:
        query = "SELECT count(*), count(DISTINCT candidate_id) FROM inspections"
        stored, judged = connection.execute(query).fetchone()
        (without,) = connection.execute(
            "SELECT count(*) FROM inspections WHERE verdict IS NULL"
        ).fetchone()
        (faults,) = connection.execute(
            "SELECT count(*) FROM candidates WHERE fault != ''"
        ).fetchone()
    return {
        "stored": stored,
        "judged": judged,
        "lost": count - judged,
        "judged twice in the session": stored - judged,
        "marked as faults": faults,
        "without a verdict": without,
    }


if __name__ == "__main__":
    main()
