"""No text of the window is cut, at any size of screen and text, in both languages."""

import json
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QTabBar, QWidget

from agent.tasks.catalogue import find_task
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.diagnostic_windows.windows_row import WindowCell
from app.ui.widgets.labels import ElidedLabel
from tests.app.ui.steps import shown_in
from tests.app.ui.window.cut_texts import cut_texts
from tests.night import BY_NIGHT

ROOT = Path(__file__).resolve().parents[4]
SIZES = ("1280x720", "1440x900", "1920x1080", "2560x1440")
SCREENS = [*((size, "1") for size in SIZES), ("1280x720", "1.5")]
"""In units of the window, and the scale; the last one has 1920x1080 pixels."""
SHOWN = product(SCREENS, ("light", "dark"), ("en", "zh"))
ALL = [(size, scale, language, theme) for (size, scale), theme, language in SHOWN]
BY_DAY = [("1280x720", "1.5", "en", "dark")]
"""The smallest screen, scaled, in the language with the longer words."""


def walked(folder: Path, language: str, theme: str, size: str, scale: str) -> dict:
    environment = {
        **os.environ, "QT_QPA_PLATFORM": f"offscreen:configfile={screen(folder, size, scale)}",
        "QT_SCALE_FACTOR": scale, "SPEC_O3_CONFIG": str(folder), "XDG_DATA_HOME": str(folder),
    }  # fmt: skip
    command = [sys.executable, "-m", "tests.app.ui.window.walk"]
    command += [language, theme, str(folder), size]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def screen(folder: Path, size: str, scale: str) -> Path:
    """A file that gives the process a screen of this size, in units of the window."""
    width, height = (round(int(each) * float(scale)) for each in size.split("x"))
    one = {"name": "one", "x": 0, "y": 0, "width": width, "height": height}
    numbers = {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}
    file = folder / "screen.json"
    told = {"synchronousWindowSystemEvents": False, "screens": [one | numbers]}
    file.write_text(json.dumps(told))
    return file


@pytest.mark.parametrize(("size", "scale", "language", "theme"), ALL if BY_NIGHT else BY_DAY)
def test_no_text_is_cut(tmp_path, size, scale, language, theme):
    walk = walked(tmp_path, language, theme, size, scale)
    assert walk["found"] == {} and walk["seen"] > 500


def test_it_finds_what_is_cut_and_what_lies_over_another(qtbot):
    window = shown_in(qtbot, QWidget(), 300, 200)
    for number, part in enumerate((QLabel("long words"), QPushButton("Open a list"))):
        part.setParent(window)
        part.setGeometry(0, 30 * number, 40, 24)
        part.show()
    wrapped = QLabel("several words that wrap", window)
    wrapped.setWordWrap(True)
    wrapped.setGeometry(0, 60, 60, 20)
    field, tabs = QLineEdit(window), QTabBar(window)
    field.setPlaceholderText("a text that invites")
    field.setGeometry(0, 84, 60, 24)
    elided = ElidedLabel("dim", window)
    elided.setGeometry(0, 140, 60, 20)
    elided.show_text("a state that is told in many words")
    cell = WindowCell(find_task("CV").windows[0], CurrentTheme(), window)
    cell.setGeometry(100, 100, 14, 60)
    tabs.addTab("a tab with a long name")
    tabs.setGeometry(0, 112, 60, 24)
    over = QLabel("x", window)
    over.setGeometry(10, 10, 20, 20)
    half = QLabel("half outside", window)
    half.setGeometry(260, 150, 90, 20)
    for part in (wrapped, field, tabs, over, half, elided, cell):
        part.show()
    found = "\n".join(cut_texts(window))
    for words in (
        "“long words” needs", "“Open a list” needs", "px of height", "lies over", "partly outside",
        "“a text that invites” does not fit", "many words” is shown as “a",
        "WindowCell in QWidget “Hα and He I 6678”: “Hα” does not fit"
    ):  # fmt: skip
        assert words in found


def test_it_finds_nothing_where_all_is_well(qtbot):
    window = QWidget()
    layout = QHBoxLayout(window)
    for part in (QLabel("words"), QPushButton("Open"), QLineEdit()):
        layout.addWidget(part)
    shown_in(qtbot, window, 400, 80)
    assert cut_texts(window) == []
