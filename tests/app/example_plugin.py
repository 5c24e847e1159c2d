"""Installs packages with plug-ins into a folder, as pip would, and puts it on the path."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agent import plugins
from app.services.catalogues.service import all_services
from tests.processes import LONG_S

EXAMPLE = Path(__file__).parents[2] / "resources" / "help" / "examples" / "plugin"


def install(site: Path) -> None:
    """Install the example with pip, without a network and without its dependencies."""
    source = site.parent / "source"
    shutil.copytree(EXAMPLE, source)  # the build leaves files beside the source
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "-q")
    how = ("--no-deps", "--no-build-isolation", "--no-index", "--target", str(site))
    done = subprocess.run([*pip, *how, str(source)], capture_output=True, text=True, timeout=LONG_S)
    assert done.returncode == 0, done.stdout + done.stderr


def write_package(site: Path, name: str, code: str, entries: dict[str, str]) -> None:
    """A package of one module, installed: `entries` are values by `group/name`."""
    (site / f"{name}.py").write_text(code, encoding="utf-8")
    about = site / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = []
    for key, value in entries.items():
        kind, _, entry = key.partition("/")
        lines += [f"[spec_o3.{kind}]", f"{entry} = {value}"]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")


def groups_of_example() -> dict[str, dict[str, str]]:
    with (EXAMPLE / "pyproject.toml").open("rb") as file:
        return tomllib.load(file)["project"]["entry-points"]


class PluginSite:
    """A folder of packages on the path, with nothing listed or loaded yet; `use` starts over."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._patch = patch
        folder.mkdir(exist_ok=True)
        patch.syspath_prepend(str(folder))
        self.use()

    def use(self) -> None:
        """As after a restart of the program."""
        self._patch.setattr(plugins, "_listed", {})
        self._patch.setattr(plugins, "_loaded", {})
        self._patch.setattr(plugins, "_faults", [])
        self._patch.setattr(plugins, "listeners", [])
        all_services.cache_clear()
