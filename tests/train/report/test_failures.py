"""The section about the worst failures."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")


from tests.train.report.conftest import report


def test_a_set_is_looked_at_once(evaluated: tuple[Path, Path], tmp_path: Path):
    """The ablation judges the set of the main table with the same models."""
    bench, out = evaluated
    shutil.copytree(out, tmp_path / "out")
    told = json.loads((out / "main.json").read_text())
    (tmp_path / "out/ablation.json").write_text(json.dumps(told))
    text = report(
        tmp_path / "a.html", "--evaluation", tmp_path / "out", "--bench", bench,
        "--failures", 1,
    )  # fmt: skip
    assert "Ablation" in text
    assert text.count("Failures of") == text.count("the truth is") == 1
