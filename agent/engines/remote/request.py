"""What a request asks for, and how it asks for less of a server that takes less."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from agent.engines.base import ChoicePoint, SamplingSettings
from agent.engines.remote.errors import Refusal
from agent.protocol.protocol import SYSTEM, Turn, system_text
from agent.protocol.tool import TOOL_SCHEMA

TOOL_WORDS = system_text().removeprefix(SYSTEM)
"""What the system turn says about the tool, left out where the server says it."""
UNANSWERED = "There is no result."
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_CONTROL = re.compile(r"<\|(?=[\w-]{1,40}\|>)|<(?=__\w{1,40}__>)")

Message = dict[str, Any]


@dataclass(frozen=True)
class RequestTurn:
    """A turn with its picture as it is sent."""

    turn: Turn
    picture_url: str = ""


def picture_url(picture: Image.Image) -> str:
    """PNG, without loss: the model sees the very pixels."""
    file = io.BytesIO()
    picture.save(file, "PNG", compress_level=3)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode("ascii")


def messages(said: Sequence[RequestTurn], *, native: bool) -> list[Message]:
    """The whole conversation."""
    return _native_messages(said) if native else [_text_message(one) for one in said]


def plain(text: str) -> str:
    """Words that a server could take for control tokens, broken up so that it does not: it reads
    markup in all it is sent."""
    return _CONTROL.sub(lambda found: found.group() + " ", text)


def _text_message(said: RequestTurn) -> Message:
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


def _native_messages(said: Sequence[RequestTurn]) -> list[Message]:
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


MOST_ALTERNATIVES = 20
FEW_ALTERNATIVES = 5
NEEDED = frozenset({"model", "messages"})
BARE = frozenset({"stream", "temperature", "max_tokens", "max_completion_tokens", "tools"})
"""What is kept when a server says no without saying to what."""

Body = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """What a server has shown to take."""

    native: bool = False
    dropped: frozenset[str] = frozenset()
    alternatives: int = MOST_ALTERNATIVES
    limit_name: str = "max_tokens"


def request_body(
    dialect: Dialect,
    model: str,
    messages: list[Message],
    sampling: SamplingSettings,
    seed: int,
    choice_point: ChoicePoint | None,
    extras: Mapping[str, Any],
) -> Body:
    """Every key but those the server refused."""
    body: Body = {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": sampling.temperature,
        "top_p": sampling.top_p,
        "seed": seed % 2**31,
        dialect.limit_name: sampling.max_new_tokens,
    }
    if choice_point is not None:
        body |= {"logprobs": True, "top_logprobs": dialect.alternatives}
    if dialect.native:
        body |= {"tools": [TOOL_SCHEMA], "parallel_tool_calls": False}
    else:
        body |= _no_other_sampling(sampling) | dict(extras)
    if "stream" in dialect.dropped:
        del body["stream_options"]
    if "logprobs" in dialect.dropped:
        body.pop("top_logprobs", None)
    return {key: value for key, value in body.items() if key not in dialect.dropped}


def _no_other_sampling(sampling: SamplingSettings) -> Body:
    """Servers of one's own filter and penalise by default, in names of their own."""
    penalties = {"repeat_penalty": 1.0, "repetition_penalty": 1.0}
    return penalties if sampling.temperature == 0 else penalties | {"top_k": 0, "min_p": 0.0}


def simpler(
    dialect: Dialect, body: Body, refusal: Refusal, *, may_fall_back_to_text: bool
) -> Dialect | None:
    """The dialect to try next; None where the refusal is not about what could be left out."""
    if not refusal.is_about_form or refusal.is_context_full:
        return None
    plainly = refusal.status not in (403, 500, 501)  # else the words may mean something else
    kept = NEEDED if plainly else NEEDED | BARE
    for key in refusal.names([key for key in body if key not in kept]):
        changed = _without(dialect, key, may_fall_back_to_text)
        if changed is not None:
            return changed
    return bare(dialect, body) if plainly else None


def bare(dialect: Dialect, body: Body) -> Dialect | None:
    """Without all that can be left out; None where that is so already."""
    spare = frozenset(body) - NEEDED - BARE
    return replace(dialect, dropped=dialect.dropped | spare) if spare else None


def _without(dialect: Dialect, key: str, may_fall_back_to_text: bool) -> Dialect | None:
    if key == "max_tokens":
        return replace(dialect, limit_name="max_completion_tokens")
    if key == "max_completion_tokens":
        return None  # the words speak of the limit we have just changed to, or of the context
    if key == "top_logprobs" and dialect.alternatives > FEW_ALTERNATIVES:
        return replace(dialect, alternatives=FEW_ALTERNATIVES)
    if key == "tools":
        return replace(dialect, native=False) if may_fall_back_to_text else None
    if key == "top_logprobs":
        key = "logprobs"
    return replace(dialect, dropped=dialect.dropped | {key})
