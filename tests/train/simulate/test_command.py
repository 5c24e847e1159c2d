from __future__ import annotations

from pathlib import Path


def test_the_command_takes_a_sky(tmp_path: Path):
    from typer.testing import CliRunner

    from train.cli import app

    options = ["--count", "2", "--labels", "A", "--survey", "LAMOST", "--sky", "3", "--arrays"]
    result = CliRunner().invoke(app, ["simulate", str(tmp_path / "a"), *options])
    assert result.exit_code == 0
    assert '"sky": 3' in (tmp_path / "a" / "simulation.json").read_text()
