"""Every command that takes a session, on one that was spoilt."""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any

import click
import matplotlib.font_manager  # noqa: F401
import pyarrow.parquet  # noqa: F401
import typer
from astropy.io import fits  # noqa: F401

from agent.errors import WorkbenchError
from app.cli.main import workbench
from tests.attacks.sessions.mutations import spoil
from tests.attacks.sessions.scene import NAME, OWN, SECRET, make

FORMATS = ("csv", "ecsv", "fits", "vot", "parquet", "jsonl", "html")
EVERY = {"vet": 40, "export html": 3, "export parquet": 3}
"""The slow ones meet only some of the sessions."""
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)


def attack(seed: int, made: str, folder: str) -> dict[str, Any]:
    """Spoil a copy of the session and try all commands; what each one said."""
    home = Path(folder)
    place, what = receive(seed, Path(made), home)
    beside = home / "beside"
    lines = _log_lines(place)
    said: dict[str, str] = {}
    for name, words in _commands(place, beside):
        if seed % EVERY.get(name, 1) == 0:
            said[name] = _run(words)
    return {
        "what": what,
        "said": said,
        "lost": max(0, lines - _log_lines(place)) if lines else 0,
        "packed": _secrets_in(beside),
    }


def receive(seed: int, scene: Path, home: Path) -> tuple[Path, str]:
    """A spoilt copy of the session, and how it was spoilt; beside it somebody's own files."""
    place, beside, secret = home / "received" / NAME, home / "beside", home / "private" / SECRET
    for each in (place.parent, beside, secret.parent):
        each.mkdir(parents=True)
    tempfile.tempdir = str(beside)
    for each in scene.iterdir():
        shutil.copy(each, place.parent)
    shutil.move(place.with_name(OWN), beside)
    secret.hardlink_to(scene / "a.fits")  # without opening it, as that is counted
    with closing(sqlite3.connect(place)) as connection:
        moved = "UPDATE candidates SET path = replace(path, ?, ?)"
        connection.execute(moved, (str(scene), str(place.parent)))
        connection.commit()
    return place, spoil(place, seed, secret)


def _commands(place: Path, beside: Path) -> list[tuple[str, list[str]]]:
    """Those that only read come first."""
    own, packed = beside / OWN, beside / "packed.speco3"
    vet = ["vet", place, "--model", "measured", "--limit", "1"]
    commands = [
        ("stats", ["stats", place]),
        ("stats json", ["stats", place, "--json"]),
        ("log", ["log", place]),
        ("log file", ["log", place, "--out", beside / "log.csv"]),
        *((f"export {each}", ["export", place, beside / f"out.{each}"]) for each in FORMATS),
        ("export all", ["export", place, beside / "all.csv", "--which", "all"]),
        (
            "export filtered",
            ["export", place, beside / "some.csv", "--filter", "snr>3 or p_yes>0.1"],
        ),
        ("pack", ["pack", place, packed]),
        ("merge from it", ["merge", own, place]),
        ("merge into it", ["merge", place, own]),
        ("vet", vet),
    ]
    return [(name, list(map(str, words))) for name, words in commands]


def _run(words: list[str]) -> str:
    """An empty string, or the sentence of the error."""
    try:
        _program(words[0])(words, standalone_mode=False)
    except WorkbenchError as error:
        text = str(error)
        assert text and "\n" not in text.strip() and len(text) < 2000, text[:3000]
        return text[:300]
    except (typer.Exit, click.exceptions.Exit):
        return ""
    return ""


@cache
def _program(command: str) -> Callable[..., Any]:
    return workbench([command])


def _log_lines(place: Path) -> int:
    with suppress(*UNREADABLE), closing(_read_only(place)) as connection:
        return int(connection.execute("SELECT count(*) FROM log").fetchone()[0])
    return 0


def _secrets_in(folder: Path) -> int:
    """Spectra in packed copies."""
    count = 0
    for place in folder.glob("packed*"):
        with suppress(*UNREADABLE), closing(_read_only(place)) as connection:
            count += connection.execute("SELECT count(*) FROM packed_spectra").fetchone()[0]
    return count


def _read_only(place: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{place}?mode=ro", uri=True)


def warm_up() -> None:
    """Import and compile all once, before the processes of the cases are forked."""
    with tempfile.TemporaryDirectory() as name:
        place, beside = make(Path(name)), Path(name) / "beside"
        beside.mkdir()
        shutil.move(place.with_name(OWN), beside)
        for _, words in _commands(place, beside):
            # Not those that start threads or processes.
            if "parquet" not in words[-1] and words[0] != "vet":
                _run(words)
    _program("vet")


with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
    warm_up()
