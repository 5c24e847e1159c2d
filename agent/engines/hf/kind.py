"""Models of transformers: folders with config.json, and adapters of such models."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from agent.checked_toml import shown
from agent.engines.base import Engine
from agent.engines.families import FEWEST_TOKENS, MOST_TOKENS
from agent.engines.kind import (
    ROLES,
    SIZING_OF,
    EngineKind,
    Family,
    FoundModel,
    LoadOptions,
    ModelCard,
    is_installed,
    read_json,
    usable_context,
)
from agent.errors import EngineError, ResourceError
from agent.rendering.model_image import Sizing

_FAMILY_OF_TYPE: dict[str, Family] = {"qwen2_5_vl": "qwen2.5-vl", "qwen3_vl": "qwen3-vl"}


class TransformersKind(EngineKind):
    name = "transformers"
    program = "torch"
    needs = "torch and transformers"
    extra = "gpu"
    modules = ("torch", "transformers")
    packages = (*modules, "tokenizers", "safetensors", "peft", "accelerate")
    wants_gpu = True
    has_adapters = True

    def card_problem(self, card: ModelCard) -> str | None:
        if card.base:
            has_adapter = bool(card.paths("adapter"))
            return None if has_adapter else "an adapter needs a file with the role adapter"
        return None if card.paths("weights") else "no file has the role weights"

    def missing_files(self, card: ModelCard) -> list[str]:
        if card.base:
            return []
        names = {PurePosixPath(path).name for path in card.paths(*ROLES)}
        has_vocabulary = {"vocab.json", "merges.txt"} <= names
        needed = [] if "config.json" in names else ["config.json"]
        is_whole = has_vocabulary or "tokenizer.json" in names
        return needed if is_whole else [*needed, "tokenizer.json"]

    def find(self, path: Path, names: Sequence[str]) -> FoundModel | None:
        if not path.is_dir():
            return None
        if "config.json" in names:
            family, config = family_of_config(path)
            nested = config.get("text_config")
            text = {**config, **nested} if isinstance(nested, dict) else config
            return FoundModel(
                name=path.resolve().name,
                family=family,
                context_length=usable_context(text.get("max_position_embeddings")),
                sizing=_sizing(path, names, family),
                files=tuple(name for name in names if not name.lower().endswith(".gguf")),
            )
        return _found_adapter(path, names) if "adapter_config.json" in names else None

    def load(self, card: ModelCard, folder: Path | None, options: LoadOptions) -> Engine:
        if missing := [module for module in self.modules if not is_installed(module)]:
            raise EngineError(
                f"the model {card.name} needs {' and '.join(missing)}; install them with "
                'pip install "spec-o3-workbench[gpu]"'
            )
        from agent.engines.gguf.engine import thread_share
        from agent.engines.hf.engine import TransformersEngine

        assert folder is not None
        threads = options.threads
        return TransformersEngine.load(
            options.base or folder,
            device=options.device,
            adapter=None if options.base is None else folder,
            sizing=card.sizing,
            context_length=card.context_length,
            threads=thread_share(options.sharing) if threads is None else threads,
        )


TRANSFORMERS = TransformersKind()


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


def _found_adapter(folder: Path, names: Sequence[str]) -> FoundModel:
    """A LoRA adapter; adapter_config.json names its base model."""
    base = read_json(folder / "adapter_config.json").get("base_model_name_or_path")
    if not isinstance(base, str) or not base.strip("/\\ "):
        raise ResourceError(f"{folder}: adapter_config.json does not name its base model")
    family: Family = "qwen3-vl" if "qwen3" in base.lower() else "qwen2.5-vl"
    return FoundModel(
        name=folder.resolve().name,
        family=family,
        base=re.split(r"[/\\]", base.strip("/\\ "))[-1],
        sizing=SIZING_OF[family],
        files=tuple(names),
    )


def _sizing(folder: Path, names: Sequence[str], family: Family) -> Sizing:
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
