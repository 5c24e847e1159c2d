"""What dies, hangs or lies costs one inspection."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from app.worker.client import WorkerClient
from app.worker.errors import LoadCrash, LoadError, WorkerCrash
from app.worker.inspection import Failed, Spoken, Started
from app.worker.request import LoadRequest
from tests.app.worker.conftest import COMMAND, LONG_S, Ears, is_gone, request

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
HELLO = '{"type": "hello", "wire": 1}'


@POSIX
def test_killed_while_it_speaks_is_known_within_a_second(client: WorkerClient) -> None:
    client.load(LoadRequest("one")).result(LONG_S)
    ears = Ears()
    inspection = client.inspect(request("endless"), ears)
    ears.wait_for(Spoken)
    pid = client.pid
    assert pid is not None
    killed = time.monotonic()
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerCrash, match=r"killed by SIGKILL .* while it inspected endless"):
        inspection.result(LONG_S)
    assert time.monotonic() - killed < 1.0
    assert isinstance(ears.events[-1], Failed)
    assert is_gone(pid)
    assert client.inspect(request()).result(LONG_S).model.name == "one"
    assert client.pid not in (None, pid)


@POSIX
@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("segv", r"killed by SIGSEGV \(native code failed\)"),
        ("kill", r"killed by SIGKILL .*it last said: ggml: out of \?\[31mluck\?\[0m"),
        ("exit", "ended with status 3"),
    ],
)
def test_a_death_is_told_and_the_next_inspection_works(
    client: WorkerClient, act: str, words: str
) -> None:
    dying, waiting = client.inspect(request(act)), client.inspect(request())
    with pytest.raises(WorkerCrash, match=words):
        dying.result(LONG_S)
    assert waiting.result(LONG_S).verdict == "YES"


@POSIX
def test_a_crash_in_native_code_leaves_its_trace(client: WorkerClient) -> None:
    with pytest.raises(WorkerCrash) as caught:
        client.inspect(request("segv")).result(LONG_S)
    assert "in _segv" in caught.value.detail
    assert "\x1b" not in caught.value.detail


@POSIX
def test_killed_while_it_waits(client: WorkerClient) -> None:
    client.load(LoadRequest("one")).result(LONG_S)
    pid = client.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    _wait_until(lambda: client.pid is None)
    assert is_gone(pid)
    assert client.inspect(request()).result(LONG_S).model.name == "one"


@POSIX
def test_a_model_that_kills_is_tried_three_times(client: WorkerClient) -> None:
    with pytest.raises(LoadCrash, match=r"while it loaded die .*the weights are \?\[31mbroken"):
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


def test_one_that_does_not_stop_is_ended() -> None:
    with WorkerClient(COMMAND, cancel_grace_s=0.2) as client:
        ears = Ears()
        inspection = client.inspect(request("deaf"), ears)
        ears.wait_for(Spoken)
        inspection.cancel()
        with pytest.raises(WorkerCrash, match=r"did not stop within 0\.2 s"):
            inspection.result(LONG_S)
        assert client.inspect(request()).result(LONG_S).verdict == "YES"


def test_one_that_is_far_over_its_deadline_is_ended() -> None:
    with WorkerClient(COMMAND, cancel_grace_s=0.2) as client:
        inspection = client.inspect(request("deaf", deadline_s=0.3))
        with pytest.raises(WorkerCrash, match=r"over its deadline of 0\.3 s"):
            inspection.result(LONG_S)


@POSIX
def test_one_that_is_frozen_can_be_cancelled_and_closed() -> None:
    with WorkerClient(COMMAND, cancel_grace_s=0.2) as client:
        ears = Ears()
        inspection = client.inspect(request("endless"), ears)
        ears.wait_for(Spoken)
        assert client.pid is not None
        os.kill(client.pid, signal.SIGSTOP)
        assert client.ping(0.01) is None
        inspection.cancel()
        with pytest.raises(WorkerCrash, match="did not stop"):
            inspection.result(LONG_S)


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
        pytest.raises(LoadError, match="cannot be read"),
    ):
        client.load(LoadRequest()).result(LONG_S)


def test_answers_of_another_kind_are_no_answers() -> None:
    loaded = '{"type": "loaded", "id": 2, "model": {"name": "x", "engine": "", "sha256": ""}}'
    step = '{"type": "step", "id": 1, "step": {"kind": "dance"}}'
    said = "".join(f"print({line!r}, flush=True); " for line in (HELLO, loaded, step))
    ears = Ears()
    with (
        WorkerClient([sys.executable, "-c", said + "input(); input(); input()"]) as client,
        pytest.raises(WorkerCrash, match="cannot be read"),
    ):
        client.inspect(request(), ears).result(LONG_S)
    assert [type(event) for event in ears.events] == [Started, Failed]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('print(\'{"type": "hello", "wire": 99}\', flush=True); input()', "another version"),
        ("raise SystemExit(7)", "ended with status 7 while it started"),
        ("import nothing_of_that_name", "it last said: ModuleNotFoundError"),
        ("import sys, os; os.close(1); sys.stdin.read()", "stopped answering"),
    ],
)
def test_a_child_that_does_not_start(code: str, words: str) -> None:
    with (
        WorkerClient([sys.executable, "-c", code]) as client,
        pytest.raises(LoadError, match=words),
    ):
        client.load(LoadRequest()).result(LONG_S)


def test_no_such_program() -> None:
    with (
        WorkerClient(["/nowhere/python"]) as client,
        pytest.raises(LoadError, match="no worker could be started"),
    ):
        client.inspect(request()).result(LONG_S)


GRANDPARENT = """
import sys
sys.path.insert(0, sys.argv[1])
from app.worker.client import WorkerClient
from tests.app.worker.conftest import COMMAND, request
client = WorkerClient(COMMAND)
client.inspect(request("call:" + sys.argv[2])).result()
"""


def test_the_worker_dies_with_its_parent() -> None:
    """The worker holds a connection while it speaks: that it breaks is the proof."""
    root = Path(__file__).resolve().parents[3]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LONG_S)
        port = str(server.getsockname()[1])
        parent = subprocess.Popen([sys.executable, "-c", GRANDPARENT, str(root), port])
        try:
            line, _ = server.accept()
            with line:
                line.settimeout(LONG_S)
                parent.kill()
                killed = time.monotonic()
                assert _hears_the_end(line)
                assert time.monotonic() - killed < 5.0
        finally:
            parent.kill()
            parent.wait()


def _hears_the_end(line: socket.socket) -> bool:
    try:
        return line.recv(1) == b""
    except ConnectionResetError:
        return True


def _wait_until(is_so: object) -> None:
    assert callable(is_so)
    until = time.monotonic() + LONG_S
    while not is_so():
        assert time.monotonic() < until
        os.sched_yield()
