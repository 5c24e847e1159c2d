"""A child process of ours ends when its parent does, however that ends.

Closed pipes are not enough: a child that computes in native code does not read them.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import suppress

POLL_S = 1.0
_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>

GIVES_WAY = "--gives-way"  # an argument of children that do so
NICENESS = 10
_BELOW_NORMAL = 0x4000  # BELOW_NORMAL_PRIORITY_CLASS of the Windows API


def die_with_parent() -> None:
    """Call this first in a child process. The parent starts it with `start_child`.

    On Linux the kernel kills it, even in the middle of native code, as soon as the thread that
    started it ends. On Windows the job of `start_child` does. Elsewhere a thread watches, which
    native code that keeps Python's lock holds up.
    """
    if sys.platform == "win32":
        return
    parent = os.getppid()
    if _is_killed_by_kernel():
        if os.getppid() != parent:  # it ended just before we asked
            _die()
    else:
        threading.Thread(target=_watch, args=[parent], name="parent", daemon=True).start()


def _is_killed_by_kernel() -> bool:
    """Ask Linux to kill this process when the thread that started it ends; False elsewhere."""
    if sys.platform != "linux":
        return False
    try:
        return ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) == 0
    except (OSError, AttributeError):
        return False


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(POLL_S)
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def give_way() -> None:
    """Take the processor only where others leave it free; threads and children inherit that."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass(ctypes.c_void_p(kernel.GetCurrentProcess()), _BELOW_NORMAL)
    else:
        with suppress(OSError):
            os.nice(NICENESS)
