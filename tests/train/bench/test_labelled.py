from __future__ import annotations

from pathlib import Path

import pytest

from train.bench.labelled import class_folders, label_of


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("CV", "CV"), ("cv", "CV"), ("carbon", "CS"), ("Carbon Stars", "CS"), ("white_dwarf", "WD"),
        ("K", "K"), ("not carbon", "not carbon"), ("B6210", "B6210"), ("", ""),
    ],
)  # fmt: skip
def test_labels(text: str, label: str):
    assert label_of(text) == label


def test_folders(tmp_path: Path):
    for name in ("carbon", "normal", ".hidden"):
        (tmp_path / name).mkdir()
    (tmp_path / "list.csv").write_text("")
    assert class_folders(tmp_path) == {"carbon": "CS", "normal": "normal"}
    (tmp_path / "carbon").rmdir()
    assert class_folders(tmp_path) == {}
