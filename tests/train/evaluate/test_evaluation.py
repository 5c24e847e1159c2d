from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from agent.errors import WorkbenchError
from tests.train.evaluate.helpers import MEASURED
from train.evaluate.evaluation import evaluate
from train.evaluate.tables import KINDS, RARE


class TestTables:
    def test_main(self, bench: Path, tmp_path: Path):
        other = replace(MEASURED, name="again")
        text = evaluate(KINDS["main"], bench, tmp_path, [MEASURED, other])
        assert "10 positives, 20 negatives" in text
        assert text.count("| measured |") == 3
        assert "mean accuracy and F1 by survey" in text
        assert "0.0 (no interval)" in text
        told = json.loads((tmp_path / "main.json").read_text())
        (first, _) = told["sets"]["test"]["judges"]
        assert [task["task"] for task in first["tasks"]] == list(RARE)
        assert first["mean_f1"]["value"] > 0.5
        lines = (tmp_path / "main.csv").read_text().splitlines()
        assert len(lines) == 1 + 2 * len(RARE)

    def test_another_model_under_the_same_name_is_refused(self, bench: Path, tmp_path: Path):
        evaluate(KINDS["main"], bench, tmp_path, [MEASURED], limit=2)
        with pytest.raises(WorkbenchError, match="another seed"):
            evaluate(KINDS["main"], bench, tmp_path, [replace(MEASURED, seed=1)], limit=2)

    def test_missing_sets_are_named(self, bench: Path, tmp_path: Path):
        with pytest.raises(WorkbenchError, match=r"survey-SDSS.parquet, survey-DESI.parquet"):
            evaluate(KINDS["cross-survey"], bench, tmp_path, [MEASURED])
