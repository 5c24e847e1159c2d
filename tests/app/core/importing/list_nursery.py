"""The children that read lists, forked from a process that has imported what they need: they are
those of the program, without half a second of imports each. Run as a program: that process.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn

import pytest

from app.core.importing.child import child, parent


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=os.dup(0)) as orders:
        while True:
            text, files, *_ = socket.recv_fds(orders, 1 << 20, 3)
            if not text:
                return
            if os.fork() == 0:
                _keep(json.loads(text), *files)
            for file in files:
                os.close(file)


def _keep(order: dict[str, Any], out: int, err: int, told: int) -> NoReturn:
    """Start the child, tell its number, and, once it is gone, how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if (number := os.fork()) == 0:
        os.close(told)
        _read(order, out, err)
    os.close(out)
    os.write(told, b"%d\n" % number)
    _, status = os.waitpid(number, 0)
    os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _read(order: dict[str, Any], out: int, err: int) -> NoReturn:
    code = 1
    try:
        for source, target in ((os.open(os.devnull, os.O_RDONLY), 0), (out, 1), (err, 2)):
            os.dup2(source, target)
            os.close(source)
        os.environ.clear()
        os.environ.update(order["environment"])
        os.chdir(order["folder"])
        sys.argv[1:] = [order["request"]]
        child.main()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class ForkedChild:
    """What the parent asks of a `Popen`."""

    def __init__(self, out: int, told: int) -> None:
        self.stdout = os.fdopen(out, "rb")
        self._told = os.fdopen(told)
        self.pid = int(self._told.readline())
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = int(self._told.readline())
            self._told.close()
        return self._code


class ListNursery:
    """The test's side of it; the process is there from the first list on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, request: Mapping[str, Any], stderr: IO[bytes]) -> ForkedChild:
        with self._lock:
            if self._process is None:
                self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                root = Path(__file__).parents[4]
                command = [sys.executable, "-m", "tests.app.core.importing.list_nursery"]
                self._process = subprocess.Popen(command, stdin=theirs, cwd=root)
                theirs.close()
            out, out_end = os.pipe()
            told, told_end = os.pipe()
            environment = {**os.environ, **parent.ENVIRONMENT}
            order = {"request": json.dumps(request), "environment": environment}
            text = json.dumps({**order, "folder": str(Path.cwd())}).encode()
            socket.send_fds(self._orders, [text], [out_end, stderr.fileno(), told_end])
            os.close(out_end)
            os.close(told_end)
        return ForkedChild(out, told)

    def end(self) -> None:
        if self._process is not None:
            self._orders.close()
            self._process.wait()


@pytest.fixture(scope="session")
def list_readers() -> Iterator[ListNursery]:
    nursery = ListNursery()
    yield nursery
    nursery.end()


@pytest.fixture(autouse=True)
def quick_lists(
    request: pytest.FixtureRequest, list_readers: ListNursery, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everywhere but where the child itself is tested."""
    if sys.platform == "linux" and "child" not in request.path.parts:
        monkeypatch.setattr(parent, "_started", list_readers.start)


if __name__ == "__main__":
    main()
