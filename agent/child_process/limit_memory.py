"""A limit to the memory of a child process that reads what may be hostile."""

import ctypes
import os
import signal
import sys
import threading
import time
from contextlib import suppress

from agent.child_process.start_child import EXTENDED_LIMITS, JobLimits

POLL_S = 0.1
_PROCESS_MEMORY = 0x100  # JOB_OBJECT_LIMIT_PROCESS_MEMORY


def limit_memory(limit_bytes: int) -> None:
    """Let this process get no more memory than this, libraries included.

    Where it asks for more it gets a MemoryError, or native code ends it. On macOS, which knows no
    such limit, a thread kills it.
    """
    if sys.platform == "win32":
        _limit_job(limit_bytes)
    elif sys.platform == "darwin":
        threading.Thread(target=_watch, args=[limit_bytes], name="memory", daemon=True).start()
    else:
        _limit_data(limit_bytes)


if sys.platform == "win32":

    def _limit_job(limit_bytes: int) -> None:
        """Put this process into a job of its own, within the job of `start_child`."""
        kernel = ctypes.windll.kernel32
        kernel.CreateJobObjectW.restype = ctypes.c_void_p
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        limits = JobLimits(flags=_PROCESS_MEMORY)
        limits.memory[0] = limit_bytes
        job = ctypes.c_void_p(kernel.CreateJobObjectW(None, None))
        if kernel.SetInformationJobObject(
            job, EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits)
        ):
            process = ctypes.c_void_p(kernel.GetCurrentProcess())
            kernel.AssignProcessToJobObject(job, process)

else:
    import resource

    def _limit_data(limit_bytes: int) -> None:
        # RLIMIT_AS would count what OpenBLAS and Arrow only reserve.
        soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
        known = [each for each in (soft, hard, limit_bytes) if each != resource.RLIM_INFINITY]
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (min(known), hard))

    def _watch(limit_bytes: int) -> None:
        """macOS counts the peak in bytes."""
        while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < limit_bytes:
            time.sleep(POLL_S)
        os.kill(os.getpid(), signal.SIGKILL)
