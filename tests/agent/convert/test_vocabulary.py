"""A tokenizer is exported only if llama.cpp splits text in the same way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.convert.checkpoint import ConversionError, open_checkpoint
from agent.convert.metadata import Value, text_metadata, vision_metadata
from agent.convert.shapes import read_shape
from agent.convert.vocabulary import read_vocabulary
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


# The metadata of the two GGUF files, with the names and types that llama.cpp reads.
def test_the_language_models_keys(tiny_qwen3: Path) -> None:
    checkpoint = open_checkpoint(tiny_qwen3)
    shape = read_shape(checkpoint.config)
    vocabulary = read_vocabulary(checkpoint, shape.text.vocab)
    keys = text_metadata(shape, vocabulary, "q8_0", "mine")
    assert keys["general.architecture"] == Value("text", "qwen3vl")
    assert keys["general.name"] == Value("text", "mine")
    assert keys["general.file_type"] == Value("u32", 7)
    assert keys["qwen3vl.n_deepstack_layers"] == Value("u32", len(shape.vision.deepstack))
    end = keys["tokenizer.ggml.eos_token_id"].value
    assert keys["tokenizer.ggml.tokens"].value[end] == "<|im_end|>"


def test_pictures_are_normalized_as_the_folder_says(copy25: Path) -> None:
    def keys() -> dict[str, Value]:
        checkpoint = open_checkpoint(copy25)
        return vision_metadata(read_shape(checkpoint.config), checkpoint, "f16", "mine")

    edit(copy25, "preprocessor_config.json", lambda each: each.update(image_std=[0.5, 0.25, 1]))
    assert keys()["clip.vision.image_std"] == Value("f32s", [0.5, 0.25, 1.0])
    newer = copy25 / "processor_config.json"
    newer.write_text('{"image_processor": {"image_std": [0.1, 0.2, 0.3]}}')
    assert keys()["clip.vision.image_std"] == Value("f32s", [0.1, 0.2, 0.3])
    newer.write_text('{"image_processor": {"image_std": [0.1]}}')
    with pytest.raises(ConversionError, match="image_std of three numbers"):
        keys()
