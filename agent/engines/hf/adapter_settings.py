"""Check the settings of a LoRA adapter from a stranger before peft reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agent.errors import EngineError

MAX_RANK = 4096
MAX_TARGETS = 2000
MAX_PATTERN = 2000
# A quantified group, or many quantifiers, can take for ever to match
_NESTED = re.compile(r"\)[*+{?]")
_QUANTIFIER = re.compile(r"[*+{]")
MAX_QUANTIFIERS = 4
# Settings that import modules, start from other weights or copy layers
REFUSED = (
    *("megatron_config", "layer_replication", "modules_to_save"),
    *("loftq_config", "eva_config", "corda_config", "lora_ga_config", "arrow_config"),
    *("trainable_token_indices", "target_parameters", "alora_invocation_tokens"),
)
_STARTS = (True, False, "gaussian", None)


def check_adapter_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise EngineError unless the settings are those of a plain LoRA adapter."""
    fault = _fault(settings)
    if fault is not None:
        raise EngineError(f"{folder} is not a plain LoRA adapter: {fault}")


def _fault(settings: Mapping[str, Any]) -> str | None:
    if settings.get("peft_type") != "LORA":
        return "its peft_type is not LORA"
    for name in REFUSED:
        if settings.get(name):
            return f"it sets {name}"
    if settings.get("init_lora_weights", True) not in _STARTS:
        return "it starts from other weights"
    ranks = [settings.get("r"), *_values(settings.get("rank_pattern"))]
    if not all(type(rank) is int and 1 <= rank <= MAX_RANK for rank in ranks):
        return f"its rank is not from 1 to {MAX_RANK}"
    for name in ("target_modules", "exclude_modules", "layers_pattern"):
        if not _is_harmless(settings.get(name)):
            return f"its {name} are not names or a simple pattern"
    for name in ("rank_pattern", "alpha_pattern"):
        if not _is_harmless(list(settings.get(name) or {})):
            return f"its {name} is not a table of simple patterns"
    return None


def _values(patterns: object) -> list[Any]:
    return list(patterns.values())[:MAX_TARGETS] if isinstance(patterns, Mapping) else []


def _is_harmless(names: object) -> bool:
    """Whether peft can match these names or patterns with every layer in no time."""
    if names is None:
        return True
    patterns = [names] if isinstance(names, str) else names
    return (
        isinstance(patterns, list)
        and len(patterns) <= MAX_TARGETS
        and all(isinstance(each, str) and _is_simple(each) for each in patterns)
    )


def _is_simple(pattern: str) -> bool:
    quantifiers = len(_QUANTIFIER.findall(pattern))
    is_short = len(pattern) <= MAX_PATTERN and quantifiers <= MAX_QUANTIFIERS
    return is_short and _NESTED.search(pattern) is None
