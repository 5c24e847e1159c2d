"""The sections about judges."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from agent.confidence.judged import JudgedScores
from agent.rendering.charts import reliability
from tests.train.report.conftest import report
from train.cli import app
from train.report.judging import _reliability


def test_judging(evaluated: tuple[Path, Path], tmp_path: Path):
    bench, out = evaluated
    text = report(tmp_path / "a.html", "--evaluation", out, "--bench", bench, "--failures", 2)
    assert "12 real, 12 others" in text
    assert "Failures of measured: Main table" in text
    assert text.count("the truth is") == 2
    assert text.count("<figcaption>whole spectrum") == 2
    assert re.search(r"<li>Looks at \d+ to \d+ Å, .+?</li>", text)
    assert re.search(r"<li>Answers (YES|NO): [^\\]+?</li>", text)
    assert "ECE" in text
    assert "<b>bold" not in text
    assert "&lt;b&gt;bold" in text
    assert "<script" not in text


def test_a_folder_that_holds_nothing(tmp_path: Path):
    result = CliRunner().invoke(
        app, ["report", str(tmp_path / "a.html"), "--evaluation", str(tmp_path)]
    )
    assert "holds no judgements" in str(result.exception)


def test_reliability_tells_the_error():
    p = np.linspace(0.01, 0.99, 200)
    label = np.random.default_rng(0).random(200) < p
    judges = {"good": JudgedScores(p, label), "bad": JudgedScores(1.0 - p, label)}
    svg = reliability(dict(_reliability(name, judged) for name, judged in judges.items()))
    errors = [float(found) for found in re.findall(r"ECE (0\.\d+)<", svg)]
    assert len(errors) == 2
    assert errors[0] < 0.1 < errors[1]
