from __future__ import annotations

import json

import numpy as np
import typer
from typer.testing import CliRunner

from agent.evidence.gates import GATES
from agent.evidence.kinds import read_kinds
from agent.evidence.weights import read_weights
from train.simulate.sky import LABELS
from train.weights import command
from train.weights.command import measured, weights
from train.weights.draws import Draws, bundled, draw

PROGRAM = typer.Typer()
PROGRAM.command()(weights)
PROGRAM.command()(measured)


def drawn_in_part(per_label, *how):
    """A fifth of the spectra, each five times: measuring them takes longer than the fit."""
    few = draw(per_label // 5, *how)
    return Draws(**{name: np.concatenate([column] * 5) for name, column in vars(few).items()})


def test_the_command_writes_usable_weights_that_can_be_read(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "draw", drawn_in_part)
    made = CliRunner().invoke(
        PROGRAM,
        ["weights", "--per-label", "10", "--seed", "3", "--workers", "1", "--out", str(tmp_path)],
    )
    assert made.exit_code == 0, made.output
    text = (tmp_path / "kinds.toml").read_text(encoding="utf-8")
    assert "--per-label 10 --seed 3" in text.splitlines()[1]
    assert f"from {10 * len(LABELS)} simulated spectra" in text
    kinds, tasks = read_kinds(tmp_path / "kinds.toml"), read_weights(tmp_path / "tasks.toml")
    assert kinds.labels == LABELS and kinds.gates == tuple(GATES)
    assert np.isfinite(kinds.weights).all()
    assert set(tasks) == {task.id for task in bundled()}
    assert all(found.is_fitted for found in tasks.values())
    assert all(min(found.claims.values()) >= 0 for found in tasks.values())


def test_the_command_judges_simulated_candidates(monkeypatch):
    two = tuple(task for task in bundled() if task.id in {"CV", "MG"})
    monkeypatch.setattr(command, "bundled", lambda: two)
    said = CliRunner().invoke(
        PROGRAM, ["measured", "--count", "30", "--survey", "SDSS", "--workers", "1", "--json"]
    )
    assert said.exit_code == 0, said.output
    found = json.loads(said.stdout)["SDSS"]
    assert set(found) == {"CV", "MG"}
    assert found["CV"]["all"]["count"] == 30
    assert found["CV"]["clear"]["count"] < 30
