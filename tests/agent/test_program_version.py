"""The version as the commands say it."""

from importlib.metadata import PackageNotFoundError

import pytest

from agent import program_version as module
from agent.program_version import program_version
from app.cli import main as workbench
from train.cli import main as trainer


def test_where_nothing_was_installed(monkeypatch):
    def refuse(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(module, "version", refuse)
    assert program_version() == "unknown"


@pytest.mark.parametrize(
    ("main", "name"), [(workbench.main, "spec-o3"), (trainer, "spec-o3-train")]
)
def test_the_commands_say_it(main, name, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [name, "--version"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{name} {program_version()}\n"
