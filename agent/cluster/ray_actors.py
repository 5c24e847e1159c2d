"""Workers in the processes of a Ray cluster, which may die, move and join while they work.

This process alone takes calls and hands out answers. A call is at any time with one actor or
waiting, never both, so that each has one answer however often it was tried.
"""

from __future__ import annotations

import logging
import queue
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeVar

from agent.checked_toml import printable
from agent.cluster.ray_cluster import RayCluster
from agent.errors import WorkbenchError

# One death may be chance or a lack of memory; after two we blame the call.
MAX_TRIES = 2
# Calls that wait in an actor which works on one at a time.
AHEAD = 1
# How often an actor may die in a row before it is ready.
MAX_BEGINS = 3
# What Ray says of an actor whose own code raised an error, as where a module is not there.
RAISED = "its creation task"
# On Windows a thread that waits without a timeout does not receive Ctrl-C.
POLL_S = 0.5

Key = TypeVar("Key")

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class SideBySide:
    """How many calls each actor works on at once: `now`, and at most."""

    most: int
    now: Callable[[], int]


@dataclass(frozen=True)
class Answer(Generic[Key]):
    """What became of one call: its value, or why it was lost with every actor that tried it."""

    key: Key
    value: Any = None
    lost: str = ""


@dataclass(eq=False)
class _Call(Generic[Key]):
    key: Key
    call: Any
    deaths: int = 0
    is_suspect: bool = False  # it is tried alone from now on


@dataclass(eq=False)
class _Actor(Generic[Key]):
    handle: Any
    calls: deque[_Call[Key]] = field(default_factory=deque)
    """In the order in which they were given to it."""
    is_ready: bool = False
    life: int = 0
    begins: int = 0  # how often it has tried to get ready since it last was


@dataclass(frozen=True)
class _Event(Generic[Key]):
    """Something that an actor was asked has an end."""

    actor: _Actor[Key]
    life: int
    asked: _Call[Key] | Literal["to be there", "to begin"]
    future: Future[Any]


