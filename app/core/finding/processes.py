"""Processes that look at spectra, on this machine or on those of a Ray cluster.

Both answer a call once, however often it was tried, and say so of one that killed two of them.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from agent.child_process.start_child import child_command
from agent.cluster.options import RayPlace
from agent.cluster.ray_actors import MAX_BEGINS, MAX_TRIES, Answer, RayActors
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError
from agent.evidence.assessment import builtin_fingerprint
from agent.evidence.quick import quick_weights
from agent.hashing import text_hash
from app.core.finding.inputs import Input
from app.core.finding.looking import Look, LookResult, LookSettings
from app.worker.errors import LoadError
from app.worker.process import ChildProcess

CHILD = Path(__file__).with_name("child.py")
NAME = "finder"
AHEAD = 2  # calls that wait for each process, so that none waits for the disk of this one
# Twenty times what a call of the slowest spectra takes: an archive on a network may stand still.
SILENCE_S = 900.0
POLL_S = 0.5

Call = list[Input]


class FinderProcesses:
    """Child processes, each with a thread that serves it. For one thread."""

    def __init__(self, count: int, settings: LookSettings) -> None:
        self.count = count
        self._settings = settings
        self._calls: queue.Queue[tuple[int, Call] | None] = queue.Queue()
        self._answers: queue.Queue[Answer[int] | WorkbenchError] = queue.Queue()
        self._closing = threading.Event()
        self._threads = [
            threading.Thread(target=self._serve, name=f"finder {number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def run(self, calls: Iterable[tuple[int, Call]]) -> Generator[Answer[int] | None, None, None]:
        """Yield the answers in the order in which they come; calls are taken as there is room.

        None now and then while no answer comes, so that a stop is heard. Raises WorkbenchError
        where processes do not start: what they were given is not to blame.
        """
        waiting, under_way = iter(calls), 0
        while True:
            while under_way < self.count * (1 + AHEAD) and (call := next(waiting, None)):
                self._calls.put(call)
                under_way += 1
            if not under_way:
                return
            try:
                answer = self._answers.get(timeout=POLL_S)
            except queue.Empty:
                yield None
                continue
            if isinstance(answer, WorkbenchError):
                raise answer
            under_way -= 1
            yield answer

    def close(self) -> None:
        self._closing.set()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join()

    def _serve(self) -> None:
        try:
            self._answer_calls()
        except WorkbenchError as error:
            self._answers.put(error)

    def _answer_calls(self) -> None:
        """Ask one process at a time; one that dies is followed by another."""
        child: ChildProcess | None = None
        while not self._closing.is_set() and (given := self._calls.get()) is not None:
            key, call = given
            how = ""
            for _ in range(MAX_TRIES):
                if child is None or child.is_lost:
                    child = self._start(child)
                found = self._ask(child, call)
                if found is not None or self._closing.is_set():
                    self._answers.put(Answer(key, found))
                    break
                how = f"the process that read it {child.exit_description}"
            else:
                self._answers.put(Answer(key, lost=how))
        if child is not None:
            child.close()

    def _start(self, earlier: ChildProcess | None) -> ChildProcess:
        """A process that is ready; raises LoadError if several in a row do not get so far."""
        for _ in range(MAX_BEGINS):
            if earlier is not None:
                earlier.close()
            child = ChildProcess(child_command(NAME, [str(CHILD)]))
            child.send({"type": "settings", **asdict(self._settings)})
            while not (child.is_exhausted or self._closing.is_set()):
                message = child.receive(POLL_S)
                if message is not None and message["type"] == "ready":
                    return child
            if self._closing.is_set():
                return child
            earlier = child
        child.close()
        raise LoadError(
            f"a process that looks at spectra {child.exit_description} as it started: "
            f"{child.last_line}"
        )

    def _ask(self, child: ChildProcess, call: Call) -> LookResult | None:
        """What the process found; None if it died."""
        child.send({"type": "look", "inputs": [list(asdict(each).values()) for each in call]})
        waited = 0.0
        while not (child.is_exhausted or self._closing.is_set()):
            message = child.receive(POLL_S)
            if message is not None and message["type"] == "found":
                return found_from(message)
            waited += POLL_S
            if waited > SILENCE_S:
                child.kill(f"gave no answer for {SILENCE_S:.0f} s")
        return None


def found_message(found: LookResult) -> dict[str, Any]:
    more = [list(asdict(each).values()) for each in found.more]
    return {"type": "found", "rows": found.rows, "unread": found.unread, "more": more}


def found_from(message: dict[str, Any]) -> LookResult:
    unread = [(str(path), int(row), str(why)) for path, row, why in message["unread"]]
    return LookResult(message["rows"], unread, [Input(*each) for each in message["more"]])


class FinderActors:
    """The same on a Ray cluster: paths must mean the same on every machine of it."""

    def __init__(self, place: RayPlace, settings: LookSettings) -> None:
        with ExitStack() as stack:
            cluster = RayCluster(place)
            stack.callback(cluster.close)
            self.count = cluster.actors
            self._actors: RayActors[int] = RayActors(cluster, partial(Looking, settings))
            stack.callback(self._actors.close)
            self._ends = stack.pop_all()

    def run(self, calls: Iterable[tuple[int, Call]]) -> Generator[Answer[int], None, None]:
        yield from self._actors.run(calls)

    def close(self) -> None:
        self._ends.close()


class Looking:
    """What an actor holds."""

    def __init__(self, settings: LookSettings, sharing: int) -> None:
        self._look = Look(settings)

    def begin(self) -> str:
        return weights_hash()

    def work(self, call: Call) -> LookResult:
        return self._look(call)


def spare_processors() -> int:
    """How many processors this program may use, less one for the person who works meanwhile."""
    allowed = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 2
    return max(1, allowed - 1)


def weights_hash() -> str:
    """Hash of all weights of a look; its numbers follow from them and from the settings."""
    return text_hash(f"{quick_weights().sha256} {builtin_fingerprint()}")
