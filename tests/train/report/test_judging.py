"""The sections about judges."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from typer.testing import CliRunner

from tests.train.report.conftest import report
from train.cli import app


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
