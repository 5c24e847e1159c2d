"""What takes the program down in native code leaves a report for the next start."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from app.ui.crash.crash_native import MOST_TAKEN, taken_over
from app.ui.crash.crash_report import cleaned, open_folder

DIES = """
import faulthandler, sys
from pathlib import Path
from app.ui.crash.crash_native import NativeWatch

watch = NativeWatch(Path(sys.argv[1]))
assert watch.begin() == []
if sys.argv[2] == "dies":
    faulthandler._sigsegv()
watch.end()
"""


def names(folder: Path) -> list[str]:
    return [each.name for each in folder.iterdir()]


def ran(folder: Path, how: str) -> int:
    command = [sys.executable, "-c", DIES, str(folder), how]
    environment = {name: value for name, value in os.environ.items() if name[:6] != "PYTHON"}
    return subprocess.run(command, env=environment, timeout=120, check=False).returncode


def test_a_crash_in_native_code_becomes_a_report(tmp_path):
    assert ran(tmp_path / "logs", "dies") != 0
    (report,) = taken_over(tmp_path / "logs")
    assert "Segmentation fault" in report.summary
    assert 'File "<string>"' in report.text and "spec-o3-workbench" in report.text
    assert report.path.name.startswith("crash-")
    assert report.path.read_text() == report.text
    assert taken_over(tmp_path / "logs") == []
    assert names(tmp_path / "logs") == [report.path.name]


def test_who_ends_well_leaves_nothing(tmp_path):
    assert ran(tmp_path / "logs", "ends") == 0
    assert names(tmp_path / "logs") == []


def test_what_lies_there(tmp_path):
    """Of a program that runs it stays; what is empty, or too many, goes without a word."""
    (tmp_path / f"native-{os.getppid()}.txt").write_text("still at work")
    (tmp_path / "native-99999999.txt").write_text("")
    for number in range(MOST_TAKEN + 3):
        (tmp_path / f"native-x{number}.txt").write_text(f"Fatal {number}\n" + "x" * 200_000)
    found = taken_over(tmp_path)
    assert [each.summary for each in found] == [f"Fatal {n}" for n in range(MOST_TAKEN)]
    assert all(len(each.text) < 70_000 for each in found)
    left = [name for name in names(tmp_path) if name.startswith("native-")]
    assert left == [f"native-{os.getppid()}.txt"]


def test_a_folder_nothing_can_show_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr("app.ui.crash.crash_report.QDesktopServices.openUrl", lambda url: False)
    said = []
    open_folder(tmp_path / "logs", said.append)
    assert said == [f"The reports are in {tmp_path / 'logs'}"]
    assert (tmp_path / "logs").is_dir()


@pytest.mark.parametrize(
    ("home", "text"),
    [
        (r"C:\Users\Ádá", r"C:\Users\Ádá\night.csv"),
        (r"C:\Users\Ádá", r"'C:\\Users\\Ádá\\night.csv'"),
        (r"C:\Users\Ádá", "C:/Users/Ádá/night.csv"),
        ("/home/Ádá L", "file:///home/%C3%81d%C3%A1%20L/night.csv"),
    ],
)
def test_the_home_folder_however_it_is_written(home, text, monkeypatch):
    class Home(str):
        @staticmethod
        def home():
            return home

    monkeypatch.setattr("app.ui.crash.crash_report.Path", Home)
    assert "night.csv" in cleaned(text)
    assert "d" not in cleaned(text).replace("night.csv", "").replace("file", "")
