"""The memory and the disk of the machine that runs this test."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from agent.convert import machine
from agent.convert.machine import this_machine

MEMINFO = "MemTotal:       16000000 kB\nMemFree:  1 kB\nMemAvailable:    9000000 kB\n"


def test_there_is_memory_and_disk(tmp_path: Path) -> None:
    here = this_machine(tmp_path / "not" / "there" / "yet")
    assert 0 < here.memory_free <= here.memory < 10**14
    assert 0 < here.disk_free < 10**17
    assert here.has_llama_cpp


@pytest.mark.skipif(sys.platform == "win32", reason="Windows is asked otherwise")
def test_what_the_kernel_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = tmp_path / "meminfo"
    monkeypatch.setattr(machine, "MEMINFO", told)
    told.write_text(MEMINFO)
    here = this_machine(tmp_path)
    assert (here.memory, here.memory_free) == (16_384_000_000, 9_216_000_000)
    for content in ("", "MemTotal: much", "MemTotal:       16000000 kB\n"):
        told.write_text(content)
        here = this_machine(tmp_path)
        assert 0 < here.memory_free < here.memory, "as where there is no such file"