class RayActors(Generic[Key]):
    """Actors that hold a worker each, and work on one call at a time or on several side by side.

    For one thread.
    """

    def __init__(
        self, cluster: RayCluster, make: MakeWorker, side_by_side: SideBySide | None = None
    ) -> None:
        self._cluster, self._ray, self._make = cluster, cluster.ray, make
        self._side_by_side = side_by_side
        self._actors: list[_Actor[Key]] = []
        self._retries: deque[_Call[Key]] = deque()
        self._events: queue.SimpleQueue[_Event[Key]] = queue.SimpleQueue()
        self._begun: object = None

    def ready(self) -> Any:
        """Wait until an actor can work; what its `begin` returned. Raises what the last one did
        where none can."""
        self._start()
        while not any(actor.is_ready for actor in self._actors):
            self._answer_of(self._wait())
        return self._begun

    def run(self, calls: Iterable[tuple[Key, Any]]) -> Generator[Answer[Key], None, None]:
        """Yield the answers in the order in which they come.

        Calls are taken from the iterable as actors get free. Raises what a worker raised, and
        what made the last actor useless; calls already taken then have no answer.
        """
        self._start()
        waiting = iter(calls)
        is_over = False
        try:
            while True:
                is_over = self._give(waiting) or is_over
                if is_over and not self._retries and not any(a.calls for a in self._actors):
                    return
                answer = self._answer_of(self._wait())
                if answer is not None:
                    yield answer
        finally:
            self._retries.clear()
            if any(actor.calls for actor in self._actors):
                self.close()  # of work that nobody waits for any more

    def close(self) -> None:
        """End the actors; a later run starts new ones."""
        for actor in self._actors:
            actor.life += 1
            self._ray.kill(actor.handle)
        self._actors.clear()

    def _start(self) -> None:
        if self._actors:
            return
        options = {"num_cpus": 1, "num_gpus": self._cluster.gpus_each, "max_restarts": -1}
        if self._side_by_side is not None:
            options["max_concurrency"] = self._side_by_side.most + 1  # and one for `is_there`
        shell = self._ray.remote(Shell).options(scheduling_strategy="SPREAD", **options)
        for _ in range(self._cluster.actors):
            handle = shell.remote(self._make, self._cluster.actors_each_machine)
            self._actors.append(_Actor(handle))
            self._await(self._actors[-1])

    def _await(self, actor: _Actor[Key]) -> None:
        """Ray has a place for the actor, now or when a machine joins, or starts it anew."""
        there = actor.handle.is_there.options(max_task_retries=-1)  # a restart uses several up
        self._ask(actor, "to be there", there.remote())

    def _ask(
        self,
        actor: _Actor[Key],
        asked: _Call[Key] | Literal["to be there", "to begin"],
        reference: Any,
    ) -> None:
        tell = partial(_Event, actor, actor.life, asked)
        reference.future().add_done_callback(lambda future: self._events.put(tell(future)))

    def _give(self, waiting: Iterator[tuple[Key, Any]]) -> bool:
        """Give calls to the actors with room, evenly; True if there are no new ones."""
        while (actor := self._with_room()) is not None:
            call = self._next(waiting, is_alone=not actor.calls)
            if call is None:
                return True
            actor.calls.append(call)
            self._ask(actor, call, actor.handle.work.remote(call.call))
        return False

    def _with_room(self) -> _Actor[Key] | None:
        """The actor that has the fewest calls, if it may have more."""
        side_by_side = self._side_by_side
        room = 1 + AHEAD if side_by_side is None else min(side_by_side.now(), side_by_side.most)
        ready = (each for each in self._actors if each.is_ready)
        free = (each for each in ready if not (each.calls and each.calls[0].is_suspect))
        fewest = min(free, key=lambda each: len(each.calls), default=None)
        return None if fewest is None or len(fewest.calls) >= room else fewest

    def _next(self, waiting: Iterator[tuple[Key, Any]], *, is_alone: bool) -> _Call[Key] | None:
        for call in self._retries:
            if is_alone or not call.is_suspect:
                self._retries.remove(call)
                return call
        following = next(waiting, None)
        return None if following is None else _Call(*following)

    def _wait(self) -> _Event[Key]:
        while True:
            with suppress(queue.Empty):
                return self._events.get(timeout=POLL_S)

    def _answer_of(self, event: _Event[Key]) -> Answer[Key] | None:
        """The answer to a call, or None if this is none."""
        actor, asked = event.actor, event.asked
        if event.life != actor.life:
            return None  # an end of what was given to others meanwhile
        errors = self._ray.exceptions
        try:
            outcome = event.future.result()
        except errors.RayTaskError as error:
            raise error.cause from error
        except errors.RayError as error:
            if isinstance(asked, _Call):
                return self._lose(actor, error)
            if asked == "to begin" and actor.begins < MAX_BEGINS:
                self._await(actor)
                return None
            if asked == "to be there":
                outcome = _no_start(error)
            else:
                died = f"an actor died {MAX_BEGINS} times in a row as it got ready"
                outcome = CannotWork(f"{died}: {_first_line(error)}")
        if isinstance(outcome, CannotWork):
            self._leave_out(actor, outcome)
        elif isinstance(outcome, MustBeAlone):
            assert isinstance(asked, _Call)
            asked.is_suspect = True
            actor.calls.remove(asked)
            self._retries.append(asked)
        elif isinstance(asked, _Call):
            actor.calls.remove(asked)
            return Answer(asked.key, outcome)
        elif asked == "to begin":
            self._has_begun(actor, outcome)
        else:
            actor.begins += 1
            self._ask(actor, "to begin", actor.handle.begin.remote())
        return None

    def _has_begun(self, actor: _Actor[Key], begun: object) -> None:
        if self._begun is None:
            self._begun = begun
        if begun == self._begun:
            actor.is_ready, actor.begins = True, 0
        else:
            message = f"a machine of the cluster has {begun} where another has {self._begun}"
            self._leave_out(actor, CannotWork(message))

    def _leave_out(self, actor: _Actor[Key], error: CannotWork) -> None:
        """Work without this actor. Raises the error where it was the last."""
        self._take_back(actor)
        self._actors.remove(actor)
        self._ray.kill(actor.handle)
        if not self._actors:
            raise error
        _log.warning("one of the actors is left out: %s", error)

    def _lose(self, actor: _Actor[Key], error: Exception) -> Answer[Key] | None:
        """An actor died or cannot be reached: Ray starts it anew, and others take its calls.

        Each of them may be to blame, also one that waited, as the answer to the one before may be
        lost with it. So each is alone with an actor the next time, and blamed where that dies, too.
        Of many side by side few can be: they are alone only after a second death.
        """
        for call in actor.calls:
            call.deaths += 1
            call.is_suspect |= self._side_by_side is None or call.deaths >= MAX_TRIES
        alone = actor.calls[0] if len(actor.calls) == 1 else None
        is_to_blame = alone is not None and alone.deaths >= MAX_TRIES
        if is_to_blame:
            actor.calls.clear()
        self._take_back(actor)
        self._await(actor)
        return Answer(alone.key, lost=_first_line(error)) if alone and is_to_blame else None

    def _take_back(self, actor: _Actor[Key]) -> None:
        actor.is_ready = False
        actor.life += 1
        self._retries.extend(actor.calls)
        actor.calls.clear()


def _no_start(error: Exception) -> CannotWork:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = printable(lines[-1] if lines else type(error).__name__, 300)
    if RAISED not in str(error):  # whatever it is, our own code did not run
        return CannotWork(
            f"an actor of the Ray cluster is gone ({reason}): a machine of it has crashed or left. "
            "Run the command again, which continues"
        )
    return CannotWork(
        f"an actor of the Ray cluster could not start ({reason}): every machine of it needs the "
        "same version of Spec-o3 Workbench"
    )


def _first_line(error: Exception) -> str:
    return printable(str(error).partition("\n")[0] or type(error).__name__, 300)


# What runs in a process of a Ray cluster: a shell with a worker in it.
class CannotWork(WorkbenchError):
    """An actor that can do no work, this call or any other; others may."""


class MustBeAlone(WorkbenchError):
    """A call that may be to blame for what went wrong: it is tried again with nothing beside it."""


class Worker(Protocol):
    """What an actor holds."""

    def begin(self) -> object:
        """Get ready, also after a death; all actors that work together return the same."""

    def work(self, call: Any) -> Any:
        """Answer one call, in a thread of its own where several are at work at once.

        Raises CannotWork and MustBeAlone.
        """


MakeWorker = Callable[[int], Worker]
"""Called in the actor's process with the number of actors that share its machine."""


class Shell:
    """The actor itself."""

    def __init__(self, make: MakeWorker, sharing: int) -> None:
        self._worker = make(sharing)

    def is_there(self) -> None:
        """Answered as soon as the actor runs."""

    def begin(self) -> object:
        try:
            return self._worker.begin()
        except WorkbenchError as error:
            return CannotWork(str(error))

    def work(self, call: Any) -> Any:
        try:
            return self._worker.work(call)
        except (CannotWork, MustBeAlone) as error:
            return error
