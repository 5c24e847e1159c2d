"""Bring the window's translations up to date: `.venv/bin/python packaging/translations.py`.

New texts come into the .ts files as unfinished, texts that are gone leave them, and the .qm files
that the window loads are written anew. Edit the .ts files in between, by hand or in Qt Linguist.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "resources" / "translations"
LANGUAGES = {"zh": "zh_CN"}
WINDOWS = ("app/ui", "train/review/window")


def tool(name: str) -> str:
    """PySide6 brings them into the environment this runs in."""
    return str(Path(sys.executable).with_name(f"pyside6-{name}"))


def collect(target: Path, language: str) -> None:
    files = (path for folder in WINDOWS for path in (ROOT / folder).rglob("*.py"))
    sources = sorted(str(path.relative_to(ROOT)) for path in files)
    options = ["-no-obsolete", "-locations", "none", "-source-language", "en"]
    options += ["-disable-heuristic", "sametext", "-disable-heuristic", "similartext"]
    options += ["-target-language", language, "-ts", str(target)]
    command = [tool("lupdate"), *sources, *options]
    subprocess.run(command, check=True, cwd=ROOT)


def compile_(source: Path) -> None:
    out = source.with_suffix(".qm")
    subprocess.run([tool("lrelease"), str(source), "-qm", str(out)], check=True, cwd=ROOT)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for short, language in LANGUAGES.items():
        target = FOLDER / f"spec_o3_{short}.ts"
        collect(target, language)
        compile_(target)


if __name__ == "__main__":
    main()
