"""Starts a child process that ends with this program, and ends one."""

import ctypes
import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from ctypes import c_int64, c_size_t, c_uint32, c_uint64
from functools import cache
from pathlib import Path
from typing import Any

_KILL_ON_JOB_CLOSE = 0x2000
EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation

CHILD_OPTION = "--child"


def start_child(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """`subprocess.Popen` for a child that calls `die_with_parent`. Raises OSError.

    Call it from a thread that outlives the child: Linux kills the child with the thread.
    """
    # Without this flag, a window program on Windows would flash up a console.
    options.setdefault("creationflags", getattr(subprocess, "CREATE_NO_WINDOW", 0))
    process = subprocess.Popen(command, **options)
    # Let Windows end the process, and its children, when this program ends.
    if sys.platform == "win32" and (job := _job()) is not None:
        handle = ctypes.c_void_p(int(vars(process)["_handle"]))
        ctypes.windll.kernel32.AssignProcessToJobObject(ctypes.c_void_p(job), handle)
    return process


def end_child(process: subprocess.Popen[bytes], patience_s: float) -> None:
    """Wait for a child that was asked to end; else terminate it, and kill it as a last resort."""
    for stop in (process.terminate, process.kill):
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
            return
        stop()
    with suppress(subprocess.TimeoutExpired):  # one stuck in a driver outlives even kill
        process.wait(patience_s)


class JobLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION of the Windows API."""

    _fields_ = (
        ("process_time", c_int64), ("job_time", c_int64), ("flags", c_uint32),
        ("least_working_set", c_size_t), ("most_working_set", c_size_t), ("processes", c_uint32),
        ("affinity", c_size_t), ("priority", c_uint32), ("scheduling", c_uint32),
        ("io_counters", c_uint64 * 6), ("memory", c_size_t * 4),
    )  # fmt: skip


if sys.platform == "win32":

    @cache
    def _job() -> int | None:
        """The job of all children; its only handle closes with this program. None if refused."""
        kernel = ctypes.windll.kernel32
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        job: int | None = kernel.CreateJobObjectW(None, None)
        limits = JobLimits(flags=_KILL_ON_JOB_CLOSE)
        done = job is not None and kernel.SetInformationJobObject(
            ctypes.c_void_p(job), EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        )
        return job if done else None


# The command line that starts a child process of ours, installed or frozen.
def child_command(name: str, script: Sequence[str], *arguments: str) -> list[str]:
    """Return the command that runs `script` (a file, or `-m` and a module) in a new Python.

    A frozen program ships no separate Python, so it starts itself with `--child name`.
    """
    if getattr(sys, "frozen", False):
        # the console version, since a windowed one may lack pipes
        console = Path(sys.executable).with_name("spec-o3.exe")
        program = str(console) if is_windows() and console.exists() else sys.executable
        return [program, CHILD_OPTION, name, *arguments]
    # -P keeps the current folder off sys.path: a user's file must not shadow a module
    return [sys.executable, "-P", *script, *arguments]


def is_windows() -> bool:
    return os.name == "nt"
