"""The licences of all that is in the bundle, laid beside it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

TOOLS = ("pip", "setuptools", "wheel", "altgraph", "pyinstaller-hooks-contrib")
"""They make the bundle and are not in it; PyInstaller's own starter is."""
FIELDS = ("License-Expression", "License")
WORDS = ("licen", "copying", "notice", "copyright", "authors")
DOCS = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
ABOUT = """\
What is in this program, and under which licence. The texts lie beside this file.

Qt and PySide6 are used under the LGPL, version 3. Their libraries are files of their own in
_internal/PySide6: you may replace them with builds of yours.

"""


def collect(out: Path, libraries: Path) -> None:
    """`libraries`: a list of the shared libraries that were taken, as the recipe writes it."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    lines = []
    for found in sorted(metadata.distributions(), key=lambda each: each.name.lower()):
        if found.name.lower() in TOOLS:
            continue
        told = (found.metadata[key] for key in FIELDS if key in found.metadata)
        said = next((text for text in told if text), "")
        lines.append(f"{found.name} {found.version}: {_short(said)}".rstrip(": "))
        for path in _texts(found):
            _copy(path, out / found.name / path.name)
    for package in sorted(_system_packages(libraries)):
        lines.append(f"{package}: a library of the system, see {package}/copyright")
        _copy(DOCS / package / "copyright", out / package / "copyright")
    for name in ("LGPL-3", "GPL-3", "GPL-2", "LGPL-2.1"):
        _copy(COMMON / name, out / name)
    (out / "README.txt").write_text(ABOUT + "\n".join(lines) + "\n", encoding="utf-8")


def _short(licence: str) -> str:
    """Some give the whole text."""
    return licence.strip().splitlines()[0][:80] if licence.strip() else ""


def _texts(found: metadata.Distribution) -> Iterator[Path]:
    for file in found.files or ():
        name = file.name.lower()
        if ".dist-info" in str(file) and any(word in name for word in WORDS):
            yield Path(str(found.locate_file(file)))


def _system_packages(libraries: Path) -> set[str]:
    """On Debian and its kin, where the system says whose a library is."""
    if shutil.which("dpkg-query") is None or not libraries.exists():
        return set()
    places = [
        line for line in libraries.read_text().splitlines() if line.startswith(("/usr/lib", "/lib"))
    ]
    if not places:
        return set()
    real = [str(Path(place).resolve()) for place in places]
    told = subprocess.run(["dpkg-query", "-S", *real], capture_output=True, text=True)
    return {line.split(":")[0] for line in told.stdout.splitlines()}


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
