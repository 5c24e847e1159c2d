"""A child process that lets the program that started it go first."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

GIVES_WAY = "--gives-way"
"""An argument of children that do so."""
NICENESS = 10
_BELOW_NORMAL = 0x4000  # BELOW_NORMAL_PRIORITY_CLASS of the Windows API


def give_way() -> None:
    """Take the processor only where others leave it free; threads and children inherit that."""
    if sys.platform == "win32":
        kernel = ctypes.windll.kernel32
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        kernel.SetPriorityClass(ctypes.c_void_p(kernel.GetCurrentProcess()), _BELOW_NORMAL)
    else:
        with suppress(OSError):
            os.nice(NICENESS)
