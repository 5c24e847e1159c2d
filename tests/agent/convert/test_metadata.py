"""The metadata of the two GGUF files, with the names and types that llama.cpp reads."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.convert.checkpoint import ConversionError, open_checkpoint
from agent.convert.metadata import Value, text_metadata, vision_metadata
from agent.convert.shapes import read_shape
from agent.convert.vocabulary import read_vocabulary
from tests.agent.convert.folders import copy25, edit
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["copy25", "tiny_qwen3", "tiny_qwen25"]


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
