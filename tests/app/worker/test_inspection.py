"""A running inspection: events in order, steering, cancelling, time limits."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent.inspection.control import Interjection
from app.worker.errors import InspectionCancelled, WorkerCrash
from app.worker.inspection import Failed, Finished, Started, StepDone, TextGenerated
from app.worker.supervisor import WorkerClient
from tests.app.worker.conftest import COMMAND, LONG_S, POSIX, EventRecorder, request
from tests.app.worker.scripted_child import ANSWER, ZOOM


def test_events_come_in_order_and_words_as_they_are_said(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    trajectory = shared.inspect(request("plain"), recorder).result(LONG_S)
    assert isinstance(recorder.events[0], Started) and recorder.events[0].model.name == "good"
    assert recorder.events[-1] == Finished(trajectory)
    assert "".join(event.text for event in recorder.of(TextGenerated)) == ZOOM + ANSWER
    assert len(recorder.of(TextGenerated)) > 5
    steps = recorder.of(StepDone)
    assert [event.step.kind for event in steps] == ["think", "zoom", "think", "answer"]
    said = recorder.events.index(steps[0])
    assert (
        "".join(each.text for each in recorder.events[1:said] if isinstance(each, TextGenerated))
        == ZOOM
    )


def test_cancelled_while_it_speaks(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    inspection = shared.inspect(request("endless"), recorder)
    recorder.wait_for(TextGenerated)
    inspection.cancel()
    inspection.cancel()
    assert inspection.result(LONG_S).stopped_by == "cancelled"
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


def test_cancelled_before_it_began(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    with busy(shared):
        waiting = shared.inspect(request(), recorder)
        waiting.cancel()
        with pytest.raises(InspectionCancelled):
            waiting.result(0)
        assert [type(event) for event in recorder.events] == [Failed]
    shared.inspect(request()).result(LONG_S)
    assert len(recorder.events) == 1


def test_the_deadline_holds_in_the_worker(shared: WorkerClient) -> None:
    trajectory = shared.inspect(request("endless", deadline_s=0.2)).result(LONG_S)
    assert trajectory.stopped_by == "cancelled"


@contextmanager
def busy(client: WorkerClient) -> Iterator[None]:
    """What is asked for inside waits until the end of the block."""
    recorder = EventRecorder()
    running = client.inspect(request("endless"), recorder)
    recorder.wait_for(TextGenerated)
    yield
    running.cancel()
    running.result(LONG_S)


def test_the_person_takes_over_and_hands_back(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    with busy(shared):
        inspection = shared.inspect(request("plain"), recorder)
        inspection.hold()
        inspection.insert(Interjection(text="and this?", range=(6550.0, 6580.0), label="core"))
    mine = recorder.wait_for(
        lambda event: isinstance(event, StepDone) and event.step.by == "person"
    )
    assert isinstance(mine, StepDone)
    assert (mine.step.range, mine.step.label) == ((6550.0, 6580.0), "core")
    assert mine.step.text == "and this?"
    inspection.go_on()
    trajectory = inspection.result(LONG_S)
    assert [step.by for step in trajectory.steps].count("person") == 1
    assert trajectory.stopped_by == "answer"
    inspection.hold()  # it has ended: nothing happens
    inspection.cancel()
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


def test_held_until_told_to_go_on(shared: WorkerClient) -> None:
    recorder = EventRecorder()
    with busy(shared):
        inspection = shared.inspect(request("steered"), recorder)
        inspection.hold()
    for text in ("look here", "and here"):
        inspection.insert(Interjection(text=text))
        recorder.wait_for(
            lambda event, text=text: isinstance(event, StepDone) and event.step.text == text
        )
    assert TextGenerated("going on") not in recorder.events
    inspection.go_on()
    inspection.result(LONG_S)
    assert TextGenerated("going on") in recorder.events


def test_a_remark_made_while_it_waits_is_heard(shared: WorkerClient) -> None:
    with busy(shared):
        waiting = shared.inspect(request("plain"))
        waiting.hold()
        waiting.insert(Interjection(text="mind the sky"))
        waiting.go_on()
    remarks = [step.text for step in waiting.result(LONG_S).steps if step.by == "person"]
    assert remarks == ["mind the sky"]


def test_a_listener_that_fails_harms_nobody_else(
    shared: WorkerClient, caplog: pytest.LogCaptureFixture
) -> None:
    def listen(event: object) -> None:
        raise KeyError("widget")

    assert shared.inspect(request(), listen).result(LONG_S).verdict == "YES"
    assert "KeyError: 'widget'" in caplog.text


def test_done_is_said_after_the_last_event(shared: WorkerClient) -> None:
    recorder, said = EventRecorder(), threading.Event()
    inspection = shared.inspect(request(), recorder)
    counts: list[int] = []
    inspection.when_done(lambda each: (counts.append(len(recorder.events)), said.set()))
    assert said.wait(LONG_S)
    assert counts == [len(recorder.events)]
    assert inspection.is_done()


@pytest.mark.parametrize("act", ["deaf", pytest.param("endless", marks=POSIX, id="frozen")])
def test_one_that_does_not_stop_is_ended(little_grace: None, act: str) -> None:
    with WorkerClient(COMMAND) as client:
        recorder = EventRecorder()
        inspection = client.inspect(request(act), recorder)
        recorder.wait_for(TextGenerated)
        if act == "endless":
            assert client.pid is not None
            os.kill(client.pid, signal.SIGSTOP)
        inspection.cancel()
        with pytest.raises(WorkerCrash, match=r"did not stop within 0\.2 s"):
            inspection.result(LONG_S)
        assert client.inspect(request()).result(LONG_S).verdict == "YES"


def test_one_that_is_far_over_its_deadline_is_ended(little_grace: None) -> None:
    with WorkerClient(COMMAND) as client:
        inspection = client.inspect(request("deaf", deadline_s=0.3))
        with pytest.raises(WorkerCrash, match=r"over its deadline of 0\.3 s"):
            inspection.result(LONG_S)
