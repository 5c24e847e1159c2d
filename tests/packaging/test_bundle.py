"""The bundle itself, as somebody gets it: copied elsewhere, with nothing else on the machine.

Opt-in: SPEC_O3_BUNDLE names the folder that `make app` made.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import LONG_S, wait_until

BUNDLE = os.environ.get("SPEC_O3_BUNDLE", "")
if not BUNDLE:
    pytest.skip("SPEC_O3_BUNDLE names no bundle", allow_module_level=True)
if not sys.platform.startswith("linux"):
    pytest.skip("its surroundings are made for Linux", allow_module_level=True)

NOBODY = 65534
IS_ROOT = os.geteuid() == 0
SMALL_KB = 600
needs_root = pytest.mark.skipif(not IS_ROOT, reason="only root may change users and mount disks")


@pytest.fixture(scope="module")
def place():
    """Where anybody may go: not so pytest's own folders."""
    folder = Path("/tmp") / f"spec-o3 Zoë 天文 {os.getpid()}"
    shutil.copytree(Path(BUNDLE).absolute(), folder / "program", symlinks=True)
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def home(place):
    folder = place / "home"
    folder.mkdir()
    if IS_ROOT:
        os.chown(folder, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


class Start:
    """The program for a user who has nothing: no environment, no network, no rights."""

    def __init__(self, place: Path, home: Path) -> None:
        self.program, self.home = place / "program" / "spec-o3", home

    def command(self, *words: object, before: str = "", **environment: object) -> list[str]:
        told = {"HOME": self.home, "LANG": "C.UTF-8", **environment}
        bare = ["env", "-i", *(f"{key}={value}" for key, value in told.items())]
        alone = []
        if IS_ROOT:
            prepared = ["sh", "-c", f'{before or ":"}; exec "$@"', "sh"]
            user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            alone = ["unshare", "--net", "--mount", *prepared, *user]
        return [*alone, *bare, str(self.program), *map(str, words)]

    def __call__(self, *words: object, **more: object):
        command, home = self.command(*words, **more), self.home
        return subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=LONG_S)


@pytest.fixture
def start(place, home):
    return Start(place, home)


def one_line(done):
    """The only thing said of an error, besides how long all may take where the machine is slow."""
    assert done.returncode == 1, done
    lines = done.stderr.splitlines()
    said = [line for line in lines if line.strip() and not line.startswith("about ")]
    assert len(said) == 1, done.stderr
    assert said[0].startswith("spec-o3: ")
    return said[0]


def test_it_tests_itself(start):
    done = start("selftest")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "bundled" in done.stdout.splitlines()[0]
    assert "FAILED" not in done.stdout
    assert "ok       parts    llama.cpp" in done.stdout
    assert "ok       export   parquet" in done.stdout


def test_the_demo_in_a_terminal(start, home):
    done = start("demo")
    assert done.returncode == 0, done.stderr
    assert "Compared with the truth: " in done.stdout
    assert {path.name for path in (home / "spec-o3-demo").iterdir()} >= {
        *("sample.speco3", "sample.csv", "sample.html", "sample.jsonl")
    }


def test_its_children_use_the_libraries_that_it_brings(start, place, home):
    """One that takes the system's instead fails where the system has none."""
    done = start("demo", LD_DEBUG="libs", LD_DEBUG_OUTPUT=home / "loads")
    assert done.returncode == 0, done.stderr
    loaded = []
    for told in home.glob("loads.*"):  # of each process
        lines = told.read_text(encoding="utf-8", errors="replace").splitlines()
        loaded += [Path(line.split("init: ")[1]) for line in lines if "init: /" in line]
    cryptography = [path for path in loaded if path.name.startswith("libssl.")]
    assert len(cryptography) > 1, "no child was seen"
    assert not [path for path in cryptography if not path.is_relative_to(place)]


def test_without_a_display(start):
    assert "there is no display for the window" in one_line(start())


def test_a_display_that_does_not_answer(start):
    said = one_line(start(DISPLAY=":64999"))
    assert "the window cannot be shown: the display :64999 does not answer" in said


@needs_root
def test_a_home_that_cannot_be_written_to(start, home):
    os.chown(home, 0, 0)
    home.chmod(0o555)
    assert "spec-o3-demo: not a folder to write to" in one_line(start("demo"))
    done = start("selftest")
    assert done.returncode == 0, done.stdout
    assert done.stderr == ""


@needs_root
def test_a_full_disk(start, home):
    """In a file system of a few pages, that nobody else sees."""
    disk = f'mount -t tmpfs -o size={SMALL_KB}k,mode=777 tmpfs "{home}" && cd "{home}"'
    assert "the disk is full" in one_line(start("demo", before=disk))
    done = start("selftest", before=disk, TMPDIR=home)
    assert done.returncode == 1
    assert "Nothing was lost. Free some space" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@needs_root
@pytest.mark.parametrize("name", ["libEGL.so.1", "libGL.so.1", "libX11-xcb.so.1"])
def test_a_library_that_the_system_lacks(start, name):
    found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
    paths = [line.split()[-1] for line in found.splitlines() if line.split()[:1] == [name]]
    if not paths or (Path(BUNDLE) / "_internal" / name).exists():
        pytest.skip("it comes with the bundle, or is not here at all")
    hidden = " && ".join(f'mount --bind /dev/null "$(readlink -f {path})"' for path in paths)
    said = one_line(start(before=hidden, DISPLAY=":0"))
    assert "the window cannot be shown: " in said
    assert name in said


def test_two_at_once_on_one_session(start, home):
    assert start("demo", "--out", home / "out").returncode == 0
    session = home / "out" / "sample.speco3"
    command, silent = start.command(session, QT_QPA_PLATFORM="offscreen"), subprocess.DEVNULL
    first = subprocess.Popen(command, cwd=home, stdout=silent, stderr=silent)
    try:
        wait_until(lambda: (session.parent / f".{session.name}.lock").exists())
        said = one_line(start("vet", session))
        assert "is open in another program" in said
        assert "Close it there" in said
        assert start("stats", session).returncode == 0  # reading is nobody's alone
    finally:
        first.terminate()
        first.wait(LONG_S)


@pytest.mark.skipif(not shutil.which("Xvfb") or not shutil.which("xdotool"), reason="no X server")
def test_its_window_is_shown_and_closes(start, home, tmp_path):
    with display(tmp_path) as number:
        environment = {"DISPLAY": number, "SPEC_O3_REVIEWER": "Ada"}  # nobody is asked
        with subprocess.Popen(start.command("demo", **environment), cwd=home) as running:
            try:
                seek = ["xdotool", "search", "--onlyvisible", "--name", "Spec-o3"]
                there = {**os.environ, **environment}
                wait_until(lambda: subprocess.run(seek, env=there, capture_output=True).stdout)
                kept = home / ".local/share/spec-o3-workbench/sample.speco3"
                wait_until(kept.exists)
            finally:
                running.terminate()
            assert running.wait(LONG_S) == 0


@contextmanager
def display(folder: Path) -> Iterator[str]:
    """An X server of our own, with a number nobody else has.

    It would begin anew whenever its last client leaves, and refuse those that come meanwhile.
    """
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1440x900x24", "-noreset"]
    with (folder / "xvfb.log").open("wb") as log:
        server = subprocess.Popen(command, pass_fds=(writing,), stdout=log, stderr=log)
    os.close(writing)
    try:
        with os.fdopen(reading) as told:
            number = told.readline().strip()
        assert number, (folder / "xvfb.log").read_text()
        yield f":{number}"
    finally:
        server.terminate()
        server.wait(LONG_S)
