"""The licences of all that is in the bundle, laid beside it.

What is in it is what PyInstaller took: `contents.note_sources` writes down each file and this finds
the package whose it is, so that nothing is listed that only the build needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import contents

ALWAYS = (contents.FOLDER, "pyinstaller")
"""We run from the checkout; the program's start is PyInstaller's own."""
FIELDS = ("License-Expression", "License")
WORDS = ("licen", "copying", "notice", "copyright", "authors")
LONGEST = 80
DOCS = Path("/usr/share/doc")
COMMON = Path("/usr/share/common-licenses")
FONTS = Path("matplotlib") / "mpl-data" / "fonts" / "ttf" / "LICENSE_DEJAVU"
ABOUT = """\
What is in this program, and under which licence. The texts lie beside this file, in a folder for
each name.

Qt and PySide6 are used under the LGPL, version 3 (LGPL-3, GPL-3). Their libraries are files of
their own in _internal/PySide6: you may replace them with builds of yours. Qt itself contains works
of others under licences that ask for no more than to be named; they are listed at
https://doc.qt.io/qt-6/licenses-used-in-qt.html

The small program that starts ours is PyInstaller's. Its licence, the GPL, has an exception: what it
starts keeps its own.

"""


def collect(out: Path, sources: Path) -> None:
    """`sources`: a list of the files that were taken, as the recipe writes it."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    taken = {os.path.realpath(line) for line in sources.read_text("utf-8").splitlines() if line}
    found = sorted(_packages(taken), key=lambda each: each.name.lower())
    lines = [*_beside_packages(out, found)]
    for package in found:
        lines.append(f"{package.name} {package.version}: {licence_of(package)}")
        for path, place in _texts(package):
            _copy(path, out / package.name / place)
    for name in sorted(_system_packages(taken)):
        lines.append(f"{name}: a library of the system, see {name}/copyright")
        _copy(DOCS / name / "copyright", out / name / "copyright")
    for name in ("LGPL-3", "GPL-3", "GPL-2", "LGPL-2.1"):
        _copy(COMMON / name, out / name)
    (out / "README.txt").write_text(ABOUT + "\n".join(lines) + "\n", encoding="utf-8")


def licence_of(package: metadata.Distribution) -> str:
    """As the package says; some give the whole text instead of a name, but have a classifier."""
    said = [str(package.metadata[key]).strip() for key in FIELDS if key in package.metadata]
    short = (text for text in said if text and "\n" not in text and len(text) <= LONGEST)
    kinds = package.metadata.get_all("Classifier") or []
    names = [kind.rpartition(" :: ")[2] for kind in kinds if kind.startswith("License ::")]
    return next(short, "") or ", ".join(names) or "see its folder"


def _packages(taken: set[str]) -> Iterator[metadata.Distribution]:
    """Those of this environment with a file that was taken."""
    for package in metadata.distributions():
        files = (os.path.realpath(str(package.locate_file(each))) for each in package.files or ())
        if package.name.lower() in ALWAYS or any(path in taken for path in files):
            yield package


def _texts(package: metadata.Distribution) -> Iterator[tuple[Path, Path]]:
    """Each file with a licence, and its place: numpy has many of one name in folders of its own."""
    for file in package.files or ():
        folder, *rest = file.parts
        if folder.endswith(".dist-info") and any(word in file.name.lower() for word in WORDS):
            kept = rest[1:] if rest[0] in ("licenses", "licences") else rest
            yield Path(str(package.locate_file(file))), Path(*kept)


def _beside_packages(out: Path, found: list[metadata.Distribution]) -> Iterator[str]:
    """What packages carry without naming it: Python, llama.cpp and the fonts of the pictures."""
    yield f"Python {sys.version.split()[0]}: PSF-2.0"
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    ours = Path(sysconfig.get_path("stdlib")) / "LICENSE.txt"
    _copy(ours if ours.exists() else DOCS / version / "copyright", out / "Python" / "LICENSE.txt")
    for package in found:
        # gguf comes from the project of llama.cpp, whose text the built engines leave out.
        if package.name == "gguf":
            yield "llama.cpp, of the ggml authors: MIT"
            for path, place in _texts(package):
                _copy(path, out / "llama.cpp" / place)
        if package.name == "matplotlib":
            yield "DejaVu fonts: Bitstream Vera and Arev, public domain changes"
            _copy(Path(str(package.locate_file(FONTS))), out / "DejaVu fonts" / FONTS.name)


def _system_packages(taken: set[str]) -> set[str]:
    """On Debian and its kin, where the system says whose a library is."""
    real = sorted(path for path in taken if path.startswith(("/usr/lib", "/lib")))
    if shutil.which("dpkg-query") is None or not real:
        return set()
    told = subprocess.run(["dpkg-query", "-S", *real], capture_output=True, text=True)
    return {line.split(":")[0] for line in told.stdout.splitlines()}


def _copy(source: Path, target: Path) -> None:
    if source.is_file():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
