"""A tokenizer from a stranger is read only if it is one of Qwen's kind."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agent.engines import tokenizer_file
from agent.engines.tokenizer_file import SPLIT, check_tokenizer_file
from agent.errors import EngineError

Change = Callable[[dict[str, Any]], object]
TEMPLATE = {
    "type": "TemplateProcessing",
    "single": [{"Sequence": {"id": "A", "type_id": 0}}],
    "special_tokens": {},
}


def made() -> dict[str, Any]:
    split = {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False}
    return {
        "truncation": None, "padding": None, "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, {"type": "ByteLevel"}]},
        "model": {"type": "BPE", "dropout": None, "vocab": {"a": 0, "b": 1}, "merges": []},
        "added_tokens": [{"id": 2, "content": "<|im_end|>"}],
    }  # fmt: skip


def written(folder: Path, content: object) -> Path:
    path = folder / "tokenizer.json"
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def test_tokenizers_of_its_kind_are_accepted(tmp_path: Path) -> None:
    check_tokenizer_file(written(tmp_path, made()))
    check_tokenizer_file(written(tmp_path, made() | {"normalizer": None}))
    for post_processor in (None, {"type": "ByteLevel"}, TEMPLATE):
        check_tokenizer_file(written(tmp_path, made() | {"post_processor": post_processor}))
    check_tokenizer_file(written(tmp_path, made() | {"pre_tokenizer": {"type": "ByteLevel"}}))


@pytest.mark.parametrize(("change", "words"), [
    (lambda t: t.update(normalizer={"type": "Sequence", "normalizers": []}), "changes the"),
    (lambda t: t.update(normalizer={"type": "Prepend", "prepend": "x"}), "changes the"),
    (lambda t: t.update(pre_tokenizer=None), "splits the"),
    (lambda t: t["pre_tokenizer"]["pretokenizers"][0]["pattern"].update(Regex="a"), "splits"),
    (lambda t: t["pre_tokenizer"]["pretokenizers"].append({"type": "Digits"}), "splits"),
    (lambda t: t.update(padding={"strategy": {"Fixed": 10**10}}), "pads or cuts"),
    (lambda t: t.update(truncation={"max_length": 1}), "pads or cuts"),
    (lambda t: t.update(model={"type": "Unigram", "vocab": []}), "another type"),
    (lambda t: t.update(post_processor={"type": "TemplateProcessing"}), "adds tokens"),
    (lambda t: t.update(post_processor=TEMPLATE | {"single": []}), "adds tokens"),
    (lambda t: t.update(post_processor=TEMPLATE | {"special_tokens": {"a": 1}}), "adds tokens"),
    (lambda t: t.update(model=[]), "another type"),
    (lambda t: t["model"].update(dropout=0.5), "another type"),
    (lambda t: t["model"]["vocab"].update(far=10**6), "out of range"),
    (lambda t: t["model"]["vocab"].update(minus=-1), "out of range"),
    (lambda t: t["model"]["vocab"].update(text="1"), "out of range"),
    (lambda t: t.update(added_tokens=[{"id": 2**40}]), "out of range"),
    (lambda t: t.update(added_tokens=["x"]), "out of range"),
])  # fmt: skip
def test_others_are_refused(tmp_path: Path, change: Change, words: str) -> None:
    content = made()
    change(content)
    with pytest.raises(EngineError, match=f"is not a tokenizer of Qwen's kind: it .*{words}"):
        check_tokenizer_file(written(tmp_path, content))


@pytest.mark.parametrize(
    "content", [b"", b"[" * 100_000, b"\xff", b'{"a": ' + b"9" * 9000 + b"}", []]
)
def test_what_is_no_json_object_is_refused(tmp_path: Path, content: object) -> None:
    with pytest.raises(EngineError, match="is not a tokenizer"):
        check_tokenizer_file(written(tmp_path, content))


def test_a_long_file_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokenizer_file, "MAX_BYTES", 10)
    with pytest.raises(EngineError, match="too large"):
        check_tokenizer_file(written(tmp_path, made()))
    with pytest.raises(EngineError, match="cannot be read"):
        check_tokenizer_file(tmp_path / "none.json")
