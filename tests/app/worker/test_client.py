"""The client: the same results as in this process, a robust pipe, closing."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from agent.engines.base import SamplingSettings
from agent.inspection.control import Interjection
from agent.inspection.inspector import run
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import Step
from app.worker import process
from app.worker.client import WorkerClient, worker_command
from app.worker.errors import (
    InspectionError,
    WireError,
    WorkerClosed,
)
from app.worker.inspection import Failed, Finished, Started, StepDone, TextGenerated
from app.worker.request import InspectRequest, LoadRequest
from tests.app.worker.conftest import COMMAND, LONG_S, EventRecorder, is_gone, request, spectrum
from tests.app.worker.scripted_child import ANSWER, ZOOM, Scripted


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


def test_pinged_while_it_inspects(client: WorkerClient) -> None:
    assert client.ping() is None  # no process yet
    recorder = EventRecorder()
    inspection = client.inspect(request("endless"), recorder)
    recorder.wait_for(TextGenerated)
    seconds = client.ping(LONG_S)
    assert seconds is not None
    assert seconds > 0
    inspection.cancel()
    inspection.result(LONG_S)


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
    assert pid is not None
    assert is_gone(pid)
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
    assert trajectory.model == model
    assert trajectory.verdict in ("YES", "NO")
