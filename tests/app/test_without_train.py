"""The program vets without the package `train`: it starts, judges, inspects and exports."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.rooms import room_commands, rooms
from app.ui.base.actions.actions import ROOM_ACTIONS
from tests.night import BY_NIGHT

ROOT = Path(__file__).parents[2]
# Python runs it at each start, that of every child included: what an editable installation would
# find in the source tree is not here.
NO_EDITABLE = """
import sys
sys.meta_path[:] = [
    each for each in sys.meta_path if not getattr(each, "__module__", "").startswith("__editable__")
]
"""
JUDGING = """
import json, sys
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from app.ui.base.actions.actions import ACTIONS
from app.ui.program.main_window import MainWindow
from app.ui.program.application import start
application = QApplication([])
seen = []
def look():
    window = next((e for e in application.topLevelWidgets() if isinstance(e, MainWindow)), None)
    view = None if window is None else window.view
    if view is None or not view.context.current.is_painted:
        return QTimer.singleShot(5, look)
    seen.append(view.context.current.candidate.object_id)
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_A if len(seen) < 4 else Qt.Key.Key_X)
    if len(seen) < 5:
        return QTimer.singleShot(5, look)
    offered = [name for name in ACTIONS if window.commands.can(name)]
    train = [name for name in sys.modules if name.partition(".")[0] == "train"]
    print(json.dumps({"seen": seen, "offered": offered, "train": train}))
    window.close()
QTimer.singleShot(0, look)
sys.exit(start(sys.argv[1]))
"""  # noqa: E501


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program's own packages, and nothing of `train`."""
    folder = tmp_path_factory.mktemp("alone")
    for name in ("agent", "app", "resources"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    (folder / "sitecustomize.py").write_text(NO_EDITABLE)
    return folder


def run(folder: Path, *words: object) -> str:
    own = {"PYTHONPATH": str(folder), "QT_QPA_PLATFORM": "offscreen", "SPEC_O3_REVIEWER": "Ada"}
    environment = {**os.environ, **own, "SPEC_O3_CONFIG": str(folder / "settings")}
    command = [sys.executable, "-P", *map(str, words)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_there_is_no_train(alone: Path) -> None:
    said = run(
        alone, "-c", "import app, importlib.util as u; print(app.__file__, u.find_spec('train'))"
    )
    assert said.split() == [str(alone / "app" / "__init__.py"), "None"]


@pytest.mark.skipif(
    not BY_NIGHT, reason="by night only: the rest of this file starts each of its parts"
)
def test_it_passes_its_own_test(alone: Path) -> None:
    run(alone, "-m", "app.cli.main", "selftest")


def test_it_vets_and_exports(alone: Path, tmp_path: Path) -> None:
    session, out = tmp_path / "night.speco3", tmp_path / "night.csv"
    sample = alone / "resources" / "sample" / "candidates.csv"
    program = ("-m", "app.cli.main")
    run(alone, *program, "new", session, sample, "--task", "CV")
    run(alone, *program, "vet", session, "--model", "measured", "--limit", "3")
    told = json.loads(run(alone, "-c", JUDGING, session).splitlines()[-1])
    assert len(set(told["seen"])) == 5 and told["train"] == []
    assert "export" in told["offered"] and not ROOM_ACTIONS & {*told["offered"]}
    run(alone, *program, "export", session, out)
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    verdicts = {row["object_id"]: row["verdict"] for row in rows if row["verdict"]}
    assert [verdicts[each].upper() for each in told["seen"]] == 3 * ["ACCEPT"] + 2 * ["REJECT"]
    assert sum(bool(row["agent_verdict"]) for row in rows) == 3


def test_its_commands_are_those_of_a_person_who_vets(alone: Path) -> None:
    said = run(alone, "-m", "app.cli.main", "--help")
    assert " vet " in said and " curate " not in said and " rate " not in said


def test_with_it_the_rooms_stand_in_the_menu() -> None:
    assert rooms().keys() == ROOM_ACTIONS
    assert room_commands().keys() == {"curate", "rate"}
    for entry in (*rooms().values(), *room_commands().values()):
        assert callable(entry.load())
