"""Missing files, and hashes that are checked once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.models.check_files import check_files, missing_files, remember_files
from agent.models.infer_card import infer_card, make_card
from tests.agent.models.model_folders import folder_of


def test_absent_shards_of_an_index_are_missing(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "m")
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    weight_map = {
        "a": "model-00001-of-00002.safetensors",
        "b": "model-00002-of-00002.safetensors",
        "c": "../../outside.safetensors",
        "d": 5,
    }
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    (folder / "tokenizer.json").unlink()
    missing = missing_files(infer_card(folder), folder)
    assert missing == ("model-00002-of-00002.safetensors", "tokenizer.json")


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where hashes are remembered, apart from the user's."""
    monkeypatch.setattr(
        "agent.models.check_files.user_cache_path", lambda *_, **__: tmp_path / "cache"
    )
    return tmp_path / "cache" / "checked-files.json"


def test_files_are_hashed_once_and_again_when_they_changed(tmp_path: Path, memory: Path) -> None:
    folder = folder_of(tmp_path / "m")
    card = make_card(folder)
    read: list[int] = []
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes, "a second time"
    (folder / "model.safetensors").write_bytes(b"WEIGHTS")
    with pytest.raises(
        ResourceError, match=r"model\.safetensors is not the file in the model's card"
    ):
        check_files(card, folder)
    (folder / "model.safetensors").write_bytes(b"short")
    with pytest.raises(ResourceError, match=r"incomplete: model\.safetensors missing or of"):
        check_files(card, folder)


def test_just_hashed_files_are_remembered(tmp_path: Path, memory: Path) -> None:
    folder = folder_of(tmp_path / "m")
    card = make_card(folder)
    remember_files(card, folder)
    check_files(card, folder, on_bytes=lambda count: pytest.fail("read again"))


@pytest.mark.parametrize("content", ["", "[]", "{", '{"a": 1}'])
def test_a_broken_memory_means_hashing_again(tmp_path: Path, memory: Path, content: str) -> None:
    folder = folder_of(tmp_path / "m")
    memory.parent.mkdir()
    memory.write_text(content)
    read: list[int] = []
    check_files(make_card(folder), folder, on_bytes=read.append)
    assert read
    memory.unlink()
    memory.mkdir()  # cannot be written either
    check_files(make_card(folder), folder)
