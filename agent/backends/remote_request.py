"""What a request asks for, and how it asks for less of a server that takes less."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from agent.backends.base import Sampling, Watch
from agent.backends.remote_messages import Message
from agent.backends.remote_refusal import Refusal
from agent.tool import TOOL_SCHEMA

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
    sampling: Sampling,
    seed: int,
    watch: Watch | None,
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
    if watch is not None:
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


def _no_other_sampling(sampling: Sampling) -> Body:
    """Servers of one's own filter and penalise by default, in names of their own."""
    penalties = {"repeat_penalty": 1.0, "repetition_penalty": 1.0}
    return penalties if sampling.temperature == 0 else penalties | {"top_k": 0, "min_p": 0.0}


def simpler(dialect: Dialect, body: Body, refusal: Refusal, *, may_go_text: bool) -> Dialect | None:
    """The dialect to try next; None where the refusal is not about what could be left out."""
    if not refusal.is_about_form or refusal.is_context_full:
        return None
    plainly = refusal.status not in (403, 500, 501)  # else the words may mean something else
    kept = NEEDED if plainly else NEEDED | BARE
    for key in refusal.names([key for key in body if key not in kept]):
        changed = _without(dialect, key, may_go_text)
        if changed is not None:
            return changed
    return bare(dialect, body) if plainly else None


def bare(dialect: Dialect, body: Body) -> Dialect | None:
    """Without all that can be left out; None where that is so already."""
    spare = frozenset(body) - NEEDED - BARE
    return replace(dialect, dropped=dialect.dropped | spare) if spare else None


def _without(dialect: Dialect, key: str, may_go_text: bool) -> Dialect | None:
    if key == "max_tokens":
        return replace(dialect, limit_name="max_completion_tokens")
    if key == "max_completion_tokens":
        return None  # the words speak of the limit we have just changed to, or of the context
    if key == "top_logprobs" and dialect.alternatives > FEW_ALTERNATIVES:
        return replace(dialect, alternatives=FEW_ALTERNATIVES)
    if key == "tools":
        return replace(dialect, native=False) if may_go_text else None
    if key == "top_logprobs":
        key = "logprobs"
    return replace(dialect, dropped=dialect.dropped | {key})
