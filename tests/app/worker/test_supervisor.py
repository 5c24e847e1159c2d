"""The supervisor keeps a child with the selected model, whatever dies."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from agent.engines.base import SamplingSettings
from agent.inspection.control import Interjection
from agent.inspection.inspector import run
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import ModelRef, SpectrumRef, Step, Trajectory
from agent.trajectory.trajectory_file import to_json
from app.worker import inspection as worker_inspection
from app.worker import process, supervisor
from app.worker.errors import (
    CrashBeside,
    InspectionError,
    LoadCrash,
    LoadError,
    WireError,
    WorkerClosed,
    WorkerCrash,
    WorkerTimeout,
)
from app.worker.inspection import (
    Failed,
    Finished,
    RunningInspection,
    Started,
    StepDone,
    TextGenerated,
    ignore_event,
)
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest, LoadRequest
from app.worker.supervisor import Running, WorkerClient, worker_command
from app.worker.wire import Message
from tests.app.worker.conftest import (
    COMMAND,
    HELLO,
    LONG_S,
    POSIX,
    EventRecorder,
    is_gone,
    request,
    spectrum,
)
from tests.app.worker.scripted_child import ANSWER, ZOOM, Scripted
from tests.processes import wait_until

MODEL = ModelRef(name="m", engine="remote", sha256="")


@pytest.mark.parametrize(("asked", "words"), [
    (InspectRequest(task="CV", path="missing.fits"), "missing.fits"),
    (replace(request(), task="XY"), 'no task "XY"'),
    (replace(request(), task="/nowhere/x.toml"), "/nowhere/x.toml"),
])  # fmt: skip
def test_what_cannot_be_inspected_is_said(
    shared: WorkerClient, asked: InspectRequest, words: str
) -> None:
    recorder = EventRecorder()
    inspection = shared.inspect(asked, recorder)
    with pytest.raises(InspectionError, match=words):
        inspection.result(LONG_S)
    assert isinstance(recorder.events[-1], Failed)
    pid = shared.pid
    assert shared.inspect(request()).result(LONG_S).verdict == "YES" and shared.pid == pid


@pytest.mark.parametrize(("name", "words"), [
    ("fault", "KeyError: 'picture'"), ("memory", "not enough memory for it: close other programs"),
])  # fmt: skip
def test_a_fault_costs_one_inspection_and_is_told(
    shared: WorkerClient, name: str, words: str
) -> None:
    with pytest.raises(InspectionError, match=words) as caught:
        shared.inspect(request(name)).result(LONG_S)
    assert "scripted_child.py" in caught.value.detail
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


def test_models_are_loaded_refused_and_changed(client: WorkerClient) -> None:
    assert client.load(LoadRequest("one")).result(LONG_S).name == "one"
    pid = client.pid
    with pytest.raises(LoadError, match="no model of that name"):
        client.load(LoadRequest("refuse")).result(LONG_S)
    with pytest.raises(LoadError, match="no model of that name"):
        client.inspect(request()).result(LONG_S)
    with pytest.raises(LoadError, match="KeyError: 'weights'"):
        client.load(LoadRequest("fault")).result(LONG_S)
    assert client.load(LoadRequest("two")).result(LONG_S).name == "two"
    assert client.inspect(request()).result(LONG_S).model.name == "two" and client.pid == pid


def test_a_model_that_never_loads_is_given_up_for_another(client: WorkerClient) -> None:
    slow = client.load(LoadRequest("slow"))
    waiting = client.inspect(request())
    assert client.load(LoadRequest("two")).result(LONG_S).name == "two"
    with pytest.raises(LoadError, match="another model"):
        slow.result(LONG_S)
    assert waiting.result(LONG_S).model.name == "two"


def test_unloaded_and_loaded_again(client: WorkerClient, tmp_path: Path) -> None:
    name = f"note-close:{tmp_path / 'closed'}"
    assert client.unload().result(LONG_S) is None
    client.load(LoadRequest(name)).result(LONG_S)
    client.unload().result(LONG_S)
    assert (tmp_path / "closed").exists()
    pid = client.pid
    assert client.inspect(request()).result(LONG_S).model.name == name and client.pid == pid


@POSIX
def test_killed_while_it_waits(client: WorkerClient) -> None:
    client.load(LoadRequest("one")).result(LONG_S)
    pid = client.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: client.pid is None)
    assert is_gone(pid)
    assert client.inspect(request()).result(LONG_S).model.name == "one"


@POSIX
def test_a_model_that_kills_is_tried_three_times(client: WorkerClient) -> None:
    with pytest.raises(LoadCrash, match=r"was loading die .*the weights are \?\[31mbroken"):
        client.load(LoadRequest("die")).result(LONG_S)
    for _ in range(2):
        with pytest.raises(LoadCrash):
            client.inspect(request()).result(LONG_S)
    with pytest.raises(LoadError, match="died 3 times in a row") as caught:
        client.inspect(request()).result(LONG_S)
    assert not isinstance(caught.value, LoadCrash)
    assert client.pid is None
    with pytest.raises(LoadCrash):  # asked for anew, it is tried anew
        client.load(LoadRequest("die")).result(LONG_S)
    assert client.load(LoadRequest("one")).result(LONG_S).name == "one"


@POSIX
def test_one_crash_at_the_load_is_forgotten_after_a_good_one(
    client: WorkerClient, tmp_path: Path
) -> None:
    name = f"die-unless-there:{tmp_path / 'there'}"
    with pytest.raises(LoadCrash):
        client.load(LoadRequest(name)).result(LONG_S)
    for _ in range(3):
        with pytest.raises(WorkerCrash):
            client.inspect(request("kill")).result(LONG_S)
    assert client.inspect(request()).result(LONG_S).model.name == name


@contextmanager
def impatient() -> Iterator[None]:
    """A second without a sign of life is too long; starting takes longer on a slow machine."""
    with mock.patch.multiple(supervisor, PING_S=0.1, MAX_UNANSWERED=10):
        yield


@POSIX
@pytest.mark.parametrize("act", ["stop", "spin"])
def test_a_worker_without_a_sign_of_life_is_killed(client: WorkerClient, act: str) -> None:
    client.load(LoadRequest("one")).result(LONG_S)
    pid = client.pid
    assert pid is not None
    told = pytest.raises(WorkerCrash, match=f"no sign of life for 1 s .* inspecting {act}")
    with impatient(), told:
        client.inspect(request(act)).result(LONG_S)
    assert is_gone(pid)
    assert client.inspect(request()).result(LONG_S).model.name == "one"


@POSIX
def test_a_worker_that_stops_while_it_loads_is_killed(client: WorkerClient) -> None:
    client.load(LoadRequest("one")).result(LONG_S)
    with impatient(), pytest.raises(LoadCrash, match=r"no sign of life for 1 s .* loading stop"):
        client.load(LoadRequest("stop")).result(LONG_S)


def test_a_worker_that_answers_may_take_its_time(
    client: WorkerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is asked for a sign of life more often than it may leave that unanswered."""
    client.load(LoadRequest("one")).result(LONG_S)
    asked: list[None] = []
    send = ChildProcess.send

    def noted(child: ChildProcess, message: Message) -> None:
        asked.extend([None] * (message["type"] == "ping"))
        send(child, message)

    monkeypatch.setattr(ChildProcess, "send", noted)
    with mock.patch.multiple(supervisor, PING_S=0.01, MAX_UNANSWERED=200):
        inspection = client.inspect(request("quiet"))
        wait_until(lambda: len(asked) > 220)
        assert not inspection.is_done()
        inspection.cancel()
        assert inspection.result(LONG_S).stopped_by == "cancelled"


