"""Converts the two GGUF files of a model back to a transformers folder, to continue training it.

It is the inverse of `train.export.export` and uses the same list of tensors.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from safetensors.numpy import save_file

from agent.atomic_file import atomic_folder, is_missing_or_empty
from agent.convert import shapes, vocabulary
from agent.convert.checkpoint import ConversionError, Weights
from agent.convert.metadata import LANGUAGE_ARCHITECTURES
from agent.convert.targets import HEAD, TensorTarget, text_targets, vision_targets
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.kind import GGUF
from agent.engines.registry import engine_kind
from agent.errors import write_errors
from agent.models.card import Card
from agent.models.card_file import write_card
from agent.models.infer_card import make_card, plain_name
from agent.models.registry import as_published, find_model
from agent.protocol.protocol import END_OF_TEXT, END_OF_TURN
from agent.rendering.model_image import Sizing
from train.models.model_folder import CHAT_TEMPLATE, TEMPLATE_FILE

UNQUANTIZED = {Type.F32, Type.F16, Type.BF16}
Tensors = Mapping[str, gguf.ReaderTensor]
Item = TypeVar("Item")
Json = dict[str, Any]
Get = Callable[[str], Any]  # returns the value of a key in one of the files, or None

MODEL_TYPES = {family: kind for kind, family in shapes.FAMILIES.items()}
TOKENS, KINDS, MERGES = (f"tokenizer.ggml.{name}" for name in ("tokens", "token_type", "merges"))
_NAMED = {
    "image_token_id": "<|image_pad|>",
    "video_token_id": "<|video_pad|>",
    "vision_start_token_id": "<|vision_start|>",
    "vision_end_token_id": "<|vision_end|>",
}
_PROCESSORS = {"qwen2.5-vl": "Qwen2_5_VLProcessor", "qwen3-vl": "Qwen3VLProcessor"}
TOKENIZER_SETTINGS = {
    "tokenizer_class": "Qwen2Tokenizer",
    "eos_token": END_OF_TURN,
    "pad_token": END_OF_TEXT,
    "model_max_length": 131072,
    "clean_up_tokenization_spaces": False,
}


def reopen(name: str, out: Path) -> Card:
    """Convert the GGUF model of that name or folder into the new folder `out`, in float32."""
    model = find_model(name)
    if engine_kind(model.card.engine) is not GGUF or model.folder is None or model.missing:
        raise ConversionError(f"{name[:120]} is not a complete GGUF model on this machine")
    if not is_missing_or_empty(out):
        raise ConversionError(f"{out} already exists: name a new folder")
    with write_errors(out), atomic_folder(out) as part:
        count = _write(model.folder, model.card, part)
        (part / TEMPLATE_FILE).write_text(CHAT_TEMPLATE, encoding="utf-8")
        card = as_published(replace(model.card, parameters=count), make_card(part))
        card = replace(card, name=plain_name(out.resolve().name))
        write_card(card, part)
        return card


def _write(folder: Path, card: Card, part: Path) -> int:
    """Write the files of the folder; returns the number of weights."""
    weights, mmproj = card.paths("weights"), card.paths("mmproj")
    if len(weights) != 1 or len(mmproj) != 1:
        raise ConversionError(f"{card.name} does not consist of one GGUF file and its vision part")
    words, pictures = (_opened(folder / path) for path in (*weights, *mmproj))
    tensors = {tensor.name: tensor for tensor in (*words.tensors, *pictures.tensors)}
    text_keys, vision_keys = _getter(words), _getter(pictures)
    config = config_of(text_keys, vision_keys, tied="output.weight" not in tensors)
    shape = shapes.read_shape(config)
    sources = _sources(shape, tensors)
    save_file(sources, part / "model.safetensors", {"format": "pt"})
    pictures_as = picture_settings(vision_keys, family_of(text_keys), card.sizing)
    for name, content in (
        ("config.json", config),
        ("generation_config.json", ends_of(text_keys)),
        ("preprocessor_config.json", pictures_as),
        ("tokenizer.json", tokenizer_of(text_keys)),
        ("tokenizer_config.json", TOKENIZER_SETTINGS),
    ):
        text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
        (part / name).write_text(text, encoding="utf-8")
    return sum(weights.size for weights in sources.values())


def _opened(path: Path) -> gguf.GGUFReader:
    read_gguf_header(path)  # checks all counts, which the gguf library trusts
    try:
        return gguf.GGUFReader(path)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        raise ConversionError(f"{path} cannot be read: {str(error)[:200]}") from error


def _getter(reader: gguf.GGUFReader) -> Get:
    def get(key: str) -> Any:
        field = reader.get_field(key)
        return None if field is None else field.contents()

    return get


def _sources(shape: shapes.ModelShape, tensors: Tensors) -> dict[str, Weights]:
    """The weights by their names in a checkpoint of the hub."""
    targets = [*text_targets(shape, tied="output.weight" not in tensors), *vision_targets(shape)]
    left = set(tensors) - {target.name for target in targets}
    if left:
        raise ConversionError(
            f"the GGUF files have a tensor that Qwen's models do not: {min(left)}"
        )
    by_source = attrgetter("source")
    return {
        _hub_name(source, shape.family): _joined(list(parts), tensors)
        for source, parts in groupby(sorted(targets, key=by_source), by_source)
    }


def _joined(parts: Sequence[TensorTarget], tensors: Tensors) -> Weights:
    pieces = [_piece(target, tensors) for target in sorted(parts, key=attrgetter("part"))]
    match parts[0].cut:
        case "third":
            return np.concatenate(pieces)
        case "frame":
            return np.stack(pieces, axis=2)
        case _:
            return pieces[0]


def _piece(target: TensorTarget, tensors: Tensors) -> Weights:
    tensor = tensors.get(target.name)
    if tensor is None:
        raise ConversionError(f"the GGUF files lack {target.name}")
    if tensor.tensor_type not in UNQUANTIZED:
        raise ConversionError(
            f"{target.name} is stored as {tensor.tensor_type.name}: training can only continue "
            "from f32, f16 or bf16"
        )
    if tuple(tensor.shape.tolist()) != target.shape[::-1]:
        raise ConversionError(f"the shape of {target.name} does not match the files' metadata")
    numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
    return np.ascontiguousarray(numbers, dtype=np.float32).reshape(target.shape)


def _hub_name(source: str, family: shapes.Family) -> str:
    if source == HEAD:
        return source
    if family == "qwen2.5-vl":
        return source if source.startswith("visual.") else f"model.{source}"
    return f"model.{source}" if source.startswith("visual.") else f"model.language_model.{source}"


# The JSON files of a transformers folder, from the metadata of two GGUF files.
def family_of(words: Get) -> shapes.Family:
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


def _text_config(words: Get, family: shapes.Family) -> Json:
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


def _vision_config(pictures: Get, family: shapes.Family) -> Json:
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
        "spatial_merge_size": shapes.MERGE,
        "temporal_patch_size": 2,
        "in_channels": 3,
        "hidden_act": shapes.VISION_ACT[family][0],
    }
    if family == "qwen3-vl":
        taps = listed(pictures, "clip.vision.is_deepstack_layers", bool)
        square = side // shapes.PATCH[family] if isinstance(side, int) else 0
        return found | {
            "num_position_embeddings": square**2,
            "deepstack_visual_indexes": [layer for layer, is_tap in enumerate(taps) if is_tap],
        }
    every = of("n_wa_pattern") or 1
    whole = range(every - 1, layers, every) if isinstance(layers, int) and layers < 1000 else ()
    return found | {"window_size": shapes.WINDOW, "fullatt_block_indexes": list(whole)}


def picture_settings(pictures: Get, family: shapes.Family, sizing: Sizing) -> Json:
    return {
        "image_processor_type": "Qwen2VLImageProcessor",
        "processor_class": _PROCESSORS[family],
        "size": {"shortest_edge": sizing.min_pixels, "longest_edge": sizing.max_pixels},
        "patch_size": shapes.PATCH[family],
        "temporal_patch_size": 2,
        "merge_size": shapes.MERGE,
        "image_mean": _unrounded(listed(pictures, "clip.vision.image_mean", float)),
        "image_std": _unrounded(listed(pictures, "clip.vision.image_std", float)),
    }


def tokenizer_of(words: Get) -> Json:
    """The tokenizer.json; all tokens keep their ids."""
    tokens, kinds = listed(words, TOKENS, str), listed(words, KINDS, int)
    if len(tokens) != len(kinds) or len(set(tokens)) != len(tokens):
        raise ConversionError("the tokens of the GGUF file are not unique, or not all have a type")
    missing = [name for name in vocabulary.NEEDED if name not in tokens]
    if missing:
        raise ConversionError(f"the GGUF file's tokenizer has no {missing[0]}")
    split, as_bytes = vocabulary.EXPECTED_STEPS
    whole_bytes = {**as_bytes, "trim_offsets": True}
    typed = list(zip(tokens, kinds, strict=True))
    added = [
        {
            "id": number,
            "content": token,
            "special": kind == vocabulary.CONTROL,
            **dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False),
        }
        for number, (token, kind) in enumerate(typed)
        if kind in (vocabulary.CONTROL, vocabulary.USER_DEFINED)
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
                token: n for n, (token, kind) in enumerate(typed) if kind == vocabulary.NORMAL
            },
            "merges": [merge.split(" ") for merge in listed(words, MERGES, str)],
        },
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
