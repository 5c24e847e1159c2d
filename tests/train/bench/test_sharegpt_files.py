from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from tests.train.bench.published_files import IMAGES, png, talk, write_talks
from train.bench.sharegpt import sharegpt_conversations
from train.bench.sharegpt_files import conversation_files, rows_of


def test_only_files_of_conversations_are_found(tmp_path: Path):
    path = write_talks(tmp_path)
    (tmp_path / "other.json").write_text('[{"a": 1}]')
    (tmp_path / "settings.json").write_text('{"messages": []}')
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    assert conversation_files(tmp_path) == [path]


def test_lines_and_lists_give_the_same_rows(tmp_path: Path):
    rows = [{"conversations": talk(), "images": IMAGES}, {"messages": []}]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    lines = [json.dumps(row) for row in rows]
    (tmp_path / "a.jsonl").write_text("\n\n".join([*lines, "not JSON"]))
    assert list(rows_of(tmp_path / "a.json")) == rows
    assert list(rows_of(tmp_path / "a.jsonl")) == [*rows, {}]


@pytest.mark.parametrize("content", [b"no picture", b"", png((40_000, 1)), b"GIF89a", png()[:60]])
def test_pictures_are_refused(tmp_path: Path, content: bytes):
    path = write_talks(tmp_path / "in")
    (tmp_path / "in" / IMAGES[0]).write_bytes(content)
    with pytest.raises(WorkbenchError, match="picture"):
        list(sharegpt_conversations(path))


@pytest.mark.parametrize("content", ["{}", "[", "[" * 100_000, '{"a": 1}'])
def test_files_that_are_none(tmp_path: Path, content: str):
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(WorkbenchError):
        list(sharegpt_conversations(path))
