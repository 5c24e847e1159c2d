"""Check a `tokenizer.json` from a stranger before the library reads it.

The format can describe steps that double a text forty times, search it with any regular
expression, or pad it to any length; the library aborts on some of them. Qwen's needs none of that.
"""

import json
from pathlib import Path
from typing import Any

from agent.errors import EngineError

# Qwen's has 7 to 11 million bytes
MAX_BYTES = 16_000_000
# Qwen's pattern for splitting text before merging; llama.cpp has the same one as "qwen2"
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
MAX_TOKENS = 2_000_000
SPLIT_STEP = {"type": "Split", "pattern": {"Regex": SPLIT}, "behavior": "Isolated", "invert": False}


def check_tokenizer_file(path: Path) -> None:
    """Raise EngineError unless the file describes a tokenizer of Qwen's kind."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise EngineError(f"{path} is too large for a tokenizer")
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise EngineError(
            f"{path} cannot be read; save the model's tokenizer beside its weights"
        ) from error
    except (ValueError, RecursionError) as error:
        raise EngineError(f"{path} is not a tokenizer: it is not valid JSON") from error
    if not isinstance(content, dict):
        raise EngineError(f"{path} is not a tokenizer")
    if (difference := _difference(content)) is not None:
        raise EngineError(f"{path} is not a tokenizer of Qwen's kind: {difference}")


def _difference(content: dict[str, Any]) -> str | None:
    if content.get("normalizer") not in (None, {"type": "NFC"}):
        return "it changes the text in another way"
    if not _splits_as_qwen(content.get("pre_tokenizer")):
        return "it splits the text in another way"
    if not _is_merging(content.get("model")):
        return "it is of another type"
    if not _adds_nothing(content.get("post_processor")):
        return "it adds tokens to the text"
    if content.get("padding") or content.get("truncation"):
        return "it pads or cuts the text"
    return None if _numbers_are_close(content) else "it has token numbers far out of range"


def _splits_as_qwen(pre_tokenizer: object) -> bool:
    match pre_tokenizer:
        case {"type": "Sequence", "pretokenizers": [split, {"type": "ByteLevel"}]}:
            return bool(split == SPLIT_STEP)
        case {"type": "ByteLevel"}:
            return True
    return False


def _adds_nothing(post_processor: object) -> bool:
    match post_processor:
        case None | {"type": "ByteLevel"}:
            return True
        case {"type": "TemplateProcessing", "special_tokens": added, "single": single}:
            return bool(added == {} and single == [{"Sequence": {"id": "A", "type_id": 0}}])
    return False


def _is_merging(model: Any) -> bool:
    if not isinstance(model, dict) or model.get("type", "BPE") != "BPE":
        return False
    return not model.get("dropout") and isinstance(model.get("vocab"), dict)


def _numbers_are_close(content: dict[str, Any]) -> bool:
    """Whether no number of a token is much larger than their count, as lists are made of them."""
    added = content.get("added_tokens") or []
    if not isinstance(added, list) or not all(isinstance(token, dict) for token in added):
        return False
    numbers = [*content["model"]["vocab"].values(), *(token.get("id") for token in added)]
    most = min(MAX_TOKENS, 2 * len(numbers) + 1000)
    return all(type(number) is int and 0 <= number < most for number in numbers)
