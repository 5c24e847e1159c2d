"""The window, opened where nobody sees it, in a process of its own: Qt ends a program that it
cannot serve."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from agent.child_command import child_command
from app.selftest.check import Check, CheckFailed
from app.selftest.keeping import REVIEWER, judged_session
from app.worker.exit_reason import cleaned, how_it_ended, last_words

PATIENCE_S = 120.0
CHILD = "glimpse"
MODULE = "app.selftest.window_probe"


def checks() -> Iterator[Check]:
    yield Check(part="window", name="offscreen", run=_glimpse)


def _glimpse(folder: Path) -> str:
    command = child_command(CHILD, ["-m", MODULE], str(judged_session(folder)))
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **_surroundings(folder)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
        )
    except subprocess.TimeoutExpired as error:
        raise CheckFailed(f"no spectrum was shown within {PATIENCE_S:.0f} s") from error
    lines = cleaned(done.stderr.splitlines()[-20:])
    if done.returncode:
        how = how_it_ended(done.returncode)
        raise CheckFailed(f"it {how}: {last_words(lines) or 'without a word'}")
    seen = json.loads(done.stdout.splitlines()[-1])
    return f"Qt {seen['qt']}, {seen['width']} × {seen['height']}, {seen['colours']} colours"


def _surroundings(folder: Path) -> dict[str, str]:
    """The user's settings are neither read nor written."""
    return {
        "QT_QPA_PLATFORM": "offscreen",
        "SPEC_O3_CONFIG": str(folder / "config"),
        "SPEC_O3_REVIEWER": REVIEWER,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
