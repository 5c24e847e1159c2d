"""The child process, driven line by line through its pipes."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from app.worker.wire import MAX_BYTES, WIRE_VERSION, Message, encode, read_message
from tests.app.worker.conftest import COMMAND, LONG_S, request


class Line:
    """A worker's pipes."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process: Any = subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe)
        assert self.hear() == {"type": "hello", "wire": WIRE_VERSION}

    def say(self, line: bytes) -> None:
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def hear(self, kind: str | None = None) -> Message | None:
        while True:
            message = read_message(self.process.stdout)
            if message is None or kind in (None, message["type"]):
                return message

    def ask(self, kind: str, **rest: object) -> None:
        self.say(encode({"type": kind, "id": 1, **rest}))


@contextmanager
def open_line() -> Iterator[Line]:
    line = Line()
    with line.process:
        yield line
        line.process.stdin.close()
        assert line.process.wait(LONG_S) == 0


@pytest.fixture
def line() -> Iterator[Line]:
    with open_line() as line:
        yield line


@pytest.fixture(scope="module")
def lasting_line() -> Iterator[Line]:
    """One for all that must leave it open."""
    with open_line() as line:
        yield line


@pytest.mark.parametrize("garbage", [
    b"not json\n", b"\x00\xff\xfe\n", b"[]\n", b'{"type": 7}\n', b'{"type": "load"}\n',
    b'{"type": "dance", "id": 1}\n', b'{"type": "ping", "id": "one"}\n',
    b'{"type": "inspect", "id": 1}\n', b'{"type": "inspect", "id": 1, "deadline_s": "soon"}\n',
    b'{"type": "ping", "id": ' + b"[" * 100_000 + b"\n", b"x" * (MAX_BYTES + 10) + b"\n",
])  # fmt: skip
def test_garbage_is_answered_and_the_line_stays_open(lasting_line: Line, garbage: bytes) -> None:
    lasting_line.say(garbage)
    reply = lasting_line.hear()
    assert reply is not None and (reply["type"], reply["id"]) == ("failed", None)
    assert "unreadable message" in reply["message"]
    lasting_line.ask("ping")
    assert lasting_line.hear() == {"type": "pong", "id": 1}


@pytest.mark.parametrize("change", [
    {"spectrum": {"wavelength": "AAAA"}}, {"spectrum": "text"}, {"so_far": {"version": 1}},
    {"task": "no such task"}, {"seed": "seven"}, {"task": 5},
])  # fmt: skip
def test_a_request_with_faults_is_refused(lasting_line: Line, change: dict[str, object]) -> None:
    lasting_line.ask("load", model="good", options={})
    lasting_line.hear("loaded")
    lasting_line.say(encode(request().message(7) | change))
    reply = lasting_line.hear("failed")
    assert reply is not None and reply["id"] == 7
    lasting_line.say(encode(request().message(8)))
    assert lasting_line.hear("done") is not None


def test_no_model_no_inspection(line: Line) -> None:
    line.say(encode(request().message(1)))
    reply = line.hear()
    assert reply is not None and "no model is loaded" in reply["message"]


def test_side_by_side_only_the_result_is_told_and_when_the_file_is_read(line: Line) -> None:
    line.ask("load", model="http://x", options={"sharing": 1, "side_by_side": True})
    assert line.hear("loaded") is not None
    for number, name in ((2, "together:3"), (3, "plain"), (4, "together:3"), (5, "together:3")):
        line.say(encode(request(name).message(number)))
    heard: dict[int, list[str]] = {}
    while sum("done" in kinds for kinds in heard.values()) < 4:
        message = line.hear()
        assert message is not None and message["type"] != "failed", message
        heard.setdefault(message["id"], []).append(message["type"])
    assert heard == {number: ["reading", "read", "done"] for number in (2, 3, 4, 5)}
    line.ask("unload")
    assert line.hear() == {"type": "unloaded", "id": 1}


def test_unknown_options_are_said(line: Line) -> None:
    line.ask("load", model="good", options={"model": 1})
    reply = line.hear()
    assert reply is not None and "TypeError" in reply["message"]


@pytest.mark.parametrize("polite", [True, False], ids=["quit", "end of input"])
def test_leaves_while_it_speaks(line: Line, polite: bool, tmp_path: Path) -> None:
    line.ask("load", model=f"note-close:{tmp_path / 'closed'}", options={})
    line.say(encode(request("endless").message(2)))
    assert line.hear("text") is not None
    if polite:
        line.ask("quit")
    else:
        line.process.stdin.close()
    while line.hear() is not None:
        pass
    assert line.process.wait(LONG_S) == 0
    assert (tmp_path / "closed").exists()


def test_leaves_at_once_though_the_inspector_does_not(line: Line) -> None:
    line.ask("load", model="slow", options={})
    line.process.stdin.close()
    assert line.hear() is None
