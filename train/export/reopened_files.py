"""The JSON files of a transformers folder, from the metadata of two GGUF files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from agent.convert.errors import ConversionError
from agent.convert.metadata import LANGUAGE_ARCHITECTURES
from agent.convert.shapes import FAMILIES, MERGE, PATCH, VISION_ACT, WINDOW, Family
from agent.convert.vocabulary import (
    CONTROL,
    END_OF_TEXT,
    END_OF_TURN,
    EXPECTED_STEPS,
    NEEDED,
    NORMAL,
    USER_DEFINED,
)
from agent.rendering.model_image import Sizing

Item = TypeVar("Item")
Json = dict[str, Any]
Get = Callable[[str], Any]
"""Returns the value of a key in one of the files, or None."""

MODEL_TYPES = {family: kind for kind, family in FAMILIES.items()}
TOKENS, KINDS, MERGES = (f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "merges"))
_NAMED = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}
_PROCESSORS = {"qwen2.5-vl": "Qwen2_5_VLProcessor", "qwen3-vl": "Qwen3VLProcessor"}


def family_of(words: Get) -> Family:
    arch = words("general.architecture")
    for family, name in LANGUAGE_ARCHITECTURES.items():
        if arch == name:
            return family  # type: ignore[return-value]
    raise ConversionError(f"the GGUF model has the type {arch!r:.40}, not qwen2vl or qwen3vl")


def config_of(words: Get, pictures: Get, *, tied: bool) -> Json:
    """The config.json; its numbers are checked when the shape is read from it."""
    family = family_of(words)
    numbers = {token: number for number, token in enumerate(listed(words, TOKENS, str))}
    named = {key: numbers[token] for key, token in _NAMED.items() if token in numbers}
    return {
        "model_type": MODEL_TYPES[family],
        "tie_word_embeddings": tied,
        **named,
        "text_config": {
            **_text_config(words, family),
            "model_type": f"{MODEL_TYPES[family]}_text",
            "vocab_size": len(numbers),
            "tie_word_embeddings": tied,
            "bos_token_id": None,
            **ends_of(words),
        },
        "vision_config": _vision_config(pictures, family),
    }


def ends_of(words: Get) -> Json:
    """The ids of the tokens that end a turn and pad rows."""
    return {
        "eos_token_id": words("tokenizer.ggml.eos_token_id"),
        "pad_token_id": words("tokenizer.ggml.padding_token_id"),
    }


def _text_config(words: Get, family: Family) -> Json:
    arch = LANGUAGE_ARCHITECTURES[family]

    def of(name: str) -> Any:
        return words(f"{arch}.{name}")

    sections = listed(words, f"{arch}.rope.dimension_sections", int)
    rope: Json = {
        "rope_type": "default",
        "rope_theta": _unrounded(of("rope.freq_base")),
        "mrope_section": sections[:3],
    }
    found = {
        "hidden_size": of("embedding_length"),
        "intermediate_size": of("feed_forward_length"),
        "num_hidden_layers": of("block_count"),
        "num_attention_heads": of("attention.head_count"),
        "num_key_value_heads": of("attention.head_count_kv"),
        "max_position_embeddings": of("context_length"),
        "rms_norm_eps": _unrounded(of("attention.layer_norm_rms_epsilon")),
        "hidden_act": "silu",
        "rope_parameters": rope,
    }
    if family == "qwen3-vl":
        rope["mrope_interleaved"] = True
        found["head_dim"] = of("attention.key_length")
    return found


def _vision_config(pictures: Get, family: Family) -> Json:
    def of(name: str) -> Any:
        return pictures(f"clip.vision.{name}")

    layers, side = of("block_count"), of("image_size")
    found = {
        "depth": layers,
        "hidden_size": of("embedding_length"),
        "intermediate_size": of("feed_forward_length"),
        "num_heads": of("attention.head_count"),
        "out_hidden_size": of("projection_dim"),
        "patch_size": of("patch_size"),
        "spatial_merge_size": MERGE,
        "temporal_patch_size": 2,
        "in_channels": 3,
        "hidden_act": VISION_ACT[family][0],
    }
    if family == "qwen3-vl":
        taps = listed(pictures, "clip.vision.is_deepstack_layers", bool)
        square = side // PATCH[family] if isinstance(side, int) else 0
        return found | {
            "num_position_embeddings": square**2,
            "deepstack_visual_indexes": [layer for layer, is_tap in enumerate(taps) if is_tap],
        }
    every = of("n_wa_pattern") or 1
    whole = range(every - 1, layers, every) if isinstance(layers, int) and layers < 1000 else ()
    return found | {"window_size": WINDOW, "fullatt_block_indexes": list(whole)}


def picture_settings(pictures: Get, family: Family, sizing: Sizing) -> Json:
    """The preprocessor_config.json."""
    return {
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": _PROCESSORS[family],
        "size": {
            "shortest_edge": sizing.min_pixels,
            "longest_edge": sizing.max_pixels,
        },
        "patch_size": PATCH[family],
        "temporal_patch_size": 2,
        "merge_size": MERGE,
        "image_mean": _unrounded(listed(pictures, "clip.vision.image_mean", float)),
        "image_std": _unrounded(listed(pictures, "clip.vision.image_std", float)),
    }


def tokenizer_of(words: Get) -> Json:
    """The tokenizer.json; all tokens keep their ids."""
    tokens, kinds = listed(words, TOKENS, str), listed(words, KINDS, int)
    if len(tokens) != len(kinds) or len(set(tokens)) != len(tokens):
        raise ConversionError("the tokens of the GGUF file are not unique, or not all have a type")
    missing = [name for name in NEEDED if name not in tokens]
    if missing:
        raise ConversionError(f"the GGUF file's tokenizer has no {missing[0]}")
    split, whole_bytes = EXPECTED_STEPS[0], {**EXPECTED_STEPS[1], "trim_offsets": True}
    typed = list(zip(tokens, kinds, strict=True))
    added = [
        {
            "id": number,
            "content": token,
            "special": kind == CONTROL,
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
        }
        for number, (token, kind) in enumerate(typed)
        if kind in (CONTROL, USER_DEFINED)
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "NFC"},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, whole_bytes]},
        "post_processor": None,
        "decoder": {**whole_bytes, "add_prefix_space": True, "use_regex": True},
        "model": {
            "type": "BPE",
            **dict.fromkeys(("dropout", "unk_token"), None),
            **dict.fromkeys(("continuing_subword_prefix", "end_of_word_suffix"), None),
            **dict.fromkeys(("fuse_unk", "byte_fallback", "ignore_merges"), False),
            "vocab": {
                token: number for number, (token, kind) in enumerate(typed) if kind == NORMAL
            },
            "merges": [merge.split(" ") for merge in listed(words, MERGES, str)],
        },
    }


def tokenizer_settings() -> Json:
    """The tokenizer_config.json as on the hub."""
    return {
        "tokenizer_class": "Qwen2Tokenizer",
        "eos_token": END_OF_TURN,
        "pad_token": END_OF_TEXT,
        "model_max_length": 131072,
        "clean_up_tokenization_spaces": False,
    }


def listed(get: Get, key: str, kind: type[Item]) -> list[Item]:
    value = get(key)
    if not isinstance(value, list) or not all(isinstance(each, kind) for each in value):
        raise ConversionError(f"the GGUF file has no usable {key}")
    return value


def _unrounded(value: Any) -> Any:
    # Undo the rounding to 32 bits: 1e-6 instead of 9.99999997475e-07.
    if isinstance(value, list):
        return [_unrounded(each) for each in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value
