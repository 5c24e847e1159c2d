"""`spec-o3 curate` and `spec-o3 rate` open a room alone, and the program ends with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("pyarrow")

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
    from train.review.window.room import Room
    rooms = [each for each in application.topLevelWidgets() if isinstance(each, Room)]
    if not rooms or not rooms[0].isVisible() or (rooms[0].place and rooms[0].draft is None):
        return QTimer.singleShot(20, look)
    shown = [type(each).__name__ for each in application.topLevelWidgets() if each.isVisible()]
    facts = {"shown": shown, "collects": gc.isenabled()}
    if rooms[0].place:
        facts |= {"by": rooms[0].by, "place": str(rooms[0].place)}
    else:
        mine = rooms[0].round
        facts |= {"by": mine.by, "place": str(mine.out)}
        facts |= {"inspections": len(mine.trajectories), "pairs": len(mine.pairs)}
    print(json.dumps(facts))
    rooms[0].close()
QTimer.singleShot(0, look)
from app.cli.main import main
sys.argv = ["spec-o3", *sys.argv[1:]]
main()
"""


def shown(folder: Path, *words: object) -> dict[str, object]:
    """What a program of its own showed before its room was closed."""
    own = {"QT_QPA_PLATFORM": "offscreen", "SPEC_O3_CONFIG": str(folder)}
    code = [sys.executable, "-c", CODE, *map(str, words)]
    done = subprocess.run(code, capture_output=True, text=True, check=False, env=os.environ | own)
    assert done.returncode == 0, done.stderr
    facts: dict[str, object] = json.loads(done.stdout)
    # A reading thread may not collect garbage, as it would delete widgets.
    assert facts.pop("collects") is False
    return facts


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    write_trajectories(tmp_path / "a.jsonl", [trajectory("s1"), trajectory("s2")])
    write_trajectories(tmp_path / "b.jsonl", [trajectory("s1", "theirs")])
    return tmp_path


def test_a_room_on_inspections(two_files):
    files = two_files / "a.jsonl", two_files / "b.jsonl"
    assert shown(two_files, "rate", *files, "--name", "Ada", "--seed", "3") == {
        "shown": ["RatingRoom"], "by": "Ada", "inspections": 3, "pairs": 1,
        "place": str(two_files / "a.ratings.jsonl"),
    }  # fmt: skip


def test_a_room_on_a_pool(pool, tmp_path):
    told = shown(tmp_path, "curate", pool.place, "--reviewer", " Ada ")
    assert told == {"shown": ["PoolRoom"], "by": "Ada", "place": str(pool.place)}


def test_faults_are_told_before_a_window_opens(two_files, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    empty = two_files / "empty.jsonl"
    empty.write_text("")
    done = CliRunner().invoke(workbench(["rate"]), ["rate", str(empty)])
    assert isinstance(done.exception, WorkbenchError) and "no trajectory" in str(done.exception)
    done = CliRunner().invoke(workbench(["curate"]), ["curate", str(two_files)])
    assert isinstance(done.exception, WorkbenchError) and "is not a pool" in str(done.exception)
