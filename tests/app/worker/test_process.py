"""A child process that dies, hangs or cannot be started fails one inspection only."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent.child_process.die_with_parent import NICENESS
from app.worker.errors import LoadError, WorkerCrash
from app.worker.inspection import Failed, TextGenerated
from app.worker.process import ChildProcess, describe_exit, last_line, printable_lines
from app.worker.request import LoadRequest
from app.worker.supervisor import WorkerClient, worker_command
from tests.app.worker.conftest import HELLO, LONG_S, POSIX, EventRecorder, is_gone, request
from tests.processes import runs, wait_until


@POSIX
def test_killed_while_it_speaks_is_known(client: WorkerClient) -> None:
    """Not only when it gives no sign of life, which would be another reason."""
    client.load(LoadRequest("one")).result(LONG_S)
    recorder = EventRecorder()
    inspection = client.inspect(request("endless"), recorder)
    recorder.wait_for(TextGenerated)
    pid = client.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerCrash, match=r"killed by SIGKILL .* while it was inspecting endless"):
        inspection.result(LONG_S)
    assert isinstance(recorder.events[-1], Failed)
    assert is_gone(pid)
    assert client.inspect(request()).result(LONG_S).model.name == "one"
    assert client.pid not in (None, pid)


KILLED_WITH = """
import sys, threading
from app.worker.supervisor import WorkerClient
from app.worker.request import LoadRequest
from tests.app.worker.conftest import COMMAND, request

client = WorkerClient(COMMAND)
client.load(LoadRequest("one")).result()
started = threading.Event()
client.inspect(request(sys.argv[1]), lambda event: started.set())
started.wait()
print(client.pid, flush=True)
threading.Event().wait()
"""


@pytest.mark.parametrize(
    "act", ["endless", *(pytest.param(act, marks=POSIX) for act in ("quiet", "spin", "stop"))]
)
def test_it_ends_with_a_program_that_is_killed(act: str) -> None:
    """While it speaks, at work, in native code that never returns, or stopped."""
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_WITH, act], cwd=root, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        worker = int(program.stdout.readline())
        program.kill()
        wait_until(lambda: not runs(worker))


@POSIX
@pytest.mark.parametrize(("act", "words"), [
    ("segv", r"killed by SIGSEGV \(native code failed\)"),
    ("kill", r"killed by SIGKILL .*its last line: ggml: out of \?\[31mluck\?\[0m"),
    ("exit", "ended with status 3"),
])  # fmt: skip
def test_a_death_is_told_and_the_next_inspection_works(
    client: WorkerClient, act: str, words: str
) -> None:
    """A crash in native code leaves its trace."""
    dying, waiting = client.inspect(request(act)), client.inspect(request())
    with pytest.raises(WorkerCrash, match=words) as caught:
        dying.result(LONG_S)
    assert ("in _segv" in caught.value.detail) == (act == "segv")
    assert "\x1b" not in caught.value.detail
    assert waiting.result(LONG_S).verdict == "YES"


GARBAGE = (
    "'this is no JSON'", "'{}'", "'x' * 16_000_001", "'[' * 100_000", "chr(0) + chr(255)"
)  # fmt: skip


@pytest.mark.parametrize(("code", "words"), [
    ('print(\'{"type": "hello", "wire": 99}\', flush=True); input()', "another version"),
    ("raise SystemExit(7)", "ended with status 7 while it was starting"),
    ("import nothing_of_that_name", "its last line: ModuleNotFoundError"),
    ("import sys, os; os.close(1); sys.stdin.read()", "stopped answering"),
    *((f"print({HELLO!r}); print({says}, flush=True); input()", "an unreadable message")
      for says in GARBAGE),
])  # fmt: skip
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


@POSIX
@pytest.mark.parametrize("gives_way", [True, False])
def test_only_a_worker_of_the_window_leaves_it_the_processor(gives_way: bool) -> None:
    child = ChildProcess(worker_command(gives_way=gives_way))
    try:
        assert child.receive(LONG_S) is not None  # it has started
        ours = os.getpriority(os.PRIO_PROCESS, 0)
        wanted = min(ours + NICENESS, 19) if gives_way else ours
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == wanted
    finally:
        child.close()


@pytest.mark.parametrize(("code", "words"), [
    (-9, "was killed by SIGKILL (as when memory runs out)"),
    (-11, "was killed by SIGSEGV (native code failed)"),
    (-15, "was killed by SIGTERM"),
    (-200, "was killed by signal 200"),
    (0, "ended with status 0"),
    (0xC0000005, "died of an access violation: native code failed"),
])  # fmt: skip
def test_how_it_ended(code: int, words: str) -> None:
    assert describe_exit(code) == words


def test_the_last_line_before_the_trace_of_the_interpreter() -> None:
    lines = printable_lines([b"loading\n", b"bad \x1b[2Jmagic \xff\r\n", b"\n"])
    assert lines[1].startswith("bad ?[2Jmagic")
    assert last_line([*lines, "Fatal Python error: Aborted", '  File "x.py", line 3']) == lines[1]
    assert last_line([*lines, "[PYI-7:ERROR] Failed to execute script 'main'!"]) == lines[1]
    assert last_line(lines) == lines[1] and last_line([]) == ""
    assert len(printable_lines([b"x" * 5000])[0]) < 300
