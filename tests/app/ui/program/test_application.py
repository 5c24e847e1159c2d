"""The program in a process of its own, from start to end, also after being killed."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.core.session.session import open_session
from tests.app.ui.candidates import sample_file

ROOT = Path(__file__).resolve().parents[4]
END_S = 60


@contextmanager
def program(folder, deed, *words):
    """What it says, line by line."""
    environment = {
        **os.environ, "QT_QPA_PLATFORM": "offscreen", "SPEC_O3_CONFIG": str(folder / "config"),
        "SPEC_O3_REVIEWER": "Ada", "XDG_DATA_HOME": str(folder / "data"),
        "XDG_STATE_HOME": str(folder / "state"), "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    with (folder / "program.log").open("ab") as log:
        running = subprocess.Popen(
            [sys.executable, "-m", "tests.app.ui.window_alone", deed, *map(str, words)],
            cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )  # fmt: skip
        try:
            yield running
        finally:
            running.kill()
            running.wait(END_S)
            running.stdout.close()


def until(running, word):
    """The line that says so, and all before it."""
    before = []
    for line in running.stdout:
        heard = json.loads(line)
        if heard["said"] == word:
            return heard, before
        before.append(heard)
    raise AssertionError(f"it ended before it said {word!r}: {before[-3:]}")


@pytest.fixture
def place(tmp_path):
    return sample_file(tmp_path, 60)


def test_a_killed_program_restores_its_session(tmp_path, place):
    kept = []
    with program(tmp_path, "work", place) as running:
        _, before = until(running, "saved")
        kept += before
        while len(kept) < 30:
            heard, before = until(running, "kept")
            kept += [*before, heard]
        running.send_signal(signal.SIGKILL)
        kept += [json.loads(line) for line in running.stdout if line.endswith("}\n")]
    with open_session(place, "Ada", read_only=True) as session:
        written = {entry.id for entry in session.history()}
    assert {line["log"] for line in kept if line["said"] == "kept"} <= written
    with program(tmp_path, "look") as running:
        seen, _ = until(running, "seen")
        ended, _ = until(running, "ended")
    assert seen["place"] == str(place) and seen["candidate"] >= 1
    assert (seen["smoothing"], seen["errors"], seen["rest_axis"]) == (2, False, True)
    assert seen["height"] == 700 and seen["comments"] == ["mine"] and ended["status"] == 0
    # Threads may outlive the window; one that collected garbage would delete widgets.
    assert not ended["collects_anywhere"]
    with program(tmp_path, "look") as running:  # it was closed as it should be
        seen, _ = until(running, "seen")
    assert seen["place"] is None and seen["recent"] == [str(place)] and seen["smoothing"] == 2


def test_an_argument_that_cannot_be_opened_is_reported(tmp_path):
    with program(tmp_path, "refused", tmp_path / "gone.speco3") as running:
        told, _ = until(running, "told")
        until(running, "ended")
    assert "gone.speco3" in told["words"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_sigint_and_sigterm_close_it_normally(tmp_path, place, number):
    with program(tmp_path, "idle", place) as running:
        until(running, "there")
        running.send_signal(number)
        ended, _ = until(running, "ended")
        assert ended["status"] == 0 and running.wait(END_S) == 0


def test_it_quits_while_the_agent_runs_and_leaves_no_process(tmp_path, place):
    with program(tmp_path, "run_agent", place) as running:
        there, _ = until(running, "running")
        until(running, "ended")
        assert running.wait(END_S) == 0
    with pytest.raises(ProcessLookupError):
        os.kill(there["worker"], 0)
    assert "Traceback" not in (tmp_path / "program.log").read_text(encoding="utf-8")


def test_the_window_loads_nothing_heavy(tmp_path):
    with program(tmp_path, "modules", sample_file(tmp_path)) as running:
        loaded, _ = until(running, "loaded")
        until(running, "ended")
    assert loaded["heavy"] == []
    assert loaded["count"] > 100  # they were counted
