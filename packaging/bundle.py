"""`make app`: the program as a folder that needs no Python, tried out, and packed for people.

    python packaging/bundle.py             # all of it, into dist/
    python packaging/bundle.py --folder    # the folder alone
    python packaging/bundle.py --pack      # only pack the folder that is there

Run it with a Python that has the program, its extra `bundle` and llama.cpp installed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import contents
import icons
import licences
import linux_packages

HERE = Path(__file__).resolve().parent
WORK = contents.ROOT / "build" / "app"
DIST = contents.ROOT / "dist"
MEGABYTE = 10**6
BUDGETS = {"": 455, ".tar.gz": 203, ".run": 203, ".deb": 160, ".dmg": 200, ".exe": 160}
"""Megabytes at most: of the folder, and of what is made of it, by suffix."""
PATIENCE_S = 600


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--folder", action="store_true", help="the folder alone")
    only.add_argument("--pack", action="store_true", help="only pack the folder that is there")
    given = parser.parse_args()
    folder = DIST / contents.FOLDER
    if not given.pack:
        build()
        strip(folder)
        for place in licence_folders(folder):
            licences.collect(place, WORK / "sources.txt")
        try_out(folder)
    made = [folder, *([] if given.folder else pack(folder))]
    return check_sizes(made)


def build() -> None:
    """By PyInstaller, from nothing."""
    for old in (WORK / "work", DIST / contents.FOLDER):
        shutil.rmtree(old, ignore_errors=True)
    icons.draw_all(WORK)
    options = ["--noconfirm", "--log-level", "WARN"]
    places = ["--distpath", str(DIST), "--workpath", str(WORK / "work")]
    recipe = str(HERE / "spec_o3.spec")
    subprocess.run(
        [sys.executable, "-m", "PyInstaller", *options, *places, recipe],
        check=True,
        cwd=contents.ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore::DeprecationWarning"},
    )


def strip(folder: Path) -> None:
    """Take debugging symbols out of what is known to come with them."""
    if not sys.platform.startswith("linux") or shutil.which("strip") is None:
        return
    for path in sorted(_files(folder)):
        if any(fnmatch(path.as_posix(), pattern) for pattern in contents.STRIPPED):
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)


def licence_folders(folder: Path) -> list[Path]:
    """On macOS people get the application, which PyInstaller makes beside the folder."""
    application = DIST / f"{contents.TITLE}.app"
    inside = application / "Contents" / "Resources" / "licences"
    return [folder / "licences", *([inside] if application.is_dir() else [])]


def try_out(folder: Path) -> None:
    """As on a machine where nothing else is."""
    program = folder / (contents.COMMAND + (".exe" if os.name == "nt" else ""))
    with tempfile.TemporaryDirectory() as empty:
        bare = {"HOME": empty, "TMPDIR": empty}
        if os.name == "nt":
            bare = {"USERPROFILE": empty, "TEMP": empty, "SYSTEMROOT": os.environ["SYSTEMROOT"]}
        subprocess.run(
            [str(program), "selftest"], check=True, cwd=empty, env=bare, timeout=PATIENCE_S
        )


def pack(folder: Path) -> list[Path]:
    """What people download."""
    version, machine = contents.version(), _machine()
    if sys.platform.startswith("linux"):
        return linux_packages.make_all(folder, DIST, version, machine, WORK / "icons")
    name = f"{contents.FOLDER}-{version}-{machine}"
    if sys.platform == "darwin":
        out = DIST / f"{name}.dmg"
        application = DIST / f"{contents.TITLE}.app"
        subprocess.run(["sh", str(HERE / "macos" / "dmg.sh"), application, out], check=True)
        return [out]
    out = DIST / f"{name}-setup.exe"
    facts = {"VERSION": version, "FOLDER": folder, "OUT": out, "LICENCE": folder / "LICENSE"}
    facts["ICON"] = WORK / f"{contents.FOLDER}.ico"
    told = [f"-D{key}={value}" for key, value in facts.items()]
    subprocess.run(["makensis", "-V2", *told, str(HERE / "windows" / "installer.nsi")], check=True)
    return [out]


def check_sizes(made: list[Path]) -> int:
    """How many are over their budget."""
    over = 0
    for path in made:
        suffix = next((each for each in BUDGETS if each and path.name.endswith(each)), "")
        size = size_of(path) / MEGABYTE
        over += size > BUDGETS[suffix]
        said = "OVER its" if size > BUDGETS[suffix] else "within its"
        print(f"{path}: {size:.0f} MB, {said} budget of {BUDGETS[suffix]} MB")
    return over


def size_of(path: Path) -> int:
    """Bytes; links cost nothing."""
    if path.is_file():
        return path.stat().st_size
    return sum(each.stat().st_size for each in _files(path))


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _machine() -> str:
    import platform

    return platform.machine().lower().replace("amd64", "x86_64")


if __name__ == "__main__":
    raise SystemExit(main())
