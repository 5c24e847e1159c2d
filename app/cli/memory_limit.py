"""Refuses to start where a program may use too little memory."""

from __future__ import annotations

import sys

from agent.errors import WorkbenchError

# Of addresses, of which a library reserves more than it uses. With fewer, native code ends the
# program without a word, or spins for ever, instead of reporting it.
LEAST_BYTES = 1_500_000_000
NO_MEMORY = "there is not enough memory: close other programs, or raise the limit with `ulimit -v`"


def refuse_little_memory() -> None:
    """Raise WorkbenchError if the shell's limit is too low; Windows has none."""
    if sys.platform == "win32":
        return
    import resource

    allowed, _ = resource.getrlimit(resource.RLIMIT_AS)
    if resource.RLIM_INFINITY != allowed < LEAST_BYTES:
        raise WorkbenchError(
            f"programs may use only {allowed / 1e6:.0f} MB of memory here, and this one needs "
            f"{LEAST_BYTES / 1e6:.0f} MB: raise the limit with `ulimit -v unlimited`"
        )
