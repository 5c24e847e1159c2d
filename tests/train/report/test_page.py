"""The page as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.errors import WorkbenchError
from tests.train.report.conftest import report
from train.cli import app


def test_the_same_twice(evaluated: tuple[Path, Path], tmp_path: Path):
    bench, out = evaluated
    one, two = (
        report(tmp_path / name, "--evaluation", out, "--bench", bench) for name in ("a", "b")
    )
    assert one == two


def test_nothing_to_report(tmp_path: Path):
    result = CliRunner().invoke(app, ["report", str(tmp_path / "a.html")])
    assert isinstance(result.exception, WorkbenchError)
    assert "nothing to report" in str(result.exception)
