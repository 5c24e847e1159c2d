"""Converts the two GGUF files of a model back to a transformers folder, to continue training it.

It is the inverse of `train.export.export` and uses the same list of tensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Type
from safetensors.numpy import save_file

from agent.atomic_file import atomic_folder, is_missing_or_empty
from agent.convert.checkpoint import Weights
from agent.convert.errors import ConversionError
from agent.convert.shapes import Family, ModelShape, read_shape
from agent.convert.targets import HEAD, TensorTarget, text_targets, vision_targets
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.kind import GGUF
from agent.engines.registry import engine_kind
from agent.errors import write_errors
from agent.models.card import Card
from agent.models.card_file import write_card
from agent.models.infer_card import make_card, plain_name
from agent.models.registry import as_published, find_model
from train.export.reopened_files import (
    Get,
    Json,
    config_of,
    ends_of,
    family_of,
    picture_settings,
    tokenizer_of,
    tokenizer_settings,
)
from train.models.chat_template import CHAT_TEMPLATE
from train.models.model_folder import TEMPLATE_FILE

UNQUANTIZED = {Type.F32, Type.F16, Type.BF16}
Tensors = Mapping[str, gguf.ReaderTensor]


def reopen(name: str, out: Path) -> Card:
    """Convert the GGUF model of that name or folder into the new folder `out`, in float32."""
    model = find_model(name)
    if engine_kind(model.card.engine) is not GGUF or model.folder is None or model.missing:
        raise ConversionError(f"{name[:120]} is not a complete GGUF model on this machine")
    if not is_missing_or_empty(out):
        raise ConversionError(f"{out} already exists: name a new folder")
    with write_errors(out), atomic_folder(out) as part:
        count = _write(model.folder, model.card, part)
        card = replace(model.card, parameters=count)
        return _complete(card, part, plain_name(out.resolve().name))


def _write(folder: Path, card: Card, part: Path) -> int:
    """Write the files of the folder; returns the number of weights."""
    weights, mmproj = card.paths("weights"), card.paths("mmproj")
    if len(weights) != 1 or len(mmproj) != 1:
        raise ConversionError(f"{card.name} does not consist of one GGUF file and its vision part")
    words, pictures = (_opened(folder / path) for path in (*weights, *mmproj))
    tensors = {tensor.name: tensor for tensor in (*words.tensors, *pictures.tensors)}
    text_keys, vision_keys = _getter(words), _getter(pictures)
    config = config_of(text_keys, vision_keys, tied="output.weight" not in tensors)
    shape = read_shape(config)
    sources = _sources(shape, tensors)
    save_file(sources, part / "model.safetensors", {"format": "pt"})
    for name, content in (
        ("config.json", config),
        ("generation_config.json", ends_of(text_keys)),
        (
            "preprocessor_config.json",
            picture_settings(vision_keys, family_of(text_keys), card.sizing),
        ),
        ("tokenizer.json", tokenizer_of(text_keys)),
        ("tokenizer_config.json", tokenizer_settings()),
    ):
        _save_json(part / name, content)
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


def _sources(shape: ModelShape, tensors: Tensors) -> dict[str, Weights]:
    """The weights by their names in a checkpoint of the hub."""
    targets = [
        *text_targets(shape, tied="output.weight" not in tensors),
        *vision_targets(shape),
    ]
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


def _hub_name(source: str, family: Family) -> str:
    if source == HEAD:
        return source
    if family == "qwen2.5-vl":
        return source if source.startswith("visual.") else f"model.{source}"
    return f"model.{source}" if source.startswith("visual.") else f"model.language_model.{source}"


def _complete(card: Card, part: Path, name: str) -> Card:
    (part / TEMPLATE_FILE).write_text(CHAT_TEMPLATE, encoding="utf-8")
    whole = replace(as_published(card, make_card(part)), name=name)
    write_card(whole, part)
    return whole


def _save_json(path: Path, content: Json) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
