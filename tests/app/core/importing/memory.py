"""How much memory a process has taken at most."""

import re
import resource
import sys
from pathlib import Path


def peak_mb() -> float:
    """Of this process since it began: what `resource` says counts its parent's on Linux."""
    status = Path("/proc/self/status")
    if status.exists():
        match = re.search(r"VmHWM:\s*(\d+) kB", status.read_text())
        assert match is not None
        return int(match.group(1)) / 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1024**2 if sys.platform == "darwin" else peak / 1024
