"""`spec-o3-train evaluate panel`: a file that the program reads, and figures to look at."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from agent.inspection.fusion import read_fusion
from tests.train.evaluate.test_panel_fit import MEASURED, TRUE, made_pairs, put
from train.cli import app
from train.evaluate.panel_fit import fit_fusion


def test_it_writes_what_the_panel_reads(tmp_path: Path):
    pairs, folder, out = made_pairs(600), tmp_path / "bench", tmp_path / "panel.toml"
    put(folder, "see", pairs.eye)
    put(folder, MEASURED, pairs.measured)
    words = ["evaluate", "panel", str(folder), "--eye", "see", "--out", str(out)]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0, result.output
    weights, fitted = read_fusion(out), fit_fusion(pairs.terms, pairs.answers)
    assert abs(weights.eye - fitted.eye) < 1e-4 and abs(weights.measured - TRUE[2]) < 0.4
    assert "600 simulated candidates" in out.read_text()
    for word in ("eye", "measured", "panel", "macro-F1", "ECE", "95 % precision"):
        assert word in result.output
    said = " ".join(result.output.split())
    assert "panel against eye, paired: macro-F1 +" in said and "panel against measured" in said
    before = out.read_bytes()
    CliRunner().invoke(app, words)
    assert out.read_bytes() == before
