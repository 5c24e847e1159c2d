"""The forms in which a model can be had, what each needs, and which suits this machine."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from agent.convert.checkpoint import ConversionError
from agent.engines.gguf.kind import GGUF
from agent.engines.hf.kind import TRANSFORMERS
from agent.engines.registry import engine_kind
from agent.models.card import Card

GgufForm = Literal["f16", "q8_0", "q5_k_m", "q4_k_m"]
GGUF_FORMS: tuple[GgufForm, ...] = get_args(GgufForm)
PUBLISHED = "published"

BITS: dict[GgufForm, float] = {"f16": 16.0, "q8_0": 8.51, "q5_k_m": 5.75, "q4_k_m": 4.95}
"""For each weight of the language model; measured on the shapes of 3B and 7B."""
VISION_WEIGHTS = 676_000_000  # of Qwen2.5-VL, always kept in F16
WORKING_BYTES = 2_500_000_000
"""Beside the weights: the conversation's cache, the vision part at work, and the program."""

MEMINFO = Path("/proc/meminfo")
SPARE_BYTES = 200 * 1024 * 1024  # of the disk, left free


@dataclass(frozen=True)
class Form:
    """One form of a model, in bytes; `fetched` is what is downloaded for it, if anything."""

    name: str
    disk: int
    memory: int
    fetched: int = 0

    def obstacle(self, machine: Machine) -> str:
        """Why it cannot run here; empty if it can."""
        if self.name == PUBLISHED and not machine.has_torch:
            return "needs torch and transformers"
        if self.name != PUBLISHED and not machine.has_llama_cpp:
            return "needs llama.cpp"
        if machine.memory and self.memory > machine.memory:
            return "too little memory"
        if self.disk + self.fetched + SPARE_BYTES > machine.disk_free:
            return "too little disk"
        if machine.memory and self.memory > machine.memory_free:
            return "other programs have the memory"
        return ""


def forms_of(card: Card, *, is_here: bool) -> list[Form]:
    """The published form and those of GGUF, of a model whose weights take 16 bits.

    Converting needs the published files, so that they count until they are here.
    """
    if engine_kind(card.engine).no_conversion or card.base:
        raise ConversionError(f"{card.name} has no other forms: it is no folder of whole weights")
    stored = sum(file.size for file in card.files if file.role == "weights")
    parameters = card.parameters or stored // 2
    whole = stored or 2 * parameters
    fetched = 0 if is_here else whole
    words = max(0, parameters - VISION_WEIGHTS)
    vision = 2 * (parameters - words)
    converted = [(name, round(words * BITS[name] / 8) + vision) for name in GGUF_FORMS]
    return [
        Form(PUBLISHED, 0, whole + WORKING_BYTES, fetched),
        *(Form(name, size, size + WORKING_BYTES, fetched) for name, size in converted),
    ]


def best_form(forms: Sequence[Form], machine: Machine) -> GgufForm | None:
    """The GGUF form with the most bits that runs here; None if none does.

    F16 is left out: it reads twice as much memory for every word as Q8_0, and says the same.
    """
    able = {form.name for form in forms if not form.obstacle(machine)}
    return next((name for name in GGUF_FORMS if name in able and name != "f16"), None)


# What this machine has for a model: memory, disk, and programs to run one.
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
