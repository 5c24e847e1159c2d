"""Cards inferred from a folder or a GGUF header."""

import hashlib
import json
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.models.card_file import card_text, parse_card
from agent.models.check_files import check_files, missing_files, remember_files
from agent.models.infer_card import infer_card, make_card
from agent.rendering.model_image import Sizing
from agent.rendering.render import PUBLISHED
from tests.agent.models.model_folders import folder_of, gguf
from tests.agent.models.test_card_file import HASH


def test_a_folder_without_a_card_gets_one_inferred(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "My model!")
    card = infer_card(folder)
    assert (card.name, card.family, card.engine) == ("My-model", "qwen2.5-vl", "transformers")
    assert card.context_length == 4096
    assert card.style == PUBLISHED
    roles = {file.path: file.role for file in card.files}
    assert roles == {
        "config.json": "config",
        "merges.txt": "tokenizer",
        "model.safetensors": "weights",
        "tokenizer.json": "tokenizer",
    }
    assert parse_card(card_text(card)) == card
    assert missing_files(card, folder) == ()


@pytest.mark.parametrize(("settings", "tokens"), [
    ({"min_pixels": 3136, "max_pixels": 12845056}, (8, 1280)),
    ({"min_pixels": 16 * 784, "max_pixels": 100 * 784 + 5}, (16, 100)),
    ({"size": {"shortest_edge": 20 * 784, "longest_edge": 40 * 784}}, (20, 40)),
    ({"min_pixels": "x", "max_pixels": True}, (8, 1280)),
    ({"size": 7}, (8, 1280)),
])  # fmt: skip
def test_picture_limits_come_from_the_preprocessor(
    tmp_path: Path, settings: dict[str, object], tokens: tuple[int, int]
) -> None:
    folder = folder_of(tmp_path / "m")
    (folder / "preprocessor_config.json").write_text(json.dumps(settings))
    assert infer_card(folder).sizing == Sizing.of_tokens(28, *tokens)


def test_what_cannot_inspect_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r'type "llama"; only qwen2_5_vl and qwen3_vl'):
        infer_card(folder_of(tmp_path / "a", "llama"))
    with pytest.raises(ResourceError, match=r"neither config\.json nor"):
        infer_card(tmp_path)
    with pytest.raises(ResourceError, match="is neither a model folder nor"):
        infer_card(tmp_path / "absent")
    bad = folder_of(tmp_path / "b")
    for content in (b"[]", b"{", b"[" * 100_000, b"\xff", b" " * 5_000_000):
        (bad / "config.json").write_bytes(content)
        with pytest.raises(ResourceError, match=r"config\.json"):
            infer_card(bad)
    pickled = folder_of(tmp_path / "c")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    with pytest.raises(ResourceError, match="no file has the role weights"):
        infer_card(pickled)


def test_an_adapter_names_its_base(tmp_path: Path) -> None:
    folder = tmp_path / "lora"
    folder.mkdir()
    (folder / "adapter_model.safetensors").write_bytes(b"low rank")
    settings = {"peft_type": "LORA", "base_model_name_or_path": "/home/me/models/spec-o3-3b/"}
    (folder / "adapter_config.json").write_text(json.dumps(settings))
    card = infer_card(folder)
    assert (card.base, card.engine, card.family) == ("spec-o3-3b", "transformers", "qwen2.5-vl")
    assert card.paths("adapter") == ("adapter_model.safetensors",)
    assert missing_files(card, folder) == ()
    (folder / "adapter_config.json").write_text("{}")
    with pytest.raises(ResourceError, match="does not name its base"):
        infer_card(folder)


def test_a_lone_gguf_gets_a_card_with_the_vision_part_beside_it(tmp_path: Path) -> None:
    weights = gguf(tmp_path / "spec-q8_0.gguf", qwen2vl__context_length=2048)
    with pytest.raises(ResourceError, match=r"needs its vision part .* found none"):
        infer_card(weights)
    gguf(tmp_path / "mmproj-spec-f16.gguf", "clip")
    for path, name in ((weights, "spec-q8_0"), (tmp_path, tmp_path.name)):
        card = infer_card(path)
        assert (card.name, card.family, card.engine) == (name, "qwen2.5-vl", "gguf")
        assert card.paths("weights") == ("spec-q8_0.gguf",)
        assert card.paths("mmproj") == ("mmproj-spec-f16.gguf",)
        assert card.context_length == 2048
    other = gguf(tmp_path / "spec-f16.gguf", "qwen3vl")
    assert infer_card(other).family == "qwen3-vl"
    with pytest.raises(ResourceError, match=r"several models: use one of spec-f16\.gguf, spec-q8"):
        infer_card(tmp_path)
    gguf(other, "llama")
    with pytest.raises(ResourceError, match='type "llama"; expected qwen2vl or qwen3vl'):
        infer_card(other)
    other.write_bytes(b"GGUF\3")
    with pytest.raises(ResourceError, match=r"spec-f16\.gguf is not a usable GGUF file"):
        infer_card(other)


def test_a_split_gguf_is_one_model(tmp_path: Path) -> None:
    for part in (1, 2):
        gguf(tmp_path / f"big-0000{part}-of-00002.gguf")
    gguf(tmp_path / "mmproj.gguf", "clip")
    card = infer_card(tmp_path)
    assert card.paths("weights") == ("big-00001-of-00002.gguf", "big-00002-of-00002.gguf")


def test_make_card_hashes_every_file(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "m")
    read: list[int] = []
    card = make_card(folder, on_bytes=read.append, name="mine", simulated_only=True)
    assert (card.name, card.simulated_only) == ("mine", True)
    for file in card.files:
        content = (folder / file.path).read_bytes()
        assert file.sha256 == hashlib.sha256(content).hexdigest()
        assert file.size == len(content)


def test_the_hubs_cache_names_large_files_by_their_hash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent.models.infer_card.HASHED_AT_ONCE", 3)
    folder = folder_of(tmp_path / "models--a--b" / "snapshots" / "c0ffee")
    blobs = tmp_path / "models--a--b" / "blobs"
    blobs.mkdir()
    (folder / "model.safetensors").rename(blobs / HASH)
    (folder / "model.safetensors").symlink_to(Path("../../blobs") / HASH)
    files = {file.path: file for file in infer_card(folder).files}
    assert files["model.safetensors"].sha256 == HASH
    assert files["config.json"].sha256 == ""
    assert files["merges.txt"].sha256 == hashlib.sha256(b"a b").hexdigest()


# Missing files, and hashes that are checked once.
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
def memory(home: Path) -> Path:
    """Where hashes are remembered, apart from the user's."""
    return home / "cache" / "checked-files.json"


def test_files_are_hashed_once_and_again_when_they_changed(tmp_path: Path, memory: Path) -> None:
    folder = folder_of(tmp_path / "m")
    card = make_card(folder)
    read: list[int] = []
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes
    check_files(card, folder, read.append)
    assert sum(read) == card.bytes, "a second time"
    (folder / "model.safetensors").write_bytes(b"WEIGHTS")
    other = r"model\.safetensors is not the file in the model's card"
    with pytest.raises(ResourceError, match=other):
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
