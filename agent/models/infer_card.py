"""Infer the card of a model without one, from its config.json or its GGUF header."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent.checked_toml import shown
from agent.engines.families import FEWEST_TOKENS, MOST_TOKENS
from agent.engines.gguf.header import read_gguf_header
from agent.errors import EngineError, ResourceError
from agent.hashing import file_hash
from agent.models.card import (
    LONGEST_CONTEXT,
    MAX_FILES,
    SIZING_OF,
    Card,
    Family,
    ModelFile,
    Role,
    path_problem,
)
from agent.models.card_file import CARD_NAME, read_card
from agent.rendering.model_image import Sizing

MAX_JSON_BYTES = 4 * 1024 * 1024
MAX_ENTRIES = 5000
# In bytes. Files up to this size are hashed whenever a card is inferred; weights are not.
HASHED_AT_ONCE = 32 * 1024 * 1024

_FAMILY_OF_TYPE: dict[str, Family] = {"qwen2_5_vl": "qwen2.5-vl", "qwen3_vl": "qwen3-vl"}
_FAMILY_OF_GGUF: dict[str, Family] = {"qwen2vl": "qwen2.5-vl", "qwen3vl": "qwen3-vl"}
_TOKENIZER = re.compile(
    r"(tokenizer.*|vocab|merges|added_tokens|special_tokens_map|chat_template)\.(json|txt|jinja)"
)
_CONFIG = re.compile(r"(config|.*_config|.*\.index)\.json")


def read_or_infer_card(path: Path) -> Card:
    """Return the card of a model folder or a single GGUF file, inferred if there is none."""
    if (path / CARD_NAME).is_file():
        return read_card(path)
    return infer_card(path)


def make_card(
    path: Path, *, on_bytes: Callable[[int], None] = lambda count: None, **known: Any
) -> Card:
    """Infer the card of a new folder, hash every file and set the `known` fields."""
    card = infer_card(path)
    folder = path if path.is_dir() else path.parent
    files = [
        replace(each, sha256=each.sha256 or sha256_of(folder / each.path, on_bytes))
        for each in card.files
    ]
    return replace(card, files=tuple(files), **known)


def infer_card(path: Path) -> Card:
    """Infer a card from the files; the picture style is assumed to be the published one."""
    if path.is_file() and path.suffix.lower() == ".gguf":
        return _gguf_card(path.parent, path)
    if not path.is_dir():
        raise ResourceError(f"{path} is neither a model folder nor a .gguf file")
    names = _names(path)
    if "config.json" in names:
        return _transformers_card(path, names)
    if "adapter_config.json" in names:
        return _adapter_card(path, names)
    weights = [name for name in names if _role(name) == "weights" and name.endswith(".gguf")]
    if not weights:
        raise ResourceError(f"{path} has no model: neither config.json nor a .gguf file")
    if len(weights) > 1 and not _is_split(weights):
        raise ResourceError(f"{path} has several models: use one of {', '.join(weights[:6])}")
    return replace(_gguf_card(path, path / weights[0]), name=plain_name(path.resolve().name))


def sha256_of(path: Path, on_bytes: Callable[[int], None] = lambda count: None) -> str:
    """Hash a file; `on_bytes` receives the size of each piece read."""
    try:
        return file_hash(path, on_bytes)
    except OSError as error:
        raise ResourceError(f"{path} could not be read: {error.strerror}") from error


def read_json(path: Path, max_bytes: int = MAX_JSON_BYTES) -> dict[str, Any]:
    """Read a JSON object from an untrusted file."""
    try:
        with path.open("rb") as stream:
            content = stream.read(max_bytes + 1)
        if len(content) > max_bytes:
            raise ResourceError(f"{path}: longer than {max_bytes // 1024} KiB, the most allowed")
        value = json.loads(content)
    except (OSError, ValueError, RecursionError) as error:
        raise ResourceError(f"{path} could not be read: {str(error)[:120]}") from error
    if not isinstance(value, dict):
        raise ResourceError(f"{path}: expected a JSON object")
    return value


def plain_name(text: str) -> str:
    """Turn the name of a file or folder into a valid model name."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", text).strip("._+-")[:80]
    return name or "model"


def _names(folder: Path) -> list[str]:
    names = []
    try:
        for count, entry in enumerate(folder.iterdir()):
            if count >= MAX_ENTRIES:
                raise ResourceError(
                    f"{folder} has more than {MAX_ENTRIES} files: not a model folder"
                )
            if path_problem(entry.name) is None and entry.is_file():
                names.append(entry.name)
    except OSError as error:
        raise ResourceError(f"{folder} could not be read: {error.strerror}") from error
    if len(names) > MAX_FILES:
        raise ResourceError(f"{folder} has more than {MAX_FILES} model files")
    return sorted(names)


def _role(name: str) -> Role:
    plain = name.lower()
    if plain.endswith(".gguf"):
        return "mmproj" if "mmproj" in plain else "weights"
    if plain.endswith(".safetensors"):
        return "adapter" if plain.startswith("adapter") else "weights"
    if _TOKENIZER.fullmatch(plain):
        return "tokenizer"
    return "config" if _CONFIG.fullmatch(plain) else "other"


