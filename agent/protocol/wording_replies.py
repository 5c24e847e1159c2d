"""What the tool says in recorded conversations, with the numbers and labels of one call left open.

Only sentences that differ from ours are learned: of the whole spectrum, and of a faulty range.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from agent.protocol.published_reply import first_call

MAX_REPLY = 2000
MARK = "<image>"
_RESPONSE = re.compile(r"\s*(?:<tool_response>)?\n?(.*?)\n?(?:</tool_response>)?\s*", re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]\d)")


def learned_replies(turns: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Kinds and sentences, as in `agent.protocol.wording.REPLIES`."""
    for (role, said), (answerer, text) in pairwise(turns):
        if role != "assistant" or answerer == "assistant" or len(text) > MAX_REPLY:
            continue
        call = first_call(said)
        if call is None or not isinstance(call.arguments, Mapping):
            continue
        found = _learned(call.arguments, _plain(text), MARK in text)
        if found is not None:
            yield found


def _learned(
    arguments: Mapping[str, object], text: str, has_picture: bool
) -> tuple[str, str] | None:
    label, wavelengths = arguments.get("label"), arguments.get("wavelength_range")
    label = label if isinstance(label, str) else ""
    if has_picture:
        if wavelengths is not None:
            return None
        open_text = text.replace(label, "{label}") if label else text
        is_open = bool(label) == ("{label}" in open_text)
        return ("whole_for" if label else "whole", open_text) if is_open else None
    if not isinstance(wavelengths, list) or len(wavelengths) != 2:
        return None
    refusal = _without_numbers(text, wavelengths)
    return None if refusal is None else ("refused", refusal)


def _without_numbers(text: str, wavelengths: Sequence[object]) -> str | None:
    """The text with the range asked for and the range of the data left open; None if in doubt."""
    names = {repr(wavelengths[0]): "{low}", repr(wavelengths[1]): "{high}"}
    ends = iter(("{start}", "{end}"))
    parts, at = [], 0
    for number in _NUMBER.finditer(text):
        name: str | None = names.get(number.group())
        if name is None and re.fullmatch(r"-?\d+\.\d", number.group()):
            name = next(ends, None)  # the ends of the data are written with one decimal
        if name is None:
            return None
        parts += [text[at : number.start()], name]
        at = number.end()
    result = "".join((*parts, text[at:]))
    return result if "{low}" in result and "{high}" in result else None


def _plain(text: str) -> str:
    """The sentence inside the tags and after the picture."""
    inside = _RESPONSE.fullmatch(text.replace(MARK, ""))
    return inside[1].strip() if inside else text.strip()
