from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("pyarrow")

from tests.train.evaluate.helpers import rows
from tests.train.report.conftest import report
from train.evaluate.sight_figures import sight_figures, sight_json


def test_a_folder_with_nothing_but_a_test_of_sight(tmp_path: Path):
    judged = rows(3, 1, 0, 4)
    figures = [
        sight_figures(pictures, judged, {}, judged, {}, seed=1) for pictures in ("own", "white")
    ]
    (tmp_path / "sight.json").write_text(sight_json({"<box>": {"nano": figures}}))
    text = report(tmp_path / "a.html", "--evaluation", tmp_path)
    assert "Test of sight: nano on &lt;box&gt;" in text
    assert "4 real, 4 others" in text
    assert text.count("<td>white paper</td>") == 1
