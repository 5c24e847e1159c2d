"""Every command in the README and the guide runs; those that cannot run here at least parse."""

import re
import shlex

import pytest
import typer
from typer.testing import CliRunner

from agent.cluster.options import with_ray_address
from app.cli.main import workbench
from app.cli.window import is_for_window
from tests.app.nursery import nurseries, quick_children
from tests.docs.pages import PAIRS, ROOT, commands, prose, relative, saved_files
from train.cli import app as trainer

__all__ = ["nurseries", "quick_children"]

PROGRAMS = {"spec-o3": workbench(), "spec-o3-train": trainer}
WITH_COMMANDS = [page for page, _ in PAIRS if commands(page, "console")]
SHOWN = [(relative(page), line) for page, _ in PAIRS for line in commands(page, "")]
OURS = [(page, line) for page, line in SHOWN if line.split(" ")[0] in PROGRAMS]
IN_TEXT = re.compile(r"`(spec-o3(?:-train)? [^`]+)`")
OURS += [(relative(page), line) for page, _ in PAIRS for line in IN_TEXT.findall(prose(page))]
FOREIGN = (
    "CMAKE_ARGS=",
    "make",
    ". .venv/bin/activate",
    "pip ",
    "vllm ",
    "accelerate ",
    "git ",
    "cd ",
)


def test_there_are_commands():
    assert len(WITH_COMMANDS) >= 8
    assert len(OURS) >= 20


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=relative)
def test_console_commands_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    (tmp_path / "resources").symlink_to(ROOT / "resources")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SPEC_O3_REVIEWER", "Ada")
    for name, text in saved_files(page).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    for command in commands(page, "console"):
        program, *words = shlex.split(command)
        result = CliRunner().invoke(PROGRAMS[program], words, catch_exceptions=False)
        assert result.exit_code == 0, f"{command}\n{result.output}"
        assert result.stdout.strip(), command


@pytest.mark.parametrize(("page", "line"), OURS)
def test_other_commands_parse(page, line):
    """The command, its options and presets exist; its files need not."""
    program, *words = shlex.split(line)
    if not words or (len(words) == 1 and _opens_the_window(words[0])):
        return
    command = typer.main.get_command(PROGRAMS[program])
    while words and (named := getattr(command, "commands", {}).get(words[0])):
        command = named
        words.pop(0)
    context = typer.Context(command, info_name=line)
    given, left, _ = command.make_parser(context).parse_args(with_ray_address(words))
    assert not left, f"{page}: {line}"
    if preset := given.get("preset"):
        assert (ROOT / "train" / "configs" / f"{preset}.toml").is_file()


def test_no_unknown_programs_are_shown():
    unknown = [
        (page, line)
        for page, line in SHOWN
        if line and (page, line) not in OURS and not line.startswith(FOREIGN)
    ]
    assert unknown == []


def _opens_the_window(word: str) -> bool:
    return is_for_window([word]) or word.startswith("postgresql://") or word.endswith(".fits")
