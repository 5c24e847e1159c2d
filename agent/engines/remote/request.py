"""Build chat requests, and simpler ones for servers that support fewer parameters."""

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PIL import Image

from agent.engines.base import ChoicePoint, SamplingSettings, ShouldStop
from agent.engines.kind import LONGEST_CONTEXT
from agent.engines.remote.errors import Refusal
from agent.protocol.protocol import SYSTEM, Turn, system_text
from agent.protocol.tool import TOOL_SCHEMA
from agent.protocol.turn_form import TurnForm
from agent.rendering.render import png_bytes

# The tool description in the system turn, removed if the server adds its own
TOOL_TEXT = system_text().removeprefix(SYSTEM)
UNANSWERED = "There is no result."
_CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
_CONTROL = re.compile(r"<\|(?=[\w-]{1,40}\|>)|<(?=__\w{1,40}__>)")

Message = dict[str, Any]


@dataclass(frozen=True)
class RequestTurn:
    """A turn and its picture as a data URL."""

    turn: Turn
    picture_url: str = ""


def picture_url(picture: Image.Image) -> str:
    """Encode a picture as a PNG data URL, which is lossless."""
    return "data:image/png;base64," + base64.b64encode(png_bytes(picture)).decode("ascii")


def messages(turns: Sequence[RequestTurn], *, native: bool) -> list[Message]:
    return _native_messages(turns) if native else [_text_message(turn) for turn in turns]


def plain(text: str) -> str:
    """Break up text that looks like control tokens: servers parse markup in everything they get."""
    return _CONTROL.sub(lambda match: match.group() + " ", text)


def _text_message(sent: RequestTurn) -> Message:
    turn = sent.turn
    role = "user" if turn.role == "tool" else turn.role
    before, after = ("<tool_response>\n", "\n</tool_response>") if turn.role == "tool" else ("", "")
    return _message(role, before, sent.picture_url, plain(turn.text) + after)


def _message(role: str, before: str, url: str, after: str) -> Message:
    # text without a picture is sent as a string, since some servers reject a list
    if not url:
        return {"role": role, "content": before + after}
    content: list[Message] = [{"type": "image_url", "image_url": {"url": url}}]
    if before:
        content.insert(0, {"type": "text", "text": before})
    if after:
        content.append({"type": "text", "text": after})
    return {"role": role, "content": content}


def _native_messages(turns: Sequence[RequestTurn]) -> list[Message]:
    # every call needs its result right after it, or servers reject the conversation
    result: list[Message] = []
    unanswered: list[str] = []
    for number, sent in enumerate(turns):
        turn = sent.turn
        if turn.role == "tool" and unanswered:
            result += [_answer(call_id, plain(turn.text)) for call_id in unanswered]
            unanswered = []
            if sent.picture_url:
                result.append(_message("user", "", sent.picture_url, ""))
            continue
        result += [_answer(call_id, UNANSWERED) for call_id in unanswered]
        unanswered = []
        if turn.role == "assistant":
            message = _assistant(turn.text, number)
            unanswered = [call["id"] for call in message.get("tool_calls", ())]
            result.append(message)
        elif turn.role == "system":
            text = turn.text.replace(TOOL_TEXT, "")
            result.append({"role": "system", "content": plain(text)})
        else:
            result.append(_message("user", "", sent.picture_url, plain(turn.text)))
    return result


def _assistant(text: str, number: int) -> Message:
    """Separate text from calls; a malformed call stays in the text."""
    calls = []
    for index, body in enumerate(_CALL.findall(text)):
        call = _call(body, f"call_{number}_{index}")
        if call is None:
            return {"role": "assistant", "content": plain(text)}
        calls.append(call)
    if not calls:
        return {"role": "assistant", "content": plain(text)}
    content = plain(_CALL.sub("", text).strip())
    return {"role": "assistant", "content": content, "tool_calls": calls}


