"""The program as a whole: its children, what it says, and how it ends."""

import errno
import json
import subprocess
import sys
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from app.cli import window
from app.cli.main import CHILDREN, COMMANDS, LEAST_BYTES, main, refuse_little_memory
from app.cli.progress_bar import progress_bar
from app.cli.window import has_display, is_for_window, open_window
from app.core.session.records import Opinion, Verdict
from app.worker.wire import encode
from tests.app.cli.commands import fails
from tests.app.core.exporting.catalogues import listed

PROGRAM = (sys.executable, "-c", "from app.cli.main import main; main()")
SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
ODD = "caf\udce9 \x1b[31m\nY"
"""As the name of a file: half of it no Unicode, the rest what a terminal obeys."""


@dataclass(frozen=True)
class Done:
    returncode: object
    stdout: bytes
    stderr: bytes


def child(*words: object, given: bytes = b"", **more: object) -> subprocess.CompletedProcess[bytes]:
    """In a process of its own."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more
    return subprocess.run([*PROGRAM, *map(str, words)], input=given, check=False, **streams)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch):
    """In this process, with a terminal of any encoding."""

    def run(*words: object, encoding: str = "utf-8") -> Done:
        out, err = (TextIOWrapper(BytesIO(), encoding, "strict") for _ in range(2))
        with monkeypatch.context() as patch:
            patch.setattr(sys, "argv", ["spec-o3", *map(str, words)])
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            patch.setenv("COLUMNS", "100")
            status: object = 0
            try:
                main()
            except SystemExit as end:
                status = end.code
        for stream in (out, err):
            stream.flush()
        return Done(status or 0, out.detach().getvalue(), err.detach().getvalue())

    return run


def is_harmless(said: bytes) -> bool:
    return b"\x1b" not in said and b"Traceback" not in said


# Children
def test_the_worker_as_a_child_of_the_program() -> None:
    done = child("--child", "worker", given=encode({"type": "ping", "id": 7}))
    hello, pong = map(json.loads, done.stdout.splitlines())
    assert hello["type"] == "hello"
    assert pong == {"type": "pong", "id": 7}
    assert done.returncode == 0


def test_a_list_read_by_a_child_of_the_program() -> None:
    asked = {"path": str(SAMPLE / "candidates.csv"), "roles": {}, "spectra": None, "allowed": []}
    asked |= {"allow_absolute": True, "is_preview": False, "memory_bytes": 512 * 1024**2}
    done = child("--child", "list-reader", json.dumps(asked))
    assert done.returncode == 0, done.stderr
    started, opened, entries = map(json.loads, done.stdout.splitlines()[:3])
    assert (started["type"], opened["type"], entries["count"]) == ("started", "opened", 60)


def test_the_server_s_child_has_its_own_usage() -> None:
    done = child("--child", "llama-server")
    assert done.returncode == 2 and b"model" in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("words", [(), ("os",), ("../worker",), ("app.worker.__main__",)])
def test_no_other_module_can_be_had(words: tuple[str, ...]) -> None:
    done = child("--child", *words)
    assert done.returncode == 2 and done.stderr.startswith(b"spec-o3: unknown child process")
    assert done.stdout == b""


def test_a_child_starts_with_little_and_every_one_has_a_main() -> None:
    code = (
        "import sys; sys.argv = ['spec-o3', '--child', 'worker']\n"
        "import app.cli.main as c; c.import_module = lambda name: sys.exit(print("
        "[n for n in ('typer', 'rich', 'numpy', 'sqlalchemy') if n in sys.modules]))\n"
        "from app.cli.main import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.strip() == "[]"
    for name in CHILDREN.values():
        text = Path(*Path(__file__).parts[:-4], *name.split(".")).with_suffix(".py").read_text()
        assert "\ndef main() ->" in text


# What it says
@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A session of an odd name, in a folder of one."""
    folder = tmp_path / ODD
    folder.mkdir()
    place = folder / f"{ODD}.speco3"
    with listed(place, [{"object_id": "J1\x1b[2J", "path": ""}, {}]) as session:
        session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, comment="Hα \x1b[31m"))
        session.reviewer = "Ben"
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    return place


