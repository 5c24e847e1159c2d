"""Models and files that must not be exported, each with its reason in one line."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from safetensors.torch import load_file, save_file

from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.folders import Json, copy3, copy25, edit
from train.export.export import export_gguf
from train.models.errors import ExportError

__all__ = ["copy3", "copy25", "tiny_qwen3", "tiny_qwen25"]


def text(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["text_config"].update(changes)


def vision(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["vision_config"].update(changes)


def rope(**changes: object) -> Callable[[Json], object]:
    return lambda config: config["text_config"]["rope_parameters"].update(changes)


CONFIG_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "another model": (lambda config: config.update(model_type="llava"), "type 'llava'"),
    "vision ffn as wide as hidden": (vision(intermediate_size=64), "swapped"),
    "irregular whole attention": (vision(fullatt_block_indexes=[0, 3]), "every n-th"),
    "whole attention left out at the end": (vision(fullatt_block_indexes=[1]), "every n-th"),
    "no whole attention": (vision(fullatt_block_indexes=[]), "every n-th"),
    "another window": (vision(window_size=56), "window_size is 56"),
    "another merging": (vision(spatial_merge_size=1), "spatial_merge_size"),
    "another patch": (vision(patch_size=16), "patches of 16"),
    "another time patch": (vision(temporal_patch_size=1), "temporal_patch_size"),
    "another vision activation": (vision(hidden_act="gelu"), "activation is gelu"),
    "another vision theta": (vision(rope_parameters={"rope_theta": 500.0}), "rope_theta"),
    "grey pictures": (vision(in_channels=1), "channels"),
    "odd vision heads": (vision(num_heads=3), "multiple of 4"),
    "a vision tower for another model": (vision(out_hidden_size=64), "gives 64 numbers"),
    "sections that do not add up": (rope(mrope_section=[4, 6, 5]), "half a head"),
    "two sections": (rope(mrope_section=[8, 8]), "three numbers"),
    "no sections": (lambda c: c["text_config"]["rope_parameters"].pop("mrope_section"), "mrope"),
    "stretched rope": (rope(rope_type="yarn"), "scaled"),
    "no rope": (lambda c: c["text_config"].pop("rope_parameters"), "rope_parameters"),
    "a sliding window": (text(use_sliding_window=True), "sliding window"),
    "sliding layers": (text(layer_types=["sliding_attention"] * 4), "full attention"),
    "another activation": (text(hidden_act="gelu"), "silu"),
    "heads that do not fit": (text(num_key_value_heads=3), "multiple of key-value"),
    "a width of no heads": (text(num_attention_heads=3, num_key_value_heads=3), "multiple of its"),
    "no layers": (text(num_hidden_layers=0), "num_hidden_layers"),
    "endless layers": (text(num_hidden_layers=10**9), "num_hidden_layers"),
    "words for numbers": (text(hidden_size="128"), "hidden_size"),
    "no vision": (lambda config: config.pop("vision_config"), "vision_config"),
    "another number of rows": (text(vocab_size=800), "shape"),
    "more layers than weights": (text(num_hidden_layers=5), "lacks layers.4"),
    "a head that is not there": (
        lambda config: (
            config.update(tie_word_embeddings=False),
            config["text_config"].update(tie_word_embeddings=False),
        ),
        r"lacks lm_head\.weight",
    ),
    "fewer layers than weights": (text(num_hidden_layers=3), "do not, such as layers.3"),
}


@pytest.mark.parametrize("name", CONFIG_FAULTS)
def test_models_llama_cpp_gets_wrong_are_refused(copy25: Path, name: str) -> None:
    change, reason = CONFIG_FAULTS[name]
    edit(copy25, "config.json", change)
    with pytest.raises(ExportError, match=reason) as info:
        export_gguf(copy25, copy25 / "out")
    assert "\n" not in str(info.value)
    assert not list(copy25.glob("out/*.gguf"))


QWEN3_FAULTS: dict[str, tuple[Callable[[Json], object], str]] = {
    "positions that are no square": (vision(num_position_embeddings=250), "not a square"),
    "taps out of order": (vision(deepstack_visual_indexes=[2, 1]), "ascending"),
    "taps past the end": (vision(deepstack_visual_indexes=[1, 9]), "ascending"),
    "exact gelu": (vision(hidden_act="gelu"), "activation"),
    "attention biases": (text(attention_bias=True), "biases"),
}


@pytest.mark.parametrize("name", QWEN3_FAULTS)
def test_qwen3_models_llama_cpp_gets_wrong_are_refused(copy3: Path, name: str) -> None:
    change, reason = QWEN3_FAULTS[name]
    edit(copy3, "config.json", change)
    with pytest.raises(ExportError, match=reason):
        export_gguf(copy3, copy3 / "out")


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
    with pytest.raises(ExportError, match=reason):
        export_gguf(copy25, copy25 / "out")


def test_folders_that_hold_no_model(tmp_path: Path, copy25: Path) -> None:
    with pytest.raises(ExportError, match="not a folder"):
        export_gguf(tmp_path / "none", tmp_path)
    with pytest.raises(ExportError, match=r"no config\.json"):
        export_gguf(tmp_path, tmp_path)
    config = (copy25 / "config.json").read_text()
    (copy25 / "config.json").write_text("{")
    with pytest.raises(ExportError, match="not valid JSON"):
        export_gguf(copy25, tmp_path / "out")
    (copy25 / "config.json").write_text(config)
    (copy25 / "tokenizer.json").unlink()
    with pytest.raises(ExportError, match=r"no tokenizer\.json"):
        export_gguf(copy25, tmp_path / "out")
    (copy25 / "model.safetensors").rename(copy25 / "pytorch_model.bin")
    with pytest.raises(ExportError, match="only read from safetensors"):
        export_gguf(copy25, tmp_path / "out")


def test_an_adapter_alone_is_refused_with_the_command(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "Qwen/base"}')
    with pytest.raises(ExportError, match=r"spec-o3-train export Qwen/base OUT --adapter"):
        export_gguf(tmp_path, tmp_path / "out")


def test_unknown_types_are_refused(tiny_qwen25: Path, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="q4_0"):
        export_gguf(tiny_qwen25, tmp_path, lm_type="q4_0")
    with pytest.raises(ExportError, match="pictures as q8_0"):
        export_gguf(tiny_qwen25, tmp_path, mmproj_type="q8_0")


def test_weights_no_float16_holds(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    weights["model.layers.0.mlp.up_proj.weight"][3, 3] = 1e6
    save_file(weights, copy25 / "model.safetensors")
    with pytest.raises(ExportError, match="--type f32"):
        export_gguf(copy25, copy25 / "out")
    export_gguf(copy25, copy25 / "out", lm_type="f32")
    weights["model.layers.0.mlp.up_proj.weight"][3, 3] = float("nan")
    save_file(weights, copy25 / "model.safetensors")
    with pytest.raises(ExportError, match="not finite"):
        export_gguf(copy25, copy25 / "out", lm_type="f32")


def test_quantized_or_foreign_weights(copy25: Path) -> None:
    weights = load_file(copy25 / "model.safetensors")
    save_file(weights | {"model.layers.0.lora_A": torch.zeros(2)}, copy25 / "model.safetensors")
    with pytest.raises(ExportError, match="lora_A"):
        export_gguf(copy25, copy25 / "out")
    packed = weights["model.layers.0.mlp.up_proj.weight"].to(torch.int8)
    save_file(weights | {"model.layers.0.mlp.up_proj.weight": packed}, copy25 / "model.safetensors")
    with pytest.raises(ExportError, match="'I8'"):
        export_gguf(copy25, copy25 / "out")


def _stored_header(header: Json, data: bytes = b"") -> bytes:
    encoded = json.dumps(header).encode()
    return struct.pack("<Q", len(encoded)) + encoded + data


HOSTILE_WEIGHTS = {
    "nothing": b"",
    "an endless header": struct.pack("<Q", 1 << 60) + b"{}",
    "no JSON": struct.pack("<Q", 4) + b"{{{{",
    "a list": struct.pack("<Q", 2) + b"[]",
    "past the end": _stored_header({"a": {"dtype": "F32", "shape": [4], "data_offsets": [0, 16]}}),
    "before the start": _stored_header(
        {"a": {"dtype": "F32", "shape": [1], "data_offsets": [-4, 0]}}, bytes(8)
    ),
    "another length": _stored_header(
        {"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)
    ),
    "a negative side": _stored_header(
        {"a": {"dtype": "F32", "shape": [-1, -1], "data_offsets": [0, 4]}}, bytes(8)
    ),
    "no offsets": _stored_header({"a": {"dtype": "F32", "shape": [1]}}, bytes(8)),
    "no table": _stored_header({"a": 1}),
}


@pytest.mark.parametrize("name", HOSTILE_WEIGHTS)
def test_hostile_weight_files(copy25: Path, name: str) -> None:
    (copy25 / "model.safetensors").write_bytes(HOSTILE_WEIGHTS[name])
    with pytest.raises(ExportError, match=r"model\.safetensors"):
        export_gguf(copy25, copy25 / "out")


def test_an_index_may_not_name_files_elsewhere(copy25: Path) -> None:
    index = {"weight_map": {"a": "../model.safetensors"}}
    (copy25 / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ExportError, match="outside its folder"):
        export_gguf(copy25, copy25 / "out")
