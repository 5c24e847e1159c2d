"""Run commands in tests."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from app.cli.main import workbench

SAMPLE = Path(__file__).parents[3] / "resources" / "sample"
FEW = 4
MEASURED = ("--model", "measured")
"""What a command that inspects is given where another model would take longer for the same."""


def run(*words: object) -> str:
    result = CliRunner().invoke(workbench(), list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def both_said(*words: object) -> str:
    """On standard output, then on standard error."""
    result = CliRunner().invoke(workbench(), list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout + result.stderr


def fails(*words: object) -> str:
    result = CliRunner().invoke(workbench(), list(map(str, words)))
    assert result.exit_code == 1
    return str(result.exception)
