"""The files of a model without a card: what each is for, and the settings in those of JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from agent.engines.kind import LONGEST_CONTEXT, Role
from agent.errors import ResourceError

MAX_JSON_BYTES = 4 * 1024 * 1024

_TOKENIZER = re.compile(
    r"(tokenizer.*|vocab|merges|added_tokens|special_tokens_map|chat_template)\.(json|txt|jinja)"
)
_CONFIG = re.compile(r"(config|.*_config|.*\.index)\.json")


def role_of(name: str) -> Role:
    """What a file is for, by its name."""
    plain = name.lower()
    if plain.endswith(".gguf"):
        return "mmproj" if "mmproj" in plain else "weights"
    if plain.endswith(".safetensors"):
        return "adapter" if plain.startswith("adapter") else "weights"
    if _TOKENIZER.fullmatch(plain):
        return "tokenizer"
    return "config" if _CONFIG.fullmatch(plain) else "other"


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


def usable_context(value: object) -> int:
    """The context in tokens that a model's own settings name, as far as it is of use."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 256:
        return LONGEST_CONTEXT
    return min(value, LONGEST_CONTEXT)
