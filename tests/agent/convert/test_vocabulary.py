"""A tokenizer is exported only if llama.cpp splits text in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.convert.checkpoint import ConversionError
from tests.agent.convert.folders import Json, copy25, edit
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


def step(number: int, **changes: object) -> Callable[[Json], object]:
    return lambda t: t["pre_tokenizer"]["pretokenizers"][number].update(changes)


def added(**changes: object) -> Callable[[Json], object]:
    return lambda t: t["added_tokens"][-1].update(changes)


TOKENIZER_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "another split": (step(0, pattern={"Regex": r"\p{L}+|\s+"}), "split text as Qwen"),
    "a blank put in front": (step(1, add_prefix_space=True), "split text as Qwen"),
    "one step": (lambda t: t["pre_tokenizer"]["pretokenizers"].pop(), "split text as Qwen"),
    "no steps": (lambda t: t.update(pre_tokenizer=None), "split text as Qwen"),
    "another normalizer": (lambda t: t.update(normalizer={"type": "NFKC"}), "NFC"),
    "another kind": (lambda t: t["model"].update(type="WordPiece"), "BPE"),
    "merges ignored": (lambda t: t["model"].update(ignore_merges=True), "ignore_merges"),
    "byte fallback": (lambda t: t["model"].update(byte_fallback=True), "byte_fallback"),
    "a greedy added token": (added(lstrip=True), "absorbs"),
    "a number twice": (added(id=3), "unique"),
    "a number past the end": (added(id=5000), "unique"),
    "a nameless token": (added(content=""), "added token"),
    "no turn ends": (lambda t: t["added_tokens"][2].update(content="<|stop|>"), r"\|im_end"),
    "no merges": (lambda t: t["model"].pop("merges"), "no merges"),
    "odd merges": (lambda t: t["model"].update(merges=["a b c"]), "not a pair"),
    "tokens around texts": (
        lambda t: t.update(post_processor={"type": "BertProcessing", "sep": ["x", 1]}),
        "of its own",
    ),
}


@pytest.mark.parametrize("name", TOKENIZER_FAULTS)
def test_tokenizers_llama_cpp_does_not_know_are_refused(copy25: Path, name: str) -> None:
    change, reason = TOKENIZER_FAULTS[name]
    edit(copy25, "tokenizer.json", change)
    with pytest.raises(ConversionError, match=reason):
        export_gguf(copy25, copy25 / "out")
