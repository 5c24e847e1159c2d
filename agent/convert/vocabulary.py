"""Reads the tokenizer in the form of a GGUF file: tokens by id, their types, and the merges.

llama.cpp has Qwen's way of splitting text hard-coded (as "qwen2") and accepts no other pattern.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.convert.checkpoint import Checkpoint, ConversionError
from agent.engines.tokenizer_file import SPLIT_STEP
from agent.protocol.protocol import END_OF_TEXT, IMAGE_TOKEN, MARKUP_TOKENS

NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
"""GGUF's token types; user-defined ones, such as `<tool_call>`, are also found in plain text."""

ODD = (
    "dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback", "ignore_merges",
)  # fmt: skip
"""Settings of a BPE that Qwen's leaves alone."""
NEEDED = (*MARKUP_TOKENS, END_OF_TEXT, IMAGE_TOKEN)


@dataclass(frozen=True)
class Vocabulary:
    """One token for each row of the model's embedding; unused ids have a placeholder."""

    tokens: tuple[str, ...]
    kinds: tuple[int, ...]
    merges: tuple[str, ...]
    chat_template: str = ""

    def number(self, token: str) -> int:
        return self.tokens.index(token)


def read_vocabulary(checkpoint: Checkpoint, size: int) -> Vocabulary:
    """Read a tokenizer.json; raises ConversionError if llama.cpp would tokenize differently."""
    tokenizer = checkpoint.read_json("tokenizer.json")
    if not tokenizer:
        raise ConversionError(f"{checkpoint.folder} has no tokenizer.json: save its fast tokenizer")
    _refuse_other_cutting(tokenizer)
    names, kinds = _numbered(tokenizer, size)
    missing = [name for name in NEEDED if names.get(name) is None]
    if missing:
        raise ConversionError(f"the tokenizer has no {missing[0]}, which every conversation needs")
    tokens = [f"[PAD{number}]" for number in range(size)]
    token_kinds = [UNUSED] * size
    for name, number in names.items():
        tokens[number] = name
        token_kinds[number] = kinds[name]
    if len(set(tokens)) != size:
        raise ConversionError("a token of the tokenizer has the name of a placeholder ([PAD...])")
    template = checkpoint.read_json("tokenizer_config.json").get("chat_template")
    if not isinstance(template, str):
        template = checkpoint.read_text("chat_template.jinja")
    # Pairs of tokens joined by a space; older files already store them so.
    merges = tokenizer["model"].get("merges")
    if not isinstance(merges, list):
        raise ConversionError("the tokenizer.json has no merges")
    joined = [" ".join(pair) if isinstance(pair, list) else str(pair) for pair in merges]
    if any(text.count(" ") != 1 for text in joined):
        raise ConversionError("a merge of the tokenizer is not a pair of tokens")
    return Vocabulary(tuple(tokens), tuple(token_kinds), tuple(joined), template)


def _refuse_other_cutting(tokenizer: Mapping[str, Any]) -> None:
    model = tokenizer.get("model")
    if not isinstance(model, dict) or model.get("type") != "BPE":
        raise ConversionError(
            "the tokenizer is not a byte-level BPE: llama.cpp would split text differently"
        )
    odd = [key for key in ODD if model.get(key)]
    if odd:
        raise ConversionError(f"the tokenizer's {odd[0]} is set: llama.cpp would merge differently")
    if tokenizer.get("normalizer") not in (None, {"type": "NFC"}):
        raise ConversionError("the tokenizer's normalizer is not NFC")
    if _steps(tokenizer.get("pre_tokenizer")) != EXPECTED_STEPS:
        raise ConversionError(
            "the tokenizer does not split text as Qwen's does, which is the only way llama.cpp "
            "knows: train one with Qwen's split pattern and a ByteLevel step"
        )
    post = tokenizer.get("post_processor") or {}
    adds_none = isinstance(post, dict) and (
        post.get("type") in (None, "ByteLevel") or post.get("special_tokens") == {}
    )
    if not adds_none:
        raise ConversionError("the tokenizer adds tokens of its own around a text")


EXPECTED_STEPS = [SPLIT_STEP, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}]


def _steps(pre_tokenizer: object) -> list[object]:
    """The steps of a pre-tokenizer, without the key that only affects offsets."""
    match pre_tokenizer:
        case {"type": "Sequence", "pretokenizers": list(steps)} if all(
            isinstance(step, dict) for step in steps
        ):
            return [
                {key: value for key, value in step.items() if key != "trim_offsets"}
                for step in steps
            ]
    return []


def _numbered(tokenizer: Mapping[str, Any], size: int) -> tuple[dict[str, int], dict[str, int]]:
    """The id and the type of every token."""
    learned = tokenizer["model"].get("vocab")
    added = tokenizer.get("added_tokens", [])
    if not isinstance(learned, dict) or not isinstance(added, list):
        raise ConversionError("the tokenizer.json has no vocabulary")
    names: dict[str, int] = dict(learned)
    kinds = dict.fromkeys(names, NORMAL)
    for entry in added:
        match entry:
            case {"content": str(name), "id": int(number)} if name:
                pass
            case _:
                raise ConversionError(f"an added token cannot be read: {entry!r:.100}")
        if any(entry.get(key) for key in ("lstrip", "rstrip", "single_word")):
            raise ConversionError(f"the added token {name!r:.60} absorbs text around it")
        names[name] = number
        kinds[name] = CONTROL if entry.get("special") else USER_DEFINED
    numbers = list(names.values())
    is_below = all(isinstance(number, int) and 0 <= number < size for number in numbers)
    if not is_below or len(set(numbers)) != len(numbers):
        raise ConversionError(
            f"the tokenizer's ids are not unique, or not below the model's {size}"
        )
    return names, kinds
