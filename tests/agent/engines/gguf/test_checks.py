"""Language models and vision parts with faults in their headers are refused."""

import struct
from pathlib import Path

import pytest

from agent.engines.gguf.checks import vision_shapes
from agent.engines.gguf.header import read_gguf_header
from agent.errors import EngineError
from tests.agent.engines.gguf.gguf_files import (
    HIDDEN,
    TOKENS,
    Change,
    checked,
    drop_key,
    language,
    pictures,
    set_key,
    set_shape,
    write,
)

SHAPE_FAULTS: dict[str, tuple[Change, str]] = {
    "other patches": (set_key("clip.vision.patch_size", 16), "patch_embd"),
    "more layers than tensors": (set_key("clip.vision.block_count", 2), "v.blk.1"),
    "a layer misshapen": (set_shape("v.blk.0.attn_out.weight", 32, 16), "attn_out"),
    "a merger misshapen": (set_shape("mm.2.weight", 64, HIDDEN), "mm.2"),
    "another middle": (set_key("clip.vision.feed_forward_length", 90), "ffn_up"),
    "no second patch": (lambda keys, tensors: tensors.pop("v.patch_embd.weight.1"), "patch_embd"),
}


def test_reads_what_it_is_told(tmp_path: Path) -> None:
    words = checked(write(tmp_path / "a.gguf", *language()))
    assert (words.architecture, words.hidden, words.context_length) == ("qwen2vl", HIDDEN, 4096)
    assert checked(tmp_path / "a.gguf", write(tmp_path / "b.gguf", *pictures())) == 28


LANGUAGE_FAULTS: dict[str, tuple[Change, str]] = {
    "another model": (set_key("general.architecture", "llama"), "type 'llama'"),
    "no kind": (drop_key("general.architecture"), "type ''"),
    "the wrong of the two": (set_key("general.architecture", "clip"), "vision part"),
    "one of several parts": (set_key("split.count", 3), "one of several parts"),
    "no layers": (set_key("qwen2vl.block_count", 0), "block_count"),
    "too many layers": (set_key("qwen2vl.block_count", 4_000_000_000), "block_count"),
    "a text for a number": (set_key("qwen2vl.block_count", "2"), "block_count"),
    "no heads": (set_key("qwen2vl.attention.head_count", 0), "head_count"),
    "heads that do not fit": (set_key("qwen2vl.attention.head_count_kv", 3), "head counts"),
    "no key heads": (set_key("qwen2vl.attention.head_count_kv", 0), "head counts"),
    "a width of no heads": (set_key("qwen2vl.attention.head_count", 6), "multiple|match"),
    "sections too long": (set_key("qwen2vl.rope.dimension_sections", [9, 9, 9, 0]), "sections"),
    "no sections": (drop_key("qwen2vl.rope.dimension_sections"), "sections"),
    "no vocabulary": (drop_key("tokenizer.ggml.tokens"), "vocabulary"),
    "numbers as words": (set_key("tokenizer.ggml.tokens", [1] * TOKENS), "vocabulary"),
    "another vocabulary": (set_key("tokenizer.ggml.model", "llama"), "vocabulary"),
    "too few kinds": (set_key("tokenizer.ggml.token_type", [1] * 10), "token_type"),
    "an end past the end": (set_key("tokenizer.ggml.eos_token_id", TOKENS), "eos token"),
    "an embedding too short": (set_shape("token_embd.weight", HIDDEN, TOKENS - 1), "embedding"),
    "an embedding too narrow": (set_shape("token_embd.weight", HIDDEN // 2, TOKENS), "embedding"),
    "no embedding": (lambda keys, tensors: tensors.clear(), "embedding"),
}


@pytest.mark.parametrize("name", LANGUAGE_FAULTS)
def test_faulty_language_models_are_refused(tmp_path: Path, name: str) -> None:
    change, reason = LANGUAGE_FAULTS[name]
    keys, tensors = language()
    change(keys, tensors)
    with pytest.raises(EngineError, match=reason):
        checked(write(tmp_path / "a.gguf", keys, tensors))


PICTURE_FAULTS: dict[str, tuple[Change, str]] = {
    "a language model": (set_key("general.architecture", "qwen2vl"), "not a vision part"),
    "another family": (set_key("clip.projector_type", "qwen3vl_merger"), "made for this model"),
    "an unknown kind": (set_key("clip.projector_type", "mlp"), "made for this model"),
    "sound alone": (drop_key("clip.has_vision_encoder"), "no vision encoder"),
    "no patches": (set_key("clip.vision.patch_size", 0), "patch_size"),
    "no heads": (set_key("clip.vision.attention.head_count", 0), "head_count"),
    "odd heads": (set_key("clip.vision.attention.head_count", 3), "head width"),
    "other merging": (set_key("clip.vision.spatial_merge_size", 0), "merges"),
    "no picture size": (drop_key("clip.vision.image_size"), "image_size"),
    "two colours": (set_key("clip.vision.image_mean", [0, 0]), "image_mean"),
    "for a wider model": (set_shape("mm.2.weight", 128, 2 * HIDDEN), "made for this model"),
    "feeding layers that are not there": (
        set_key("clip.vision.is_deepstack_layers", [True]),
        "feeds 1 layers",
    ),
    "a window of one layer": (set_key("clip.vision.n_wa_pattern", 1), "n_wa_pattern"),
    "no windows told": (drop_key("clip.vision.n_wa_pattern"), "n_wa_pattern"),
}


@pytest.mark.parametrize("name", PICTURE_FAULTS | SHAPE_FAULTS)
def test_faulty_picture_parts_are_refused(tmp_path: Path, name: str) -> None:
    change, reason = (PICTURE_FAULTS | SHAPE_FAULTS)[name]
    keys, tensors = pictures()
    change(keys, tensors)
    words = write(tmp_path / "a.gguf", *language())
    with pytest.raises(EngineError, match=reason):
        checked(words, write(tmp_path / "b.gguf", keys, tensors))


def test_a_norm_of_half_precision_is_refused(tmp_path: Path) -> None:
    """llama.cpp aborted at the first picture."""
    words = write(tmp_path / "a.gguf", *language())
    part = write(tmp_path / "b.gguf", *pictures())
    name = next(name for name, shape in pictures()[1].items() if len(shape) == 1)
    data = bytearray(part.read_bytes())
    kind = data.index(name.encode()) + len(name) + 4 + 8
    data[kind : kind + 4] = struct.pack("<I", 1)
    part.write_bytes(data)
    with pytest.raises(EngineError, match=f"{name} is not of 32-bit floats"):
        checked(words, part)


def test_qwen3_has_joint_attention_and_deepstack_layers(tmp_path: Path) -> None:
    keys, _ = pictures()
    keys |= {"clip.vision.is_deepstack_layers": [False, True], "clip.vision.block_count": 2}
    header = read_gguf_header(write(tmp_path / "a.gguf", keys, {}))
    shapes = vision_shapes(header, "qwen3vl_merger", HIDDEN)
    assert shapes["v.blk.1.attn_qkv.weight"] == (32, 96)
    assert shapes["v.position_embd.weight"] == (32, 40 * 40)
    assert shapes["v.deepstack.1.fc2.weight"] == (128, HIDDEN)
    assert "v.deepstack.0.fc1.weight" not in shapes
