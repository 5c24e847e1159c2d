"""`spec-o3 rate` opens the room on files, with the given name, ratings and seed."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.trajectory.trajectory_file import write_trajectories
from app.cli.main import workbench
from tests.agent.ratings.made import trajectory

CODE = """
import gc, json, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
application = QApplication([])
def look():
    from app.ui.rating.rating_window import RatingWindow
    windows = [each for each in application.topLevelWidgets() if isinstance(each, RatingWindow)]
    if not windows or not windows[0].isVisible():
        return QTimer.singleShot(20, look)
    desk = windows[0].desk
    facts = [desk.by, len(desk.trajectories), len(desk.pairs), str(desk.out), gc.isenabled()]
    print(json.dumps(facts))
    windows[0].close()
QTimer.singleShot(0, look)
from app.cli.main import main
sys.argv = ["spec-o3", "rate", *sys.argv[1:]]
main()
"""


@pytest.fixture
def night(tmp_path):
    write_trajectories(tmp_path / "a.jsonl", [trajectory("s1"), trajectory("s2")])
    write_trajectories(tmp_path / "b.jsonl", [trajectory("s1", "theirs")])
    return tmp_path


def test_the_room_opens_and_the_program_ends_with_it(night):
    words = [str(night / "a.jsonl"), str(night / "b.jsonl"), "--name", "Ada", "--seed", "3"]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "QT_QPA_PLATFORM": "offscreen", "SPEC_O3_CONFIG": str(night)},
    )
    assert done.returncode == 0, done.stderr
    # The last: a reading thread may not collect garbage, as it would delete widgets.
    assert json.loads(done.stdout) == ["Ada", 3, 1, str(night / "a.ratings.jsonl"), False]


def test_faults_are_told_before_a_window_opens(night, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    empty = night / "empty.jsonl"
    empty.write_text("")
    done = CliRunner().invoke(workbench(["rate"]), ["rate", str(empty)])
    assert isinstance(done.exception, WorkbenchError) and "no trajectory" in str(done.exception)
