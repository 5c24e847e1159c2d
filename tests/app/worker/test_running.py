"""Several inspections in one child: which one a message or a crash is about."""

from __future__ import annotations

from typing import Any

import pytest

from agent.trajectory.trajectory import ModelRef, SpectrumRef, Trajectory
from agent.trajectory.trajectory_file import to_json
from app.worker.errors import CrashBeside, InspectionError, WireError, WorkerCrash, WorkerTimeout
from app.worker.inspection import RunningInspection, ignore_event
from app.worker.running import Running
from tests.app.worker.conftest import request

MODEL = ModelRef(name="m", engine="remote", sha256="")


class Child:
    """Takes messages and says nothing."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def wake(self) -> None:
        pass


@pytest.fixture
def three() -> tuple[Running, list[RunningInspection]]:
    running, child = Running(), Child()
    all_three = [
        RunningInspection(number, request(deadline_s=deadline_s), ignore_event, 0.0)
        for number, deadline_s in ((1, None), (2, 0.0), (3, None))
    ]
    for each in all_three:
        running.start(each, child, MODEL)  # type: ignore[arg-type]
    return running, all_three


def error_of(inspection: RunningInspection) -> BaseException:
    with pytest.raises(Exception) as caught:
        inspection.result(0)
    return caught.value


def test_messages_reach_the_one_that_they_are_about(three) -> None:
    running, (one, two, third) = three
    record = Trajectory(
        task="CV", spectrum=SpectrumRef(object_id="x"), model=MODEL, stopped_by="answer"
    )
    running.handle({"type": "done", "id": 2, "trajectory": to_json(record), "busy": 4})
    assert two.result(0) == record and two.busy == 4
    running.handle({"type": "failed", "id": 3, "message": "no such file", "detail": ""})
    assert isinstance(error_of(third), InspectionError)
    running.handle({"type": "done", "id": 2, "trajectory": to_json(record)})  # a second time
    running.handle({"type": "failed", "id": [], "message": "?"})
    assert running and not one.is_done()
    running.handle({"type": "failed", "id": None, "message": "unreadable request"})
    assert not running and "unreadable" in str(error_of(one))


def test_the_one_whose_file_was_being_read_is_to_blame(three) -> None:
    running, (one, two, third) = three
    for kind, number in (("reading", 1), ("read", 1), ("reading", 3)):
        running.handle({"type": kind, "id": number})
    running.crash(WorkerCrash("the worker died"))
    assert type(error_of(third)) is WorkerCrash
    for other in (one, two):
        error = error_of(other)
        assert isinstance(error, CrashBeside) and error.is_innocent
    assert not running


def test_if_none_was_reading_each_may_be_to_blame(three) -> None:
    running, all_three = three
    running.crash(WorkerCrash("the worker died"))
    for each in all_three:
        error = error_of(each)
        assert isinstance(error, CrashBeside) and not error.is_innocent


def test_the_one_that_took_too_long_is_to_blame(three) -> None:
    running, (one, two, third) = three
    limit = running.time_limit()
    assert limit is not None and "over its deadline" in limit[1]
    running.crash(WorkerTimeout("was killed"))
    assert type(error_of(two)) is WorkerTimeout
    assert isinstance(error_of(one), CrashBeside) and isinstance(error_of(third), CrashBeside)


def test_one_alone_is_to_blame() -> None:
    running = Running()
    inspection = RunningInspection(1, request("star"), ignore_event, 0.0)
    running.start(inspection, Child(), MODEL)  # type: ignore[arg-type]
    assert running.activity == "was inspecting star"
    running.crash(WorkerCrash("the worker died"))
    assert type(error_of(inspection)) is WorkerCrash


def test_one_that_cannot_be_sent_fails_alone(three) -> None:
    class Full(Child):
        def send(self, message: Any) -> None:
            raise WireError("too long")

    running, all_three = three
    inspection = RunningInspection(4, request(), ignore_event, 0.0)
    running.start(inspection, Full(), MODEL)  # type: ignore[arg-type]
    assert isinstance(error_of(inspection), WireError)
    assert running.activity == "was inspecting 3 spectra"
    assert not any(each.is_done() for each in all_three)
