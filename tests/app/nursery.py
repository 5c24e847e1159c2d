"""Children that read lists and children that inspect, each kind forked from a process that has
imported what they need: they are those of the program, without a second of imports each. Run as a
program: that process.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NoReturn, Self

import pytest

from agent.child_process import rows_in_child
from agent.child_process.rows_in_child import ENVIRONMENT
from app.core.importing.child import parent
from app.worker import process
from app.worker.supervisor import worker_command

ROOT = Path(__file__).parents[2]
PRODUCT, SCRIPTED = worker_command()[2], str(Path(__file__).parent / "worker" / "scripted_child.py")
LISTS, ROWS, WORKERS = "lists", "rows", "workers"
Works = dict[str, Callable[[], object]]


def list_readers() -> Works:
    from app.core.importing.child import child

    import_module("app.core.evidence.local_catalogue")  # it reads rows, and imports the most
    return {LISTS: child.main, ROWS: rows_in_child.main}


def workers() -> Works:
    """One spectrum was inspected, as much is imported only then; no picture was drawn, as children
    that share a file of a font move one another's place in it."""
    from agent.inspection.inspector import run
    from agent.inspection.measured_inspector import MeasuredInspector
    from agent.spectra.readers import read_numbered
    from agent.tasks.catalogue import find_task
    from app.worker import __main__ as product
    from app.worker.child import NEEDED_BESIDE
    from tests.app.worker import scripted_child as scripted

    file = next((ROOT / "resources" / "sample" / "spectra").glob("*/spec-90000-60230-0001.fits.gz"))
    for module in NEEDED_BESIDE:
        import_module(module)
    product.make("measured")
    run(MeasuredInspector(draw=False).inspect(read_numbered(str(file), 0), find_task("CV")))
    scripted.make("good", sharing=False)._inspector()
    return {PRODUCT: product.main, SCRIPTED: partial(scripted.main, scripted.make)}


KINDS = {LISTS: list_readers, WORKERS: workers}


def main() -> None:
    works = KINDS[sys.argv[1]]()
    files = [each for each in Path("/proc/self/fd").iterdir() if int(each.name) > 2]
    assert not any(each.is_file() for each in files), "children would share their places in them"
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(fileno=os.dup(0)) as orders:
        while True:
            text, files, *_ = socket.recv_fds(orders, 1 << 20, 4)
            if not text:
                return
            if os.fork() == 0:
                _keep(works, json.loads(text), *files)
            for file in files:
                os.close(file)


def _keep(works: Works, order: dict[str, Any], told: int, *streams: int) -> NoReturn:
    """Start the child, tell its number, and, once it is gone, how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if (number := os.fork()) == 0:
        os.close(told)
        _work(works[order["program"]], order, streams)
    for each in streams:
        os.close(each)
    os.write(told, b"%d\n" % number)
    _, status = os.waitpid(number, 0)
    os.write(told, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _work(work: Callable[[], object], order: dict[str, Any], streams: Sequence[int]) -> NoReturn:
    code = 1
    try:
        for target, source in enumerate(streams):
            os.dup2(source, target)
            os.close(source)
        os.environ.clear()
        os.environ.update(order["environment"])
        os.chdir(order["folder"])
        sys.argv[1:] = order["arguments"]
        work()
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


class ForkedChild:
    """What the program asks of a `Popen`."""

    def __init__(self, told: int, out: int, stdin: int | None = None, err: int = -1) -> None:
        self._told = os.fdopen(told)
        self.stdout = os.fdopen(out, "rb")
        if stdin is not None:
            self.stdin, self.stderr = os.fdopen(stdin, "wb"), os.fdopen(err, "rb")
        self.returncode: int | None = None

    def begun(self) -> Self:
        self.pid = int(self._told.readline())
        return self

    def kill(self, number: int = signal.SIGKILL) -> None:
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.kill(signal.SIGTERM)

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._told], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a forked child", timeout or 0.0)
            self.returncode = int(self._told.readline())
            self._told.close()
        return self.returncode


class Nursery:
    """The test's side of a process, which is there from its first child on."""

    def __init__(self, kind: str) -> None:
        self._kind, self._lock = kind, threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(
        self,
        program: str,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        stderr: int | None = None,
        stdin: int | None = None,
    ) -> ForkedChild:
        """With pipes to and from it, or, where `stderr` is given, with these files."""
        with self._lock:
            if self._process is None:
                self._orders, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
                command = [sys.executable, "-m", "tests.app.nursery", self._kind]
                self._process = subprocess.Popen(command, stdin=theirs, cwd=ROOT)
                theirs.close()
            (told, told_end), (out, out_end) = os.pipe(), os.pipe()
            if stderr is None:
                (source, sink), (err, err_end) = os.pipe(), os.pipe()
                child = ForkedChild(told, out, sink, err)
            else:
                source = os.open(os.devnull, os.O_RDONLY) if stdin is None else os.dup(stdin)
                err_end = os.dup(stderr)
                child = ForkedChild(told, out)
            order = {"program": program, "arguments": arguments, "folder": str(Path.cwd())}
            text = json.dumps({**order, "environment": dict(environment)}).encode()
            ends = [told_end, source, out_end, err_end]
            socket.send_fds(self._orders, [text], ends)
            for end in ends:
                os.close(end)
        return child.begun()

    def end(self) -> None:
        if self._process is not None:
            self._orders.close()
            self._process.wait()
            self._process = None


NURSERIES = {kind: Nursery(kind) for kind in KINDS}


@pytest.fixture(scope="session")
def nurseries() -> Iterator[dict[str, Nursery]]:
    yield NURSERIES
    for each in NURSERIES.values():
        each.end()


@pytest.fixture(scope="module", autouse=True)
def quick_children(request: pytest.FixtureRequest, nurseries: dict[str, Nursery]) -> Iterator[None]:
    """Everywhere but where the children themselves are tested."""
    if sys.platform != "linux" or {"child", "worker"} & {*request.path.parts}:
        yield
        return

    def read_list(request: Mapping[str, Any], stderr: IO[bytes]) -> ForkedChild:
        environment = {**os.environ, **ENVIRONMENT}
        return nurseries[LISTS].start(LISTS, [json.dumps(request)], environment, stderr.fileno())

    def read_rows(command: Sequence[str], *, stdin: IO[bytes], env: Any, **_: Any) -> ForkedChild:
        with Path(os.devnull).open("wb") as nowhere:
            return nurseries[LISTS].start(ROWS, [], env, nowhere.fileno(), stdin.fileno())

    def start(command: Sequence[str], **options: Any) -> Any:
        if command[2] not in (PRODUCT, SCRIPTED):
            return process_start(command, **options)
        return nurseries[WORKERS].start(command[2], command[3:], os.environ)

    process_start = process.start_child
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parent, "_started", read_list)
        patch.setattr(rows_in_child, "start_child", read_rows)
        patch.setattr(process, "start_child", start)
        patch.setattr(process, "END_GRACE_S", 3.0)  # how it ended is told by another process
        yield


if __name__ == "__main__":
    main()
