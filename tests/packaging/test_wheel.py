"""What pip installs and what a source archive holds: all files that the program reads."""

import shutil
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PARTS = ("agent", "app", "train", "resources")
WITH_IT = ("packaging", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "Makefile")
LEFT_OVER = ("__pycache__", "*.pyc", ".DS_Store")
MAKE = "from setuptools import build_meta as m; m.build_wheel(OUT); m.build_sdist(OUT)"

if int(version("setuptools").split(".")[0]) < 77:
    pytest.skip("setuptools 77 or newer makes them", allow_module_level=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The wheel and the source archive, from a copy: nothing is left in the checkout."""
    folder = tmp_path_factory.mktemp("made")
    tree = folder / "tree"
    tree.mkdir()
    for name in (*PARTS, *WITH_IT):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns(*LEFT_OVER))
        else:
            shutil.copy(ROOT / name, tree)
    (tree / "resources" / "__pycache__").mkdir()
    (tree / "resources" / "__pycache__" / "old.cpython-311.pyc").write_bytes(b"left over")
    command = [sys.executable, "-c", f"OUT = {str(folder)!r}; {MAKE}"]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    return folder, tree


def files_of(tree, *parts):
    found = (path for part in parts for path in (tree / part).rglob("*") if path.is_file())
    names = {path.relative_to(tree).as_posix() for path in found}
    return {name for name in names if "__pycache__" not in name}


def test_the_wheel_has_every_file_of_the_program(made):
    folder, tree = made
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert files_of(tree, *PARTS) - names == set()
    assert not [name for name in names if "__pycache__" in name or name.startswith("packaging/")]


def test_the_source_archive_has_what_makes_the_rest_too(made):
    folder, tree = made
    (source,) = folder.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = files_of(tree, *PARTS, "packaging") | {"Makefile", "README.md", "LICENSE"}
    assert wanted - names == set()
    assert not [name for name in names if "__pycache__" in name]


def test_the_wheel_alone_runs(made, tmp_path):
    """Unpacked in an empty folder, with nothing of the checkout in reach."""
    folder, _ = made
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r});"
        "import agent, app.selftest.installation as p;"
        f"from pathlib import Path; assert agent.__file__.startswith({str(tmp_path)!r});"
        "print(p._resources(Path()))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout.startswith("8 tasks, 56 files"), done.stderr
