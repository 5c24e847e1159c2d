"""`spec-o3-train evaluate order`: verdicts counted by hand, and a table of a few real files."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from app.core.similar.features import SIZE
from train.cli import app
from train.evaluate.order_command import (
    OrderFigure,
    PoolOfSpectra,
    bound_holds,
    order_figures,
    verdicts_until_found,
)


@pytest.fixture
def pool() -> PoolOfSpectra:
    """Two classes with a line each, and p(YES) that is right of one."""
    draw = np.random.default_rng(4)
    labels = np.array(["A"] * 12 + ["B"] * 20 + ["C"] * 168)
    vectors = draw.normal(size=(200, SIZE))
    for at, label in enumerate("AB"):
        vectors[labels == label, at] += 8.0
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    logit = np.where(labels == "A", 3.0, -3.0).astype(np.float32)
    return PoolOfSpectra("pool", vectors, labels, {"A": logit})


def test_verdicts_are_counted_as_they_are_given() -> None:
    is_member = np.arange(20) % 2 == 0
    rising = np.arange(20, dtype=np.float32)
    # 9 of 10: from 18 down to 2, of which all odd ones above 1 come before.
    assert verdicts_until_found(is_member, lambda known, is_yes: rising, []) == 18
    assert verdicts_until_found(is_member, lambda known, is_yes: rising, [18]) == 17
    perfect = is_member.astype(np.float32)
    assert verdicts_until_found(is_member, lambda known, is_yes: perfect, []) == 9


def test_learning_needs_fewer_and_with_a_right_agent_no_more(pool: PoolOfSpectra) -> None:
    means = {each.order: each for each in order_figures(pool, "B", 4)}
    assert set(means) == {"random", "like this", "like all", "learned"}
    assert means["learned"].mean < means["random"].mean / 2
    with_agent = {each.order: each.mean for each in order_figures(pool, "A", 4)}
    assert with_agent["from p(YES)"] == with_agent["p(YES)"] == 11
    figure = means["random"]
    assert (figure.members, figure.spectra, len(figure.verdicts)) == (20, 200, 4)


def test_the_interval_of_a_mean() -> None:
    assert OrderFigure("", "", 1, 2, "", (10, 10, 10)).half_width == 0
    assert OrderFigure("", "", 1, 2, "", (9, 11)).half_width == pytest.approx(12.7, abs=0.1)


def test_the_bound_is_tried_on_lists(pool: PoolOfSpectra) -> None:
    at_end, always = bound_holds(pool, 10)
    assert 8 <= at_end <= 10 and always <= at_end


def test_the_command_prints_and_writes(tmp_path: Path) -> None:
    out = tmp_path / "order.json"
    words = ["evaluate", "order", "--simulated", "120", "--no-agent"]
    words += ["--seeds", "2", "--lists", "1"]
    result = CliRunner().invoke(app, [*words, "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "simulated, 120 spectra" in result.output and "the bound holds in" in result.output
    assert json.loads(out.read_text())["bound"]["lists"] == 1
    result = CliRunner().invoke(app, ["evaluate", "order"])
    assert result.exit_code != 0