def commands_on(place: Path) -> list[tuple[object, ...]]:
    folder = place.parent
    spectrum = folder / f"{ODD}.fits.gz"
    spectrum.write_bytes(next((SAMPLE / "spectra").rglob("*.fits.gz")).read_bytes())
    fresh = folder / "fresh.speco3"
    with listed(fresh, [{}], reviewer="Cy") as session:
        session.record_verdict(1, Opinion(verdict=Verdict.REJECT))
    return [
        ("info", spectrum),
        ("info", spectrum, "--json"),
        ("render", spectrum, folder / f"{ODD}.png"),
        ("inspect", spectrum, "--task", "CV", "--save", folder / f"{ODD}.jsonl"),
        ("stats", place),
        ("log", place),
        *(
            ("export", place, folder / f"{ODD}.{suffix}", *more)
            for suffix, *more in (("csv", "--which", "all"), ("vot",), ("jsonl",), ("html",))
        ),
        ("merge", place, fresh),
        ("pack", place, folder / f"{ODD} sent.speco3"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252", "gb2312"])
def test_whatever_is_in_a_name_can_be_printed(run, odd: Path, encoding: str) -> None:
    for words in commands_on(odd):
        done = run(*words, encoding=encoding)
        assert done.returncode == 0, (words, done.stderr)
        assert is_harmless(done.stdout + done.stderr), words
        assert done.stderr == b"" or words[0] == "pack", (words, done.stderr)


def test_a_message_is_one_line_and_json_stands_alone(run, odd: Path) -> None:
    folder = odd.parent
    for words in (
        ("stats", folder / f"{ODD} none.speco3"),
        ("export", odd, folder / f"{ODD}.doc"),
        ("export", odd, folder / ODD / "out.csv"),
        ("merge", odd, odd),
        ("pack", odd, odd),
        ("info", folder / f"{ODD}.fits"),
        ("render", folder / ODD, folder / f"{ODD}.png"),
        ("inspect", folder / ODD, "--task", folder / f"{ODD}.toml"),
        ("models", "path", ODD),
        ("models", "get", ODD),
        ("demo", "--out", odd),
    ):
        done = run(*words)
        assert done.returncode == 1, words
        assert done.stdout == b"", words
        assert done.stderr.startswith(b"spec-o3: "), words
        assert done.stderr.count(b"\n") == 1, (words, done.stderr)
        assert is_harmless(done.stderr), words
    for words in (("stats", odd, "--json"), ("models", "list", "--json")):
        done = run(*words)
        assert (done.returncode, done.stderr) == (0, b"")
        json.loads(done.stdout)


@pytest.mark.parametrize("command", [*COMMANDS, "models list", "models get", "models path", ""])
def test_help_without_work(run, command: str) -> None:
    done = run(*command.split(), "--help")
    assert done.returncode == 0 and b"Usage:" in done.stdout
    assert done.stderr == b""


@pytest.mark.parametrize("words", [
    ("frobnicate", "it"), ("export",), ("export", "a.speco3", "out.csv", "--which", "best"),
    ("merge", "a.speco3"), ("render", "a.fits", "a.png", "--row", "first"), ("models", "path"),
    ("export", "a.speco3", "out.html", "--which", "all"),
])  # fmt: skip
def test_usage(run, words: tuple[str, ...]) -> None:
    done = run(*words)
    assert done.returncode == 2 and done.stdout == b""
    assert b"Usage:" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("words", [("models", "list", "--json"), ("models",)])
def test_output_that_nobody_takes(words: tuple[str, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        done = child(*words, stdout=full)
    assert done.returncode == 1
    told = done.stderr.decode().splitlines()[0]
    assert told == "spec-o3: the output could not be written: the disk is full"
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize(("error", "words"), [
    (MemoryError(), b"there is not enough memory: close other programs"),
    (RuntimeError("can't start new thread"), b"there is not enough memory"),
    (OSError(errno.EMFILE, "Too many open files"), b"too many files are open"),
])  # fmt: skip
def test_what_runs_out_is_told_in_a_sentence(run, monkeypatch, error, words) -> None:
    def fail(*names: str) -> None:
        raise error

    monkeypatch.setattr("app.cli.main.workbench", fail)
    done = run("stats", "night.speco3")
    assert done.returncode == 1 and done.stderr.startswith(b"spec-o3: " + words)
    assert done.stderr.count(b"\n") == 1


# Errors that all commands on a session share.
def test_what_cannot_be_done_is_said(vetted, few, tmp_path):
    place, _ = vetted
    assert "unknown suffix" in fails("export", place, tmp_path / "night.doc")
    assert "already exists" in fails("new", place, few, "--task", "CV")
    assert "no task" in fails("new", tmp_path / "a.speco3", few, "--task", "quasar?")
    assert "does not exist" in fails("vet", tmp_path / "none.speco3")
    missing = tmp_path / "none.csv"
    assert "none.csv" in fails("new", tmp_path / "a.speco3", missing, "--task", "CV")
    assert list(tmp_path.glob("*.speco3")) == []
    assert "no model" in fails("vet", place, "--model", "nobody")


# The bar for long work.
def test_nothing_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar("writing out.csv") as show:
        show(1, 2)
        show(2, 2)
    assert capsys.readouterr() == ("", "")


def test_a_name_that_looks_like_markup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    with progress_bar("writing [/b] \x1b]0;x\x07\udce9.csv") as show:
        show(1, 4)
    out, err = capsys.readouterr()
    assert out == ""
    assert "writing [/b] ?]0;x??.csv" in err and "25%" in err


# A limit of the shell that is too low is told before anything is tried.
has_limit = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")


@has_limit
@pytest.mark.parametrize("allowed", [300_000_000, LEAST_BYTES - 1])
def test_too_little(monkeypatch: pytest.MonkeyPatch, allowed: int) -> None:
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (allowed, resource.RLIM_INFINITY))
    with pytest.raises(WorkbenchError, match=f"only {allowed / 1e6:.0f} MB .* needs 1500 MB"):
        refuse_little_memory()


@has_limit
def test_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    import resource

    for allowed in (LEAST_BYTES, resource.RLIM_INFINITY):
        monkeypatch.setattr(resource, "getrlimit", lambda kind, here=allowed: (here, here))
        refuse_little_memory()


# What of the command line is for the window, and what is said where none can be shown.
LINUX = sys.platform.startswith("linux")


@pytest.fixture
def nobody_there(monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_nothing_and_what_can_be_opened_is_for_the_window(tmp_path):
    assert is_for_window([]) and is_for_window([str(tmp_path)])
    assert is_for_window(["not there yet.speco3"])
    assert is_for_window(["postgresql://host/night"])


@pytest.mark.parametrize("words", [
    ["--help"], ["-x"], ["nosuchcommand"], ["a", "b"], ["x" * 5000],
    ["~nobody-of-that-name/list.csv"], ["a\0b"],
])  # fmt: skip
def test_anything_else_is_a_command(words):
    assert not is_for_window(words)


@pytest.mark.skipif(not LINUX, reason="elsewhere there always is one")
def test_without_a_display_somebody_can_see_it_says_what_else_there_is(nobody_there, monkeypatch):
    assert not has_display()
    with pytest.raises(WorkbenchError, match="spec-o3 demo"):
        open_window()
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert has_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen:size=800x600")
    assert not has_display()


def test_a_library_that_lacks_is_said(monkeypatch):
    def lacks(name):
        raise ImportError("libEGL.so.1: cannot open shared object file")

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(window, "import_module", lacks)
    with pytest.raises(WorkbenchError, match=r"libEGL.*system_libraries"):
        open_window()


def test_python_imports_as_usual_after_the_window_is_imported():
    code = (
        "import builtins; before = builtins.__import__\n"
        "from app.cli.window import import_program; program = import_program()\n"
        "import sys; assert 'PySide6.QtCore' in sys.modules\n"
        "print(builtins.__import__ is before, callable(program.start))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "True"]
