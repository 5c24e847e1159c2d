"""Children are started so that they end with the program."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from agent.child_process import start_child as module
from agent.child_process.start_child import start_child


def test_it_is_a_child_with_pipes() -> None:
    with start_child([sys.executable, "-c", "print('hi')"], stdout=subprocess.PIPE) as child:
        assert child.communicate()[0].split() == [b"hi"]
        assert child.returncode == 0


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        start_child(["/nowhere/python"])


@pytest.mark.skipif(ctypes.sizeof(ctypes.c_void_p) != 8, reason="sizes on 64 bits")
def test_the_limits_of_a_job_lie_in_memory_as_windows_has_them() -> None:
    assert ctypes.sizeof(module.JobLimits) == 144
    assert module.JobLimits.flags.offset == 16
    assert module.JobLimits.io_counters.offset == 64
    assert module.JobLimits.memory.offset == 112