def _call(body: str, call_id: str) -> Message | None:
    try:
        call = json.loads(body)
        name, arguments = call["name"], json.dumps(call.get("arguments", {}))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]{1,64}", name):
        return None  # hosted servers reject such a name
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _answer(call_id: str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


MOST_ALTERNATIVES = 20
FEW_ALTERNATIVES = 5
NEEDED = frozenset({"model", "messages"})
# Parameters kept when a server rejects a request without naming a parameter
BARE = frozenset({"stream", "temperature", "max_tokens", "max_completion_tokens", "tools"})

Body = dict[str, Any]


@dataclass(frozen=True)
class Dialect:
    """The form of request that a server is known to accept."""

    native: bool = False
    dropped: frozenset[str] = frozenset()
    alternatives: int = MOST_ALTERNATIVES
    limit_name: str = "max_tokens"


@dataclass(frozen=True)
class TurnRequest:
    """The caller's options for the turn; `session` names the conversation for routers."""

    sampling: SamplingSettings
    session: str = ""
    seed: int = 0
    stop: Sequence[str] = ()
    choice_point: ChoicePoint | None = None
    should_stop: ShouldStop | None = None
    form: TurnForm | None = None


def request_body(
    dialect: Dialect, model: str, messages: list[Message], asked: TurnRequest, extras: Body
) -> Body:
    """Build a request with all parameters except those the server rejected."""
    body: Body = {
        "model": model,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
        "temperature": asked.sampling.temperature,
        "top_p": asked.sampling.top_p,
        "seed": asked.seed % 2**31,
    }
    if asked.sampling.max_new_tokens < LONGEST_CONTEXT:  # else servers refuse what has no room
        body[dialect.limit_name] = asked.sampling.max_new_tokens
    if asked.choice_point is not None:
        body |= {"logprobs": True, "top_logprobs": dialect.alternatives}
    if dialect.native:
        body |= {"tools": [TOOL_SCHEMA], "parallel_tool_calls": False}
    else:
        # else local servers use sampling filters and penalties by default
        body |= {"repeat_penalty": 1.0, "repetition_penalty": 1.0}
        body |= {"top_k": 0, "min_p": 0.0} if asked.sampling.temperature else {}
        body |= extras
        if "grammar" in extras and asked.form is not None:
            body["grammar"] = asked.form.grammar
    if "stream" in dialect.dropped:
        del body["stream_options"]
    if "logprobs" in dialect.dropped:
        body.pop("top_logprobs", None)
    return {key: value for key, value in body.items() if key not in dialect.dropped}


def simpler(
    dialect: Dialect, body: Body, refusal: Refusal, *, may_fall_back_to_text: bool
) -> Dialect | None:
    """Return the dialect to try next; None if leaving out parameters cannot help."""
    if not refusal.is_about_form or refusal.is_context_full:
        return None
    is_clear = refusal.status not in (403, 500, 501)  # else the message may mean something else
    kept = NEEDED if is_clear else NEEDED | BARE
    for key in refusal.names([key for key in body if key not in kept]):
        changed = _without(dialect, key, may_fall_back_to_text)
        if changed is not None:
            return changed
    return bare(dialect, body) if is_clear else None


def bare(dialect: Dialect, body: Body) -> Dialect | None:
    """Return a dialect with only the bare parameters; None if there are no others."""
    spare = frozenset(body) - NEEDED - BARE
    return replace(dialect, dropped=dialect.dropped | spare) if spare else None


def _without(dialect: Dialect, key: str, may_fall_back_to_text: bool) -> Dialect | None:
    if key == "max_tokens":
        return replace(dialect, limit_name="max_completion_tokens")
    if key == "max_completion_tokens":
        return None  # the message is about the name we just changed to, or about the context
    if key == "top_logprobs" and dialect.alternatives > FEW_ALTERNATIVES:
        return replace(dialect, alternatives=FEW_ALTERNATIVES)
    if key == "tools":
        return replace(dialect, native=False) if may_fall_back_to_text else None
    if key == "top_logprobs":
        key = "logprobs"
    return replace(dialect, dropped=dialect.dropped | {key})
