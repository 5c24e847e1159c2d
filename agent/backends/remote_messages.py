"""Turns as the messages real servers accept: pictures by data URL, in user messages only.

In text form the words are those of `agent.protocol`, which a server's template wraps in the same
markup; tools are described in the system turn and called in the text. In native form the server
does the describing and calls come and go in its own fields.
"""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from agent.protocol import SYSTEM, Turn, system_text

TOOL_WORDS = system_text().removeprefix(SYSTEM)
"""What the system turn says about the tool, left out where the server says it."""
UNANSWERED = "There is no result."
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_CONTROL = re.compile(r"<\|(?=[\w-]{1,40}\|>)|<(?=__\w{1,40}__>)")

Message = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """A turn with its picture as it is sent."""

    turn: Turn
    picture_url: str = ""


def picture_url(picture: Image.Image) -> str:
    """PNG, without loss: the model sees the very pixels."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def messages(said: Sequence[Said], *, native: bool) -> list[Message]:
    """The whole conversation."""
    return _native_messages(said) if native else [_text_message(one) for one in said]


def plain(text: str) -> str:
    """Words that a server could take for control tokens, broken up so that it does not: it reads
    markup in all it is sent."""
    return _CONTROL.sub(lambda found: found.group() + " ", text)


def _text_message(said: Said) -> Message:
    turn = said.turn
    role = "user" if turn.role == "tool" else turn.role
    before, after = ("<tool_response>\n", "\n</tool_response>") if turn.role == "tool" else ("", "")
    return _message(role, before, said.picture_url, plain(turn.text) + after)


def _message(role: str, before: str, url: str, after: str) -> Message:
    """Plain text where there is no picture: not every server takes a list then."""
    if not url:
        return {"role": role, "content": before + after}
    content: list[Message] = [{"type": "image_url", "image_url": {"url": url}}]
    if before:
        content.insert(0, {"type": "text", "text": before})
    if after:
        content.append({"type": "text", "text": after})
    return {"role": role, "content": content}


def _native_messages(said: Sequence[Said]) -> list[Message]:
    """Every call gets its answer right after it, or servers refuse the conversation."""
    result: list[Message] = []
    unanswered: list[str] = []
    for number, one in enumerate(said):
        turn = one.turn
        if turn.role == "tool" and unanswered:
            result += [_answer(call_id, plain(turn.text)) for call_id in unanswered]
            unanswered = []
            if one.picture_url:
                result.append(_message("user", "", one.picture_url, ""))
            continue
        result += [_answer(call_id, UNANSWERED) for call_id in unanswered]
        unanswered = []
        if turn.role == "assistant":
            message = _assistant(turn.text, number)
            unanswered = [call["id"] for call in message.get("tool_calls", ())]
            result.append(message)
        elif turn.role == "system":
            text = turn.text.replace(TOOL_WORDS, "")
            result.append({"role": "system", "content": plain(text)})
        else:
            result.append(_message("user", "", one.picture_url, plain(turn.text)))
    return result


def _assistant(text: str, number: int) -> Message:
    """Words and calls apart; a call that is no call stays among the words."""
    calls = []
    for place, body in enumerate(_CALL.findall(text)):
        call = _call(body, f"call_{number}_{place}")
        if call is None:
            return {"role": "assistant", "content": plain(text)}
        calls.append(call)
    if not calls:
        return {"role": "assistant", "content": plain(text)}
    words = _CALL.sub("", text).strip()
    return {"role": "assistant", "content": plain(words), "tool_calls": calls}


def _call(body: str, call_id: str) -> Message | None:
    try:
        call = json.loads(body)
        name, arguments = call["name"], json.dumps(call.get("arguments", {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]{1,64}", name):
        return None  # hosted servers refuse such a name
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _answer(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}
