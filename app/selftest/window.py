"""Check that the window opens, invisibly in a child process.

A child process because Qt aborts the program if a library is missing.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from agent.child_process.start_child import child_command
from app.selftest.installation import Check, CheckFailed
from app.selftest.session import REVIEWER, judged_session
from app.worker.process import describe_exit, last_line, printable_lines

TIMEOUT_S = 120.0
CHILD = "window-probe"
MODULE = "app.selftest.window_probe"


def checks() -> Iterator[Check]:
    yield Check(part="window", name="offscreen", run=_open_window)


def _open_window(folder: Path) -> str:
    command = child_command(CHILD, ["-m", MODULE], str(judged_session(folder)))
    # It does not read or write the settings of the user.
    own = {
        "QT_QPA_PLATFORM": "offscreen",
        "SPEC_O3_CONFIG": str(folder / "config"),
        "SPEC_O3_REVIEWER": REVIEWER,
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"),
    }
    try:
        done = subprocess.run(
            command,
            env={**os.environ, **own},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TIMEOUT_S,
        )
    except subprocess.TimeoutExpired as error:
        raise CheckFailed(f"no spectrum was shown within {TIMEOUT_S:.0f} s") from error
    lines = printable_lines(done.stderr.splitlines()[-20:])
    if done.returncode:
        how = describe_exit(done.returncode)
        raise CheckFailed(f"it {how}: {last_line(lines) or 'without a message'}")
    result = json.loads(done.stdout.splitlines()[-1])
    return f"Qt {result['qt']}, {result['width']} × {result['height']}, {result['colours']} colours"
