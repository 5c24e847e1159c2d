"""A child ends with its parent, whatever either of them is doing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agent.child_process.die_with_parent import NICENESS
from agent.child_process.start_child import start_child
from tests.agent.child_process.children import THIS
from tests.processes import runs, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="parents are killed by a signal")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux's kernel does this")


@pytest.mark.parametrize("how", [
    pytest.param("sleeping"),
    pytest.param("watched", id="watched by a thread"),
    pytest.param("spinning", marks=LINUX, id="spinning in C with Python's lock"),
    pytest.param("stopped", marks=LINUX),
])  # fmt: skip
def test_it_ends_when_its_parent_is_killed(how: str) -> None:
    with Parent("parent", how) as (parent, child):
        if how == "stopped":
            os.kill(child, signal.SIGSTOP)
        assert runs(child)
        parent.kill()
        wait_until(lambda: not runs(child))


@LINUX
def test_on_linux_it_ends_with_the_thread_that_started_it() -> None:
    """Which is why `start_child` asks for a thread that outlives the child."""
    with Parent("thread", "sleeping") as (parent, child):
        assert runs(child)
        assert parent.stdin is not None
        parent.stdin.close()
        wait_until(lambda: not runs(child))
        assert parent.poll() is None


class Parent:
    """A parent process and the number of its child; neither is left."""

    def __init__(self, *arguments: str) -> None:
        self._arguments = arguments

    def __enter__(self) -> tuple[subprocess.Popen[bytes], int]:
        pipe = subprocess.PIPE
        root = Path(__file__).resolve().parents[3]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        self._parent = subprocess.Popen(
            [*THIS, *self._arguments], stdin=pipe, stdout=pipe, env=environment
        )
        assert self._parent.stdout is not None
        self._child = int(self._parent.stdout.readline())
        return self._parent, self._child

    def __exit__(self, *exception: object) -> None:
        assert self._parent.stdin is not None
        assert self._parent.stdout is not None
        self._parent.kill()
        self._parent.wait()
        self._parent.stdin.close()
        self._parent.stdout.close()
        if runs(self._child):
            os.kill(self._child, signal.SIGKILL)


# A child that gives way runs behind the program that started it, with all it starts itself.
CODE = """
import subprocess, sys
from agent.child_process.die_with_parent import give_way
give_way()
subprocess.run([sys.executable, "-c", "import os; print(os.getpriority(os.PRIO_PROCESS, 0))"])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has classes instead of numbers")
def test_it_and_its_children_are_nicer_than_we_are() -> None:
    with start_child([sys.executable, "-c", CODE], stdout=subprocess.PIPE) as child:
        said = child.communicate()[0]
    assert int(said) == min(os.getpriority(os.PRIO_PROCESS, 0) + NICENESS, 19)
