"""Every command of the README does what it says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.main import workbench
from train.cli import app as trainer

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = {"spec-o3": workbench(), "spec-o3-train": trainer}


def console_commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.strip()]


def test_the_readme_shows_commands():
    assert len(console_commands()) >= 5


@pytest.mark.parametrize("command", console_commands())
def test_command_of_the_readme(command, tmp_path, monkeypatch):
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(command)
    result = CliRunner().invoke(PROGRAMS[program], words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip()


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_and_pictures_exist(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
