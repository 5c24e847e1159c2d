"""The program's side: events in order, steering, loading, closing."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from agent.engines.base import SamplingSettings
from agent.inspection.control import Interjection
from agent.inspection.interface import run
from agent.tasks.catalogue import task
from agent.trajectory.trajectory import Step
from app.worker.client import WorkerClient, worker_command
from app.worker.errors import (
    InspectionCancelled,
    InspectionError,
    LoadError,
    WireError,
    WorkerClosed,
)
from app.worker.inspection import Failed, Finished, Spoken, Started, Stepped
from app.worker.request import InspectRequest, LoadRequest
from tests.agent.spectra.readers import samples
from tests.app.worker.conftest import COMMAND, LONG_S, Ears, is_gone, request, spectrum
from tests.app.worker.scripted_child import ANSWER, ZOOM, Scripted


def test_an_inspection_is_the_same_as_in_this_process(shared: WorkerClient) -> None:
    steps: list[Step] = []
    inspector = Scripted("good", {"threads": 1})
    expected = run(inspector.inspect(spectrum("plain"), task("CV"), seed=5), steps.append)
    ears = Ears()
    found = shared.inspect(request("plain", seed=5), ears).result(LONG_S)
    assert [_timeless(event.step) for event in ears.of(Stepped)] == [*map(_timeless, steps)]
    spent = {"seconds": found.seconds, "engine_seconds": found.engine_seconds}
    steps_found = found.steps
    assert [*map(_timeless, steps_found)] == [*map(_timeless, expected.steps)]
    assert replace(found, steps=()) == replace(expected, steps=(), **spent)
    assert found.verdict == "YES"


def _timeless(step: Step) -> Step:
    return replace(step, seconds=0.0)


def test_events_come_in_order_and_words_as_they_are_said(shared: WorkerClient) -> None:
    ears = Ears()
    trajectory = shared.inspect(request("plain"), ears).result(LONG_S)
    assert isinstance(ears.events[0], Started)
    assert ears.events[0].model.name == "good"
    assert ears.events[-1] == Finished(trajectory)
    assert "".join(event.text for event in ears.of(Spoken)) == ZOOM + ANSWER
    assert len(ears.of(Spoken)) > 5
    steps = ears.of(Stepped)
    assert [event.step.kind for event in steps] == ["think", "zoom", "think", "answer"]
    said = ears.events.index(steps[0])
    assert "".join(each.text for each in ears.events[1:said] if isinstance(each, Spoken)) == ZOOM


def test_a_row_of_a_file_and_a_task_file(shared: WorkerClient, tmp_path: Path) -> None:
    path = tmp_path / "coadd é.fits"
    path.write_bytes(samples.desi())
    task_file = tmp_path / "own.toml"
    words = Path(task("CV").path or _bundled_cv()).read_text(encoding="utf-8")
    task_file.write_text(words, encoding="utf-8")
    asked = InspectRequest(task=str(task_file), path=path, row=1)
    trajectory = shared.inspect(asked).result(LONG_S)
    assert (trajectory.spectrum.path, trajectory.spectrum.row) == (str(path), 1)
    assert trajectory.task == "CV"


def _bundled_cv() -> str:
    from agent.tasks.catalogue import BUNDLED

    return str(next(BUNDLED.glob("cv*.toml")))


def test_going_on_from_a_record(shared: WorkerClient) -> None:
    first = shared.inspect(request("plain")).result(LONG_S)
    ears = Ears()
    again = shared.inspect(request("plain", so_far=first.until(1)), ears).result(LONG_S)
    assert again.replies == (ZOOM, ZOOM, ANSWER)
    assert len(ears.of(Stepped)) == len(again.steps) - len(first.until(1).steps)


def test_cancelled_while_it_speaks(shared: WorkerClient) -> None:
    ears = Ears()
    inspection = shared.inspect(request("endless"), ears)
    ears.wait_for(Spoken)
    inspection.cancel()
    inspection.cancel()
    assert inspection.result(LONG_S).stopped_by == "cancelled"
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


def test_cancelled_before_it_began(shared: WorkerClient) -> None:
    ears = Ears()
    with busy(shared):
        waiting = shared.inspect(request(), ears)
        waiting.cancel()
        with pytest.raises(InspectionCancelled):
            waiting.result(0)
        assert [type(event) for event in ears.events] == [Failed]
    shared.inspect(request()).result(LONG_S)
    assert len(ears.events) == 1


def test_the_deadline_holds_in_the_worker(shared: WorkerClient) -> None:
    trajectory = shared.inspect(request("endless", deadline_s=0.2)).result(LONG_S)
    assert trajectory.stopped_by == "cancelled"


@contextmanager
def busy(client: WorkerClient) -> Iterator[None]:
    """What is asked for inside waits until the end of the block."""
    ears = Ears()
    running = client.inspect(request("endless"), ears)
    ears.wait_for(Spoken)
    yield
    running.cancel()
    running.result(LONG_S)


def test_the_person_takes_over_and_hands_back(shared: WorkerClient) -> None:
    ears = Ears()
    with busy(shared):
        inspection = shared.inspect(request("plain"), ears)
        inspection.hold()
        inspection.insert(Interjection(text="and this?", range=(6550.0, 6580.0), label="core"))
    mine = ears.wait_for(lambda event: isinstance(event, Stepped) and event.step.by == "person")
    assert isinstance(mine, Stepped)
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
    ears = Ears()
    with busy(shared):
        inspection = shared.inspect(request("steered"), ears)
        inspection.hold()
    for text in ("look here", "and here"):
        inspection.insert(Interjection(text=text))
        ears.wait_for(
            lambda event, text=text: isinstance(event, Stepped) and event.step.text == text
        )
    assert Spoken("going on") not in ears.events
    inspection.go_on()
    inspection.result(LONG_S)
    assert Spoken("going on") in ears.events


def test_a_remark_made_while_it_waits_is_heard(shared: WorkerClient) -> None:
    with busy(shared):
        waiting = shared.inspect(request("plain"))
        waiting.hold()
        waiting.insert(Interjection(text="mind the sky"))
        waiting.go_on()
    remarks = [step.text for step in waiting.result(LONG_S).steps if step.by == "person"]
    assert remarks == ["mind the sky"]


def test_pinged_while_it_inspects(client: WorkerClient) -> None:
    assert client.ping() is None  # no process yet
    ears = Ears()
    inspection = client.inspect(request("endless"), ears)
    ears.wait_for(Spoken)
    seconds = client.ping(LONG_S)
    assert seconds is not None
    assert 0 < seconds < LONG_S
    inspection.cancel()
    inspection.result(LONG_S)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (InspectRequest(task="CV", path="missing.fits"), "missing.fits"),
        (replace(request(), task="XY"), 'no task "XY"'),
        (replace(request(), task="/nowhere/x.toml"), "/nowhere/x.toml"),
    ],
)
def test_what_cannot_be_inspected_is_said(
    shared: WorkerClient, asked: InspectRequest, words: str
) -> None:
    ears = Ears()
    inspection = shared.inspect(asked, ears)
    with pytest.raises(InspectionError, match=words):
        inspection.result(LONG_S)
    assert isinstance(ears.events[-1], Failed)
    pid = shared.pid
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"
    assert shared.pid == pid


def test_a_fault_in_the_inspector_costs_one_inspection_and_is_told(shared: WorkerClient) -> None:
    with pytest.raises(InspectionError, match="KeyError: 'picture'") as caught:
        shared.inspect(request("fault")).result(LONG_S)
    assert "scripted_child.py" in caught.value.detail
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


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
    ears = Ears()
    trajectory = shared.inspect(request("noisy"), ears).result(LONG_S)
    assert trajectory.verdict == "YES"
    assert [type(event) for event in ears.events] == [Started, Finished]


def test_warnings_of_the_worker_reach_the_log(
    shared: WorkerClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "app.worker"):
        shared.inspect(request("log")).result(LONG_S)
    assert [record.getMessage() for record in caplog.records] == [
        "some.library: the ?[31mred?[0m warning"
    ]


def test_a_listener_that_fails_harms_nobody_else(
    shared: WorkerClient, caplog: pytest.LogCaptureFixture
) -> None:
    def listen(event: object) -> None:
        raise KeyError("widget")

    assert shared.inspect(request(), listen).result(LONG_S).verdict == "YES"
    assert "KeyError: 'widget'" in caplog.text


def test_done_is_said_after_the_last_event(shared: WorkerClient) -> None:
    ears, said = Ears(), threading.Event()
    inspection = shared.inspect(request(), ears)
    counts: list[int] = []
    inspection.when_done(lambda each: (counts.append(len(ears.events)), said.set()))
    assert said.wait(LONG_S)
    assert counts == [len(ears.events)]
    assert inspection.is_done()


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
    assert client.inspect(request()).result(LONG_S).model.name == "two"
    assert client.pid == pid


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
    assert client.inspect(request()).result(LONG_S).model.name == name
    assert client.pid == pid


def test_closing_ends_what_runs_and_what_waits(tmp_path: Path) -> None:
    client = WorkerClient(COMMAND)
    client.load(LoadRequest(f"note-close:{tmp_path / 'closed'}"))
    ears = Ears()
    running = client.inspect(request("endless"), ears)
    waiting = client.inspect(request())
    ears.wait_for(Spoken)
    loading = client.load(LoadRequest("other"))
    pid = client.pid
    client.close()
    client.close()
    for inspection in (running, waiting):
        with pytest.raises(WorkerClosed):
            inspection.result(0)
    with pytest.raises(WorkerClosed):
        loading.result(0)
    assert isinstance(ears.events[-1], Failed)
    assert client.pid is None
    assert pid is not None
    assert is_gone(pid)
    assert (tmp_path / "closed").exists()
    with pytest.raises(WorkerClosed):
        client.load(LoadRequest("other"))


def test_closed_without_ever_working() -> None:
    WorkerClient(COMMAND).close()


def test_one_of_file_and_spectrum() -> None:
    with pytest.raises(WireError):
        InspectRequest(task="CV")
    with pytest.raises(WireError):
        InspectRequest(task="CV", path="x.fits", spectrum=spectrum())


def test_the_product_s_own_worker_measures(tmp_path: Path) -> None:
    assert "-P" in worker_command()
    with WorkerClient() as client:
        model = client.load(LoadRequest("measured", sampling=SamplingSettings())).result(LONG_S)
        trajectory = client.inspect(request()).result(LONG_S)
    assert trajectory.model == model
    assert trajectory.verdict in ("YES", "NO")