def test_a_model_that_takes_for_ever_to_load_is_given_up(
    client: WorkerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(supervisor, "LOAD_S", 0.2)
    with pytest.raises(LoadError, match=r"did not load within 0\.2 s and was killed") as caught:
        client.load(LoadRequest("slow")).result(LONG_S)
    assert not isinstance(caught.value, LoadCrash)  # it would take as long again


def test_answers_of_another_kind_are_no_answers() -> None:
    loaded = '{"type": "loaded", "id": 2, "model": {"name": "x", "engine": "", "sha256": ""}}'
    step = '{"type": "step", "id": 1, "step": {"kind": "dance"}}'
    said = "".join(f"print({line!r}, flush=True); " for line in (HELLO, loaded, step))
    recorder = EventRecorder()
    with (
        WorkerClient([sys.executable, "-c", said + "input(); input(); input()"]) as client,
        pytest.raises(WorkerCrash, match="an unreadable message"),
    ):
        client.inspect(request(), recorder).result(LONG_S)
    assert [type(event) for event in recorder.events] == [Started, Failed]


class Child:
    """Takes messages and says nothing."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def wake(self) -> None:
        pass


@pytest.fixture
def three(monkeypatch: pytest.MonkeyPatch) -> tuple[Running, list[RunningInspection]]:
    monkeypatch.setattr(worker_inspection, "CANCEL_GRACE_S", 0.0)
    running, child = Running(), Child()
    all_three = [
        RunningInspection(number, request(deadline_s=deadline_s), ignore_event)
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
    inspection = RunningInspection(1, request("star"), ignore_event)
    running.start(inspection, Child(), MODEL)  # type: ignore[arg-type]
    assert running.activity == "was inspecting star"
    running.crash(WorkerCrash("the worker died"))
    assert type(error_of(inspection)) is WorkerCrash


def test_one_that_cannot_be_sent_fails_alone(three) -> None:
    class Full(Child):
        def send(self, message: Any) -> None:
            raise WireError("too long")

    running, all_three = three
    inspection = RunningInspection(4, request(), ignore_event)
    running.start(inspection, Full(), MODEL)  # type: ignore[arg-type]
    assert isinstance(error_of(inspection), WireError)
    assert running.activity == "was inspecting 3 spectra"
    assert not any(each.is_done() for each in all_three)


def test_an_inspection_is_the_same_as_in_this_process(shared: WorkerClient) -> None:
    steps: list[Step] = []
    inspector = Scripted("good", {"threads": 1})
    expected = run(inspector.inspect(spectrum("plain"), find_task("CV"), seed=5), steps.append)
    recorder = EventRecorder()
    found = shared.inspect(request("plain", seed=5), recorder).result(LONG_S)
    assert [_timeless(event.step) for event in recorder.of(StepDone)] == [*map(_timeless, steps)]
    spent = {"seconds": found.seconds, "engine_seconds": found.engine_seconds}
    steps_found = found.steps
    assert [*map(_timeless, steps_found)] == [*map(_timeless, expected.steps)]
    assert replace(found, steps=()) == replace(expected, steps=(), **spent)
    assert found.verdict == "YES"


def _timeless(step: Step) -> Step:
    return replace(step, seconds=0.0)


def test_going_on_from_a_record(shared: WorkerClient) -> None:
    first = shared.inspect(request("plain")).result(LONG_S)
    recorder = EventRecorder()
    again = shared.inspect(request("plain", so_far=first.until(1)), recorder).result(LONG_S)
    assert again.replies == (ZOOM, ZOOM, ANSWER)
    assert len(recorder.of(StepDone)) == len(again.steps) - len(first.until(1).steps)


def test_too_long_for_the_pipe_either_way(shared: WorkerClient) -> None:
    asked = InspectRequest(task="CV", spectrum=spectrum(pixels=800_000))
    with pytest.raises(WireError, match="too long"):
        shared.inspect(asked).result(LONG_S)
    with pytest.raises(InspectionError, match="too long"):
        shared.inspect(request("huge")).result(LONG_S)
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"
    inspection = shared.inspect(request())
    with pytest.raises(WireError, match="too long"):
        inspection.insert(Interjection(text="x" * 17_000_000))
    inspection.result(LONG_S)


def test_prints_do_not_harm_the_pipe(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    trajectory = shared.inspect(request("noisy"), recorder).result(LONG_S)
    assert trajectory.verdict == "YES"
    assert [type(event) for event in recorder.events] == [Started, Finished]


def test_warnings_of_the_worker_reach_the_log(
    shared: WorkerClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "app.worker"):
        shared.inspect(request("log")).result(LONG_S)
    assert [record.getMessage() for record in caplog.records] == [
        "some.library: the ?[31mred?[0m warning"
    ]


def test_closing_ends_what_runs_and_what_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "QUIT_GRACE_S", LONG_S)
    client = WorkerClient(COMMAND)
    client.load(LoadRequest(f"note-close:{tmp_path / 'closed'}"))
    recorder = EventRecorder()
    running = client.inspect(request("endless"), recorder)
    waiting = client.inspect(request())
    recorder.wait_for(TextGenerated)
    loading = client.load(LoadRequest("other"))
    pid = client.pid
    client.close()
    client.close()
    for inspection in (running, waiting):
        with pytest.raises(WorkerClosed):
            inspection.result(0)
    with pytest.raises(WorkerClosed):
        loading.result(0)
    assert isinstance(recorder.events[-1], Failed)
    assert client.pid is None
    assert pid is not None and is_gone(pid)
    assert (tmp_path / "closed").exists()
    with pytest.raises(WorkerClosed):
        client.load(LoadRequest("other"))


def test_closed_without_ever_working() -> None:
    WorkerClient(COMMAND).close()


def test_the_product_s_own_worker_measures(tmp_path: Path) -> None:
    assert "-P" in worker_command()
    with WorkerClient() as client:
        model = client.load(LoadRequest("measured", sampling=SamplingSettings())).result(LONG_S)
        trajectory = client.inspect(request()).result(LONG_S)
    assert trajectory.model == model and trajectory.verdict in ("YES", "NO")
