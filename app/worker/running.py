"""The inspections that run in one child process, and which of them ends when something happens."""

from __future__ import annotations

import time
from collections.abc import Callable

from agent.checked_toml import printable
from agent.trajectory.trajectory import ModelRef
from agent.trajectory.trajectory_file import from_json, step_from_json
from app.worker.errors import (
    CrashBeside,
    InspectionError,
    WireError,
    WorkerCrash,
    WorkerTimeout,
)
from app.worker.inspection import RunningInspection, StepDone, TextGenerated
from app.worker.process import ChildProcess
from app.worker.request import LoadRequest
from app.worker.wire import Message

MAX_LINE = 2_000


class Running:
    """For the thread of the supervisor."""

    def __init__(self) -> None:
        self.load: LoadRequest | None = None
        """The model that they run with."""
        self.next: RunningInspection | None = None
        """The one that is being started."""
        self._all: dict[int, RunningInspection] = {}
        self._reading: set[int] = set()

    def __bool__(self) -> bool:
        return bool(self._all)

    def start(self, inspection: RunningInspection, child: ChildProcess, model: ModelRef) -> None:
        self.next = None
        try:
            if inspection.start_in(child, model):
                self._all[inspection.number] = inspection
        except WireError as error:  # too long to be sent
            inspection.fail(error)

    @property
    def activity(self) -> str:
        """Completes the sentence "the worker died while it ..."."""
        if len(self._all) == 1:
            (only,) = self._all.values()
            return f"was inspecting {only.request.shown}"
        return f"was inspecting {len(self._all)} spectra"

    def time_limit(self) -> tuple[float, str] | None:
        """When to kill the child, on the monotonic clock, and why."""
        limits = (each.time_limit() for each in self._all.values())
        return min((limit for limit in limits if limit is not None), default=None)

    def handle(self, message: Message) -> None:
        """Pass a message on to the inspection that it is about. Raises TrajectoryError."""
        kind, number = message["type"], message.get("id")
        if kind == "failed" and number is None:  # it could not read a request
            self._end(lambda each: each.fail(failure(message)))
        inspection = self._all.get(number) if isinstance(number, int) else None
        if inspection is None:
            return
        if kind == "reading":
            self._reading.add(inspection.number)
        elif kind == "read":
            self._reading.discard(inspection.number)
        elif kind == "text":
            inspection.emit(TextGenerated(str(message.get("text", ""))))
        elif kind == "step":
            inspection.emit(StepDone(step_from_json(message.get("step"))))
        elif kind == "failed":
            self._pop(inspection).fail(failure(message))
        elif kind == "done":
            trajectory = from_json(message.get("trajectory"))
            busy = message.get("busy")
            inspection.busy = busy if isinstance(busy, int) else 0
            self._pop(inspection).finish(trajectory)

    def crash(self, crash: WorkerCrash) -> None:
        """End all of them, and blame the one whose file was being read, or that took too long."""
        guilty = set(self._reading) or (set(self._all) if len(self._all) == 1 else set())
        if not guilty and isinstance(crash, WorkerTimeout):
            guilty = {number for number, each in self._all.items() if _is_late(each)}

        def end(inspection: RunningInspection) -> None:
            if inspection.number in guilty:
                inspection.fail(crash)
            else:
                inspection.fail(CrashBeside(str(crash), crash.detail, is_innocent=bool(guilty)))

        self._end(end)

    def fail(self, error: Exception) -> None:
        """End all of them, and the one that was being started, with this error."""
        following, self.next = self.next, None
        self._end(lambda each: each.fail(error))
        if following is not None:
            following.fail(error)

    def _end(self, how: Callable[[RunningInspection], None]) -> None:
        ended, self._all = self._all, {}
        self._reading.clear()
        for inspection in ended.values():
            how(inspection)

    def _pop(self, inspection: RunningInspection) -> RunningInspection:
        self._reading.discard(inspection.number)
        return self._all.pop(inspection.number)


def failure(message: Message) -> InspectionError:
    """The error that the child told in a message."""
    return InspectionError(_text(message, "message"), _text(message, "detail"))


def _text(message: Message, key: str) -> str:
    lines = str(message.get(key, ""))[: 10 * MAX_LINE].splitlines()
    return "\n".join(printable(line, MAX_LINE) for line in lines)


def _is_late(inspection: RunningInspection) -> bool:
    limit = inspection.time_limit()
    return limit is not None and limit[0] <= time.monotonic()
