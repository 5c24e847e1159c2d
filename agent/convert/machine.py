"""What this machine has for a model: memory, disk, and programs to run one."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from agent.engines.gguf.kind import GGUF
from agent.engines.hf.kind import TRANSFORMERS

MEMINFO = Path("/proc/meminfo")
SPARE_BYTES = 200 * 1024 * 1024
"""Of the disk, left free."""


@dataclass(frozen=True)
class Machine:
    """Sizes in bytes. `memory_free` is what a new program can take without swapping."""

    memory: int
    memory_free: int
    disk_free: int
    has_torch: bool
    has_llama_cpp: bool


def this_machine(folder: Path) -> Machine:
    """What there is here; `folder`, for models, may not exist yet."""
    memory, free = _memory()
    place = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    return Machine(
        memory=memory,
        memory_free=free,
        disk_free=shutil.disk_usage(place).free,
        has_torch=not TRANSFORMERS.obstacle(),
        has_llama_cpp=not GGUF.obstacle(),
    )


def _memory() -> tuple[int, int]:
    """All memory and what is free of it; 0 where that cannot be asked."""
    if sys.platform == "win32":
        return _windows_memory()
    with suppress(OSError, ValueError, KeyError):
        facts = dict(line.split(":") for line in MEMINFO.read_text("ascii").splitlines())
        total, free = (int(facts[key].split()[0]) * 1024 for key in ("MemTotal", "MemAvailable"))
        return total, free
    with suppress(OSError, ValueError):
        total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return total, total * 3 // 4  # macOS gives most of what others hold back when asked
    return 0, 0


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        *((name, ctypes.c_uint64) for name in ("total", "free", "a", "b", "c", "d", "e")),
    )


def _windows_memory() -> tuple[int, int]:
    status = _Status(length=ctypes.sizeof(_Status))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - only Windows has it
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return 0, 0
    return int(status.total), int(status.free)
