"""The self-test: that it sees what is there, and what is wrong."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from agent.errors import ReadError, WorkbenchError
from app.cli import selftest as command
from app.cli.selftest import run_checks, selftest
from app.selftest.installation import Check, CheckSkipped, require

PROGRAM = (sys.executable, "-P", "-c", "from app.cli.main import main; main()")


def test_all_of_it_comes_out_well(tmp_path):
    """As it is started by a user, whose folders stay as they were."""
    home = tmp_path / "home"
    home.mkdir()
    environment = {**os.environ, "HOME": str(home), "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [*PROGRAM, "selftest"], env=environment, cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[2:-1]]
    seen = {(part, name) for state, part, name, *_ in rows if state == "ok"}
    assert {("parts", "modules"), ("parts", "resources"), ("window", "offscreen")} <= seen
    assert {("read", survey) for survey in ("LAMOST", "SDSS", "DESI", "VOTable", "text")} <= seen
    assert {("inspect", "picture"), ("inspect", "measured")} <= seen
    assert {("export", kind) for kind in ("csv", "ecsv", "fits", "vot", "jsonl", "html")} <= seen
    assert "checks passed" in done.stdout
    assert not list(tmp_path.glob("spec-o3*"))
    assert not (home / ".config" / "spec-o3-workbench").exists()


def passing(folder: Path) -> str:
    (folder / "file").write_text("written")
    return "seen"


def raising(error: Exception):
    def run(folder: Path) -> str:
        raise error

    return run


def test_rows_tell_whatever_happens_in_one_line(tmp_path, capsys):
    checks = [
        Check(part="a", name="first", run=raising(ReadError("no reader knows this file"))),
        Check(part="a", name="second", run=raising(KeyError("gone"))),
        Check(part="b", name="third", run=raising(CheckSkipped("not installed"))),
        Check(part="b", name="fourth", run=raising(OSError(28, "No space left on device"))),
        Check(part="b", name="fifth", run=passing),
    ]
    states = run_checks(checks, tmp_path)
    assert states == {"FAILED": 3, "–": 1, "ok": 1}
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["FAILED", "FAILED", "–", "FAILED", "ok"]
    assert rows[0].endswith("no reader knows this file")
    assert rows[1].endswith("KeyError: 'gone'")
    assert "No space left" in rows[3]
    assert list(tmp_path.iterdir()) == []
    run_checks(
        [Check(part="a", name="one", run=raising(ReadError("two\nlines \x1b[31m")))], tmp_path
    )
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 1
    assert "\x1b" not in said


def test_a_failed_check_is_an_error_of_the_program(monkeypatch):
    class Part:
        @staticmethod
        def checks():
            yield Check(part="a", name="one", run=passing)
            yield Check(part="a", name="two", run=raising(WorkbenchError("it is not so")))

    monkeypatch.setattr(command, "CHECK_MODULES", (Part,))
    with pytest.raises(WorkbenchError, match="1 of 2 checks failed"):
        selftest()


def test_no_room_for_temporary_files_and_what_is_expected(monkeypatch):
    require(True, "never said")
    with pytest.raises(WorkbenchError, match="it is not"):
        require(0, "it is not")

    def full(*args: object, **more: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", full)
    with pytest.raises(WorkbenchError, match=r"temporary files cannot be created .* TMPDIR"):
        selftest()
