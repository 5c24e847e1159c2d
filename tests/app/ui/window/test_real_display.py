"""The installed program on a real X server, with keys sent by the server."""

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

import pytest

from tests.processes import LONG_S, wait_until

SAMPLE = Path(__file__).parents[4] / "resources" / "sample"
PATIENCE_S = 20
"""Forty times what a verdict takes: a key that is not heard until then was refused."""
TRIES = 8
SERVER = ("Xvfb", "-screen", "0", "1440x900x24", "-nolisten", "tcp", "-noreset")
"""Else it would begin anew, and be deaf meanwhile, whenever its last client leaves."""

for tool in ("Xvfb", "xdotool"):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed", allow_module_level=True)


@pytest.fixture
def display(tmp_path):
    """An X server of our own on a free display number."""
    reading, writing = os.pipe()
    log = (tmp_path / "xvfb.log").open("wb")
    server = subprocess.Popen(
        [*SERVER, "-displayfd", str(writing)], pass_fds=(writing,), stdout=log, stderr=log
    )  # fmt: skip
    os.close(writing)
    with os.fdopen(reading) as told:
        number = told.readline().strip()
    assert number, (tmp_path / "xvfb.log").read_text()
    yield f":{number}"
    server.terminate()
    server.wait(LONG_S)
    log.close()


@pytest.fixture
def program(display, tmp_path):
    """The installed `spec-o3` for a new user."""
    environment = {
        **os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"), "SPEC_O3_CONFIG": str(tmp_path / "config"),
        "SPEC_O3_REVIEWER": "Ada", "LC_ALL": "C.UTF-8",
    }  # fmt: skip
    started = Path(sys.executable).with_name("spec-o3")
    log = (tmp_path / "program.log").open("wb")
    with subprocess.Popen(
        [started], env=environment, cwd=tmp_path, stdout=log, stderr=log
    ) as running:
        try:
            yield Person(environment, running)
        finally:
            running.kill()
    log.close()


class Person:
    """Presses keys and waits for their effect."""

    def __init__(self, environment, running):
        self.running = running
        self._environment = environment

    def tool(self, *words):
        done = subprocess.run(
            ["xdotool", *words], env=self._environment, capture_output=True, text=True,
            timeout=LONG_S
        )  # fmt: skip
        return done.stdout.strip()

    def find_window(self, name="Spec-o3"):
        """Find the window and focus it, as there is no window manager."""
        window = wait_until(lambda: self.tool("search", "--onlyvisible", "--name", name))
        self.tool("windowfocus", "--sync", window.split()[-1])

    def press(self, *keys):
        self.tool("key", "--delay", "30", *keys)

    def write(self, text):
        self.tool("type", "--delay", "5", text)


def ask(session, question):
    """Query from another process, as the session is open in the program."""
    if not session.exists():
        return None
    with closing(sqlite3.connect(f"file:{session}?mode=ro", uri=True)) as connection:
        try:
            return connection.execute(question).fetchone()[0]
        except sqlite3.OperationalError:  # it is just being made
            return None


def test_sample_judged_undone_inspected_exported(program, tmp_path):
    session = tmp_path / "data" / "spec-o3-workbench" / "sample.speco3"
    program.find_window()
    program.press("Return")  # the sample is what is offered first
    wait_until(lambda: ask(session, "SELECT count(*) FROM candidates") == 60)
    for number, key in enumerate("axuax", 1):
        judge(program, session, key, number)
    assert verdicts(session) == ["ACCEPT", "REJECT", "UNSURE", "ACCEPT", "REJECT"]
    for left in (4, 3):
        program.press("ctrl+z")
        wait_until(lambda wanted=left: standing(session) == wanted)
    program.press("v")
    # A panel's members are stored with it.
    wait_until(lambda: ask(session, "SELECT count(DISTINCT candidate_id) FROM inspections") == 1)
    catalogue = tmp_path / "vetted.csv"
    program.press("ctrl+e")
    program.find_window("Export")
    program.press("ctrl+a")  # the file's name is ready to be written over
    program.write(str(catalogue))
    program.press("Return")
    wait_until(catalogue.exists)
    program.press("Escape")
    with catalogue.open(newline="", encoding="utf-8") as file:
        (row,) = csv.DictReader(line for line in file if not line.startswith("#"))
    assert (row["verdict"], row["reviewer"]) == ("ACCEPT", "Ada")  # what is accepted, and no more
    assert row["object_id"] == ask(session, "SELECT object_id FROM candidates WHERE id = 1")
    program.find_window()
    program.press("ctrl+q")
    assert program.running.wait(LONG_S) == 0


def test_the_first_verdict_on_an_own_list_takes_five_actions(program, tmp_path):
    """With the name, which is known here, six: no page is in between that says that all is well."""
    listed, session = tmp_path / "stars" / "own.csv", tmp_path / "stars" / "own.speco3"
    shutil.copytree(SAMPLE, listed.parent)
    (listed.parent / "candidates.csv").rename(listed)
    program.find_window()
    program.press("ctrl+n")
    program.find_window("Open a list")
    program.write(str(listed))
    program.press("Return")
    for number in range(TRIES):  # the classes are read a moment later
        program.find_window()
        program.write("cata")
        program.press("Return")
        with suppress(AssertionError):
            wait_until(session.exists, 2**number)
            break
    wait_until(lambda: ask(session, "SELECT count(*) FROM candidates") == 60)
    judge(program, session, "a", 1)
    assert verdicts(session) == ["ACCEPT"]


def judge(program, session, key, wanted):
    """Press the key until it counts: before the spectrum is painted it is refused."""
    for _ in range(TRIES):
        program.press(key)
        with suppress(AssertionError):
            wait_until(lambda: standing(session) == wanted, PATIENCE_S)
            return
    raise AssertionError(f"{key} was pressed in vain")


def standing(session):
    return ask(session, "SELECT count(*) FROM judgements WHERE verdict IS NOT NULL")


def verdicts(session):
    with closing(sqlite3.connect(f"file:{session}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT verdict FROM judgements ORDER BY candidate_id")
        return [row[0] for row in found]
