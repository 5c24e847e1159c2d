"""What runs in a process of a Ray cluster: a shell with a worker in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from agent.errors import WorkbenchError


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
