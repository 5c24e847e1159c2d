"""The model families we support, and the settings in a model folder.

Reads JSON only, so an unsuitable folder is rejected before torch is imported.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.errors import EngineError, ImageError
from agent.rendering.model_image import Sizing

MAX_JSON_BYTES = 20_000_000
MAX_SHARDS = 1000
# The sizes in a config that transformers takes on trust, and more than any model has
LARGEST = {
    "hidden_size": 200_000, "intermediate_size": 200_000, "out_hidden_size": 200_000,
    "vocab_size": 2_000_000, "num_position_embeddings": 1_000_000,
    "max_position_embeddings": 10**12, "num_hidden_layers": 256, "depth": 256,
    "num_attention_heads": 1024, "num_key_value_heads": 1024, "num_heads": 1024, "head_dim": 4096,
    "window_size": 10_000, "in_channels": 16, "in_chans": 16,
}  # fmt: skip
ATTENTION = ("_attn_implementation", "attn_implementation", "_attn_implementation_internal")
# Limits for one picture unless the model's folder narrows them
FEWEST_TOKENS, MOST_TOKENS = 8, 1280

Colour = tuple[float, float, float]


@dataclass(frozen=True)
class Vision:
    """How a vision encoder splits pictures; a still is repeated as `frames` video frames."""

    patch: int
    mean: Colour
    std: Colour
    merge: int = 2
    frames: int = 2

    @property
    def factor(self) -> int:
        return self.patch * self.merge


@dataclass(frozen=True)
class Family:
    """A model family; `model_class` is a class name in transformers."""

    name: str
    model_class: str
    vision: Vision


FAMILIES: Mapping[str, Family] = {
    "qwen2_5_vl": Family(
        "Qwen2.5-VL",
        "Qwen2_5_VLForConditionalGeneration",
        Vision(14, (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)),
    ),
    "qwen3_vl": Family(
        "Qwen3-VL", "Qwen3VLForConditionalGeneration", Vision(16, (0.5, 0.5, 0.5), (0.5, 0.5, 0.5))
    ),
}


@dataclass(frozen=True)
class ModelFolder:
    """A model folder of a known family, with its weights in safetensors files."""

    path: Path
    family: Family
    vision: Vision
    sizing: Sizing
    weight_bytes: int


def read_folder(path: Path) -> ModelFolder:
    """Check a model folder. Raises EngineError if we cannot load it."""
    if not path.is_dir():
        raise EngineError(f"{path} is not a model folder")
    config = read_json(path / "config.json")
    kind = config.get("model_type")
    family = FAMILIES.get(kind) if isinstance(kind, str) else None
    if family is None:
        names = " and ".join(known.name for known in FAMILIES.values())
        raise EngineError(f"{path} holds a model of type {str(kind)[:60]!r}; supported are {names}")
    _check_sizes(config, path)
    weights = weight_files(path, "model")
    settings_path = path / "preprocessor_config.json"
    settings = read_json(settings_path) if settings_path.exists() else {}
    described, base = config["vision_config"], family.vision
    patch = described.get("patch_size", described.get("spatial_patch_size", base.patch))
    grid = (patch, described.get("spatial_merge_size", 2), described.get("temporal_patch_size", 2))
    if grid != (base.patch, base.merge, base.frames):
        raise EngineError(
            f"{path} has a patch layout unknown for {family.name}: {str(grid)[:60]} "
            f"instead of {(base.patch, base.merge, base.frames)}"
        )
    mean = _colour(settings.get("image_mean"), base.mean)
    vision = Vision(base.patch, mean, _colour(settings.get("image_std"), base.std))
    weight_bytes = sum(file.stat().st_size for file in weights)
    return ModelFolder(path, family, vision, _sizing(vision, settings), weight_bytes)


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file of bounded size."""
    try:
        if path.stat().st_size > MAX_JSON_BYTES:
            raise EngineError(f"{path} is too large for a settings file")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise EngineError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{path} is not valid JSON") from error
    if not isinstance(value, dict):
        raise EngineError(f"{path} is not a JSON object")
    return value


