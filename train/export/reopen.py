"""From the pair of GGUF files llama.cpp runs back to a transformers folder, to train it further.

The way back of `train.export.export`, by the same list of tensors.
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

from agent.engines.gguf.header import read_gguf_header
from agent.models.card import Card
from agent.models.card_file import write_card
from agent.models.infer_card import make_card, plain_name
from agent.models.registry import as_published, find_model
from train.atomic_folder import is_free, written_whole
from train.export.checkpoint import Weights
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
from train.export.shapes import Family, ModelShape, read_shape
from train.export.targets import HEAD, TensorTarget, text_targets, vision_targets
from train.models.chat_template import CHAT_TEMPLATE
from train.models.errors import ExportError
from train.models.model_folder import TEMPLATE_FILE

UNROUNDED = {Type.F32, Type.F16, Type.BF16}
Tensors = Mapping[str, gguf.ReaderTensor]


def reopen(name: str, out: Path) -> Card:
    """Write the GGUF model of that name, or in that folder, to the new folder `out`.

    Its weights become float32, so that training goes on in full precision.
    """
    place = find_model(name)
    if place.card.engine != "gguf" or place.folder is None or place.missing:
        raise ExportError(f"{name[:120]} is no GGUF model that lies here whole")
    if not is_free(out):
        raise ExportError(f"{out} is there already: name a new folder")
    with written_whole(out) as part:
        count = _write(place.folder, place.card, part)
        card = replace(place.card, parameters=count)
        return _complete(card, part, plain_name(out.resolve().name))


def _write(folder: Path, card: Card, part: Path) -> int:
    """How many weights there are."""
    weights, mmproj = card.paths("weights"), card.paths("mmproj")
    if len(weights) != 1 or len(mmproj) != 1:
        raise ExportError(f"{card.name} is not one GGUF file and its vision part")
    words, pictures = (_opened(folder / path) for path in (*weights, *mmproj))
    tensors = {tensor.name: tensor for tensor in (*words.tensors, *pictures.tensors)}
    said, seen = _getter(words), _getter(pictures)
    config = config_of(said, seen, tied="output.weight" not in tensors)
    shape = read_shape(config)
    sources = _sources(shape, tensors)
    save_file(sources, part / "model.safetensors", {"format": "pt"})
    for name, content in (
        ("config.json", config),
        ("generation_config.json", ends_of(said)),
        ("preprocessor_config.json", picture_settings(seen, family_of(said), card.sizing)),
        ("tokenizer.json", tokenizer_of(said)),
        ("tokenizer_config.json", tokenizer_settings()),
    ):
        _save_json(part / name, content)
    return sum(weights.size for weights in sources.values())


def _opened(path: Path) -> gguf.GGUFReader:
    read_gguf_header(path)  # bounds every count first: the library trusts them
    try:
        return gguf.GGUFReader(path)
    except (ValueError, KeyError, IndexError, OverflowError) as error:
        raise ExportError(f"{path} cannot be read: {str(error)[:200]}") from error


def _getter(reader: gguf.GGUFReader) -> Get:
    def get(key: str) -> Any:
        field = reader.get_field(key)
        return None if field is None else field.contents()

    return get


def _sources(shape: ModelShape, tensors: Tensors) -> dict[str, Weights]:
    """The checkpoint's weights by their names on the hub."""
    targets = [
        *text_targets(shape, tied="output.weight" not in tensors),
        *vision_targets(shape),
    ]
    left = set(tensors) - {target.name for target in targets}
    if left:
        raise ExportError(f"the GGUF files hold tensors that Qwen's models have not: {min(left)}")
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
        raise ExportError(f"the GGUF files lack {target.name}")
    if tensor.tensor_type not in UNROUNDED:
        raise ExportError(
            f"{target.name} is kept as {tensor.tensor_type.name}: only f32, f16 and bf16 hold "
            "what training needs to go on"
        )
    if tuple(tensor.shape.tolist()) != target.shape[::-1]:
        raise ExportError(f"{target.name} has another shape than the files' keys say")
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