def _transformers_card(folder: Path, names: list[str]) -> Card:
    family, config = family_of_config(folder)
    nested = config.get("text_config")
    text = {**config, **nested} if isinstance(nested, dict) else config
    return Card(
        name=plain_name(folder.resolve().name),
        family=family,
        engine="transformers",
        context_length=_context(text.get("max_position_embeddings")),
        sizing=_sizing(folder, names, family),
        files=_files(folder, [name for name in names if not name.lower().endswith(".gguf")]),
    )


def family_of_config(folder: Path) -> tuple[Family, dict[str, Any]]:
    """Read config.json and its model family. Raises ResourceError for unsupported models."""
    config = read_json(folder / "config.json")
    kind = config.get("model_type")
    family = _FAMILY_OF_TYPE.get(kind) if isinstance(kind, str) else None
    if family is None:
        raise ResourceError(
            f"{folder} has a model of type {shown(str(kind))}; "
            "only qwen2_5_vl and qwen3_vl can inspect spectra"
        )
    return family, config


def _adapter_card(folder: Path, names: list[str]) -> Card:
    """Infer the card of a LoRA adapter; adapter_config.json names its base model."""
    base = read_json(folder / "adapter_config.json").get("base_model_name_or_path")
    if not isinstance(base, str) or not base.strip("/\\ "):
        raise ResourceError(f"{folder}: adapter_config.json does not name its base model")
    name = plain_name(re.split(r"[/\\]", base.strip("/\\ "))[-1])
    family: Family = "qwen3-vl" if "qwen3" in base.lower() else "qwen2.5-vl"
    return Card(
        name=plain_name(folder.resolve().name),
        family=family,
        engine="transformers",
        base=name,
        sizing=SIZING_OF[family],
        files=_files(folder, names),
    )


def _gguf_card(folder: Path, weights: Path) -> Card:
    try:
        header = read_gguf_header(weights)
    except EngineError as error:
        raise ResourceError(str(error)) from error
    kind = header.text("general.architecture")
    family = _FAMILY_OF_GGUF.get(kind)
    if family is None:
        raise ResourceError(
            f"{weights} is a GGUF model of type {shown(kind)}; expected qwen2vl or qwen3vl"
        )
    names = _names(folder)
    vision = [name for name in names if _role(name) == "mmproj"]
    if len(vision) != 1:
        found = "none" if not vision else ", ".join(vision[:6])
        raise ResourceError(
            f"{weights} needs its vision part beside it, one file mmproj*.gguf; found {found}"
        )
    parts = [weights.name]
    if _split_stem(weights.name):
        parts = [name for name in names if _split_stem(name) == _split_stem(weights.name)]
    return Card(
        name=plain_name(weights.stem),
        family=family,
        engine="gguf",
        context_length=_context(header.integer(f"{kind}.context_length")),
        sizing=SIZING_OF[family],
        files=_files(folder, [*parts, *vision]),
    )


def _split_stem(name: str) -> str:
    """Return `big` for `big-00001-of-00003.gguf`; empty for a model in one file."""
    match = re.fullmatch(r"(.+)-\d{5}-of-\d{5}\.gguf", name)
    return match.group(1) if match else ""


def _is_split(names: Iterable[str]) -> bool:
    stems = {_split_stem(name) for name in names}
    return len(stems) == 1 and "" not in stems


def _files(folder: Path, names: Iterable[str]) -> tuple[ModelFile, ...]:
    return tuple(_file(folder, name) for name in names)


def _file(folder: Path, name: str) -> ModelFile:
    path = folder / name
    try:
        size = path.stat().st_size
    except OSError as error:
        raise ResourceError(f"{path} could not be read: {error.strerror}") from error
    sha256 = sha256_of(path) if size <= HASHED_AT_ONCE else _blob_hash(path)
    return ModelFile(role=_role(name), path=name, size=size, sha256=sha256)


def _blob_hash(path: Path) -> str:
    # in the hub's cache a large file is a link to a blob named by its hash
    if not path.is_symlink():
        return ""
    target = path.readlink()
    is_blob = target.parent.name == "blobs" and re.fullmatch(r"[0-9a-f]{64}", target.name)
    return target.name if is_blob else ""


def _context(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 256:
        return LONGEST_CONTEXT
    return min(value, LONGEST_CONTEXT)


def _sizing(folder: Path, names: list[str], family: Family) -> Sizing:
    """Read the picture limits in the preprocessor config, narrowed to what every engine accepts."""
    default = SIZING_OF[family]
    if "preprocessor_config.json" not in names:
        return default
    config = read_json(folder / "preprocessor_config.json")
    size = config.get("size")
    limits: Mapping[str, Any] = size if isinstance(size, dict) else {}
    square = default.factor**2
    fewest = _tokens(config.get("min_pixels", limits.get("shortest_edge")), square, FEWEST_TOKENS)
    most = _tokens(config.get("max_pixels", limits.get("longest_edge")), square, MOST_TOKENS)
    return Sizing.of_tokens(default.factor, min(fewest, most), most)


def _tokens(pixels: object, square: int, default: int) -> int:
    if isinstance(pixels, bool) or not isinstance(pixels, int):
        return default
    return max(FEWEST_TOKENS, min(pixels // square, MOST_TOKENS))
