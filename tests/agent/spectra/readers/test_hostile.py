"""Damaged files: each is read or refused with our own error, in bounded memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import SHARED
from tests.night import seeds

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the child uses POSIX limits")

BATCHES, EACH = seeds(by_day=2, by_night=10), 500
MOST_MB = 500
ROOT = Path(__file__).resolve().parents[4]


@pytest.mark.parametrize("batch", BATCHES)
def test_damaged_files_never_crash_hang_or_eat_memory(batch: int) -> None:
    real = [str(SHARED / "spectra")] if (SHARED / "spectra").is_dir() else []
    module = "tests.agent.spectra.readers.hostile_files"
    # Warnings count as errors there too: a reader must not print what a file provokes.
    child = subprocess.run(
        [sys.executable, "-W", "error", "-m", module, str(batch), str(EACH), *real],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert child.returncode == 0, f"the process ended with {child.returncode}: {child.stderr}"
    outcome = json.loads(child.stdout)
    assert outcome["wrong"] == []
    assert outcome["read"] + outcome["refused"] == EACH
    assert min(outcome["read"], outcome["refused"]) > EACH // 10, "the damage is one-sided"
    assert outcome["peak_mb"] < MOST_MB
