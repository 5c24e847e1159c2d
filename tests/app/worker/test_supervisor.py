"""The supervisor keeps a child with the selected model, whatever dies."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest import mock

import pytest

from app.worker import supervisor
from app.worker.client import WorkerClient
from app.worker.errors import (
    InspectionError,
    LoadCrash,
    LoadError,
    WorkerCrash,
)
from app.worker.inspection import Failed, Started
from app.worker.process import ChildProcess
from app.worker.request import InspectRequest, LoadRequest
from app.worker.wire import Message
from tests.app.worker.conftest import LONG_S, POSIX, EventRecorder, is_gone, request
from tests.processes import wait_until


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
    recorder = EventRecorder()
    inspection = shared.inspect(asked, recorder)
    with pytest.raises(InspectionError, match=words):
        inspection.result(LONG_S)
    assert isinstance(recorder.events[-1], Failed)
    pid = shared.pid
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"
    assert shared.pid == pid


def test_a_fault_in_the_inspector_costs_one_inspection_and_is_told(shared: WorkerClient) -> None:
    with pytest.raises(InspectionError, match="KeyError: 'picture'") as caught:
        shared.inspect(request("fault")).result(LONG_S)
    assert "scripted_child.py" in caught.value.detail
    assert shared.inspect(request()).result(LONG_S).verdict == "YES"


def test_too_little_memory_is_told_in_a_sentence(shared: WorkerClient) -> None:
    with pytest.raises(InspectionError, match="not enough memory for it: close other programs"):
        shared.inspect(request("memory")).result(LONG_S)
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


HELLO = '{"type": "hello", "wire": 1}'


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


@pytest.mark.parametrize(
    "says",
    [
        "'this is no JSON'",
        "'{}'",
        "'x' * 16_000_001",
        "'[' * 100_000",
        "chr(0) + chr(255)",
    ],
    ids=["words", "no type", "too long", "too deep", "bytes"],
)
def test_garbage_from_the_child(says: str) -> None:
    code = f"print({HELLO!r}); print({says}, flush=True); input()"
    with (
        WorkerClient([sys.executable, "-c", code]) as client,
        pytest.raises(LoadError, match="an unreadable message"),
    ):
        client.load(LoadRequest()).result(LONG_S)


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
