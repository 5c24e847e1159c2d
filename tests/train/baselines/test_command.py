from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from train.baselines.specialist import CARD
from train.cli import app


class TestCommand:
    def test_trains_and_skips_finished_networks(self, sets: Path, tmp_path: Path):
        arguments = ["baselines", str(sets), "--out", str(tmp_path), "--preset", "tiny"]
        quick = ["--set", "kinds=plain-cnn", "--set", "epochs=1"]
        first = CliRunner().invoke(app, [*arguments, *quick])
        assert first.exit_code == 0, first.output
        assert (tmp_path / "plain-cnn" / CARD).is_file()
        again = CliRunner().invoke(app, [*arguments, *quick])
        assert "already trained" in again.output