def weight_files(folder: Path, stem: str) -> list[Path]:
    """Return the weight files: `stem`.safetensors, or the shards listed in its index."""
    single, index = folder / f"{stem}.safetensors", folder / f"{stem}.safetensors.index.json"
    if single.is_file():
        return [single]
    if not index.is_file():
        if any(folder.glob("*.bin")) or any(folder.glob("*.pt")) or any(folder.glob("*.pth")):
            raise EngineError(
                f"the weights in {folder} are pickled and could run code when loaded; "
                "convert them to safetensors first"
            )
        raise EngineError(f"{folder} has no {single.name}")
    shards = read_json(index).get("weight_map")
    if not isinstance(shards, dict) or not shards:
        raise EngineError(f"{index} lists no files")
    names = sorted({str(name) for name in shards.values()})
    if len(names) > MAX_SHARDS:
        raise EngineError(f"{index} lists {len(names)} files, more than a model has")
    for name in names:
        if Path(name).name != name or not name.endswith(".safetensors"):
            raise EngineError(f"{index} lists {name[:100]!r}, which is not a weight file beside it")
        if not (folder / name).is_file():
            raise EngineError(f"{folder} lacks {name}: the download is incomplete")
    return [folder / name for name in names]


def _check_sizes(config: Mapping[str, Any], path: Path) -> None:
    # transformers allocates and divides by these sizes before it reads the weights
    text, vision = config.get("text_config") or config, config.get("vision_config")
    if not isinstance(text, Mapping) or not isinstance(vision, Mapping):
        raise EngineError(f"{path / 'config.json'} does not describe a vision-language model")
    for part in (config, text, vision):
        if any("/" in str(part.get(name)) for name in ATTENTION):
            # transformers would fetch and run it
            raise EngineError(f"{path / 'config.json'} names code on a hub for its attention")
    for part in (text, vision):
        for name, most in LARGEST.items():
            value = part.get(name)
            if value is not None and (type(value) is not int or not 0 < value <= most):
                raise EngineError(f"{path / 'config.json'}: {name} is {str(value)[:40]}")
    _check_rotation(text, path)


def _check_rotation(text: Mapping[str, Any], path: Path) -> None:
    """The sections of the rotary embedding must fill half a head, or the first turn fails."""
    rotation = text.get("rope_parameters") or text.get("rope_scaling")
    sections = rotation.get("mrope_section") if isinstance(rotation, Mapping) else None
    heads, hidden = text.get("num_attention_heads"), text.get("hidden_size")
    if sections is None or heads is None or hidden is None:
        return
    width = text.get("head_dim") or hidden // heads
    are_numbers = isinstance(sections, list) and all(type(each) is int for each in sections)
    if not are_numbers or len(sections) != 3 or 2 * sum(sections) != width or min(sections) < 0:
        raise EngineError(f"{path / 'config.json'}: mrope_section is {str(sections)[:40]}")


def _colour(value: object, default: Colour) -> Colour:
    if (
        isinstance(value, list)
        and len(value) == 3
        and all(isinstance(number, int | float) and 0.001 <= number <= 1 for number in value)
    ):
        return float(value[0]), float(value[1]), float(value[2])
    return default


def _sizing(vision: Vision, settings: Mapping[str, Any]) -> Sizing:
    """The picture limits of the folder, narrowed to the sizes we use."""
    size = settings.get("size")
    size = size if isinstance(size, Mapping) else {}
    square = vision.factor**2
    fewest = _pixels(settings.get("min_pixels"), size.get("shortest_edge"), square)
    most = _pixels(settings.get("max_pixels"), size.get("longest_edge"), MOST_TOKENS * square)
    most = min(most, MOST_TOKENS * square)
    fewest = min(max(fewest, FEWEST_TOKENS * square), most)
    try:
        return Sizing(vision.factor, fewest, most)
    except ImageError as error:
        raise EngineError(f"the model's picture settings are unusable: {error}") from error


def _pixels(*candidates: object) -> int:
    return next(value for value in candidates if isinstance(value, int) and value > 0)
