"""The shape of a model is read from its config; shapes that llama.cpp gets wrong are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.convert.checkpoint import ConversionError, open_checkpoint
from agent.convert.shapes import read_shape
from tests.agent.convert.folders import Json, copy3, copy25, edit
from tests.small_models import tiny_qwen3, tiny_qwen25
from train.export.export import export_gguf

__all__ = ["copy3", "copy25", "tiny_qwen3", "tiny_qwen25"]


def test_flat_configs_of_the_hub(copy25: Path) -> None:
    def flatten(config: Json) -> None:
        text = config.pop("text_config")
        rope = text.pop("rope_parameters")
        text.pop("model_type")
        config.update(text)
        config.update(
            rope_theta=rope["rope_theta"],
            rope_scaling={"type": "mrope", "mrope_section": rope["mrope_section"]},
        )

    before = read_shape(open_checkpoint(copy25).config)
    edit(copy25, "config.json", flatten)
    assert read_shape(open_checkpoint(copy25).config) == before


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
    with pytest.raises(ConversionError, match=reason) as info:
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
    with pytest.raises(ConversionError, match=reason):
        export_gguf(copy3, copy3 / "out")
