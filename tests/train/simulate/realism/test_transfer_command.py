from __future__ import annotations

import json
from collections import Counter

from typer.testing import CliRunner

from tests.train.simulate.helpers import truth_rows
from train.cli import app


def test_the_command_scores_a_folder_of_labelled_spectra(tmp_path):
    folder = tmp_path / "made"
    words = ["simulate", str(folder), "--labels", "CV,MG", "--count", "8"]
    assert CliRunner().invoke(app, words, catch_exceptions=False).exit_code == 0
    truth = truth_rows(folder)
    lines = [f"{line['file']},{line['label']}" for line in truth]
    table = "\n".join(["file,label", *lines, "missing.fits,CV"])
    (folder / "MANIFEST.csv").write_text(table + "\n", encoding="utf-8")
    words = ["transfer", str(folder), "--per-label", "10", "--json", "--workers", "1"]
    result = CliRunner().invoke(app, words, catch_exceptions=False)
    assert result.exit_code == 0
    said = json.loads(result.stdout)
    of_class = {one["task"]: one["hits"] + one["misses"] for one in said["scores"]}
    assert of_class == Counter(line["label"] for line in truth)
    assert list(said["unread"]) == ["missing.fits"]
