"""A reply put together from its pieces, in either form of tool call, as text we can parse."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.backends.remote_choices import Token, read_tokens

MAX_CALLS = 8
MAX_TOKENS = 1_000_000
OPEN_THOUGHT, CLOSE_THOUGHT = "<think>", "</think>\n"
OPEN_CALL, CLOSE_CALL = "<tool_call>", "</tool_call>"

UNKNOWN = -1


@dataclass(frozen=True)
class Counts:
    """Tokens of one request; -1 where the server does not say."""

    prompt: int = UNKNOWN
    generated: int = UNKNOWN
    cached: int = UNKNOWN


@dataclass
class _Call:
    name: str = ""
    arguments: str = ""


@dataclass
class ReplyBuilder:
    """Takes the pieces as they come. What is not as it should be counts as not said."""

    max_text: int
    text: str = ""
    """Thought and words, without native calls, which are complete only at the end."""
    finish_reason: str = ""
    tokens: list[Token] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    pieces: int = 0
    _in_thought: bool = False
    _calls: dict[int, _Call] = field(default_factory=dict)
    _argument_letters: int = 0

    @property
    def is_too_long(self) -> bool:
        return len(self.text) + self._argument_letters > self.max_text

    def add(self, event: Mapping[str, Any]) -> str:
        """Take one chunk, or a whole reply; the new text."""
        self._count(event)
        choice = _first(event.get("choices"))
        if choice is None:
            return ""
        said = choice.get("delta") or choice.get("message")
        new = self._say(said) if isinstance(said, dict) else ""
        if len(self.tokens) < MAX_TOKENS:
            self.tokens.extend(read_tokens(choice.get("logprobs")))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason[:40]
        return new

    def close_thought(self) -> str:
        """The end of a thought that no words followed."""
        if not self._in_thought:
            return ""
        self._in_thought = False
        self.text += CLOSE_THOUGHT
        return CLOSE_THOUGHT

    def add_calls(self) -> str:
        """Write the native calls out, unless the text holds one already; the new text."""
        if OPEN_CALL in self.text:
            return ""
        before = len(self.text)
        for number in sorted(self._calls):
            if self.text and not self.text.endswith("\n"):
                self.text += "\n"
            self.text += call_text(self._calls[number].name, self._calls[number].arguments)
        return self.text[before:]

    def _say(self, said: Mapping[str, Any]) -> str:
        before = len(self.text)
        thought = _words(said.get("reasoning_content")) or _words(said.get("reasoning"))
        words = _words(said.get("content")) or _words(said.get("refusal"))
        if thought:
            self.text += thought if self._in_thought else OPEN_THOUGHT + thought
            self._in_thought = True
        if words:
            self.close_thought()
            self.text += words
        calls = said.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else ()):
            self._take_call(call, place)
        self.pieces += bool(thought or words or calls)
        return self.text[before:]

    def _take_call(self, call: object, place: int) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            return
        index = call.get("index")
        number = index if isinstance(index, int) and 0 <= index < MAX_CALLS else place
        if number >= MAX_CALLS:
            return
        taken = self._calls.setdefault(number, _Call())
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str):
            taken.name = (taken.name + name)[:200]
        if isinstance(arguments, dict):  # some servers send the object itself
            arguments = _written(arguments)
        if isinstance(arguments, str):
            taken.arguments += arguments
            self._argument_letters += len(arguments)

    def _count(self, event: Mapping[str, Any]) -> None:
        usage = event.get("usage")
        if isinstance(usage, dict):
            details = usage.get("prompt_tokens_details")
            cached = details.get("cached_tokens") if isinstance(details, dict) else None
            self.counts = Counts(
                _number(usage.get("prompt_tokens")),
                _number(usage.get("completion_tokens")),
                max(_number(cached), self.counts.cached),
            )
        timings = event.get("timings")
        if isinstance(timings, dict):
            self._count_timings(timings)

    def _count_timings(self, timings: Mapping[str, Any]) -> None:
        """llama.cpp's own: with every piece, so that a turn that is cut short is counted too."""
        cached, new = _number(timings.get("cache_n")), _number(timings.get("prompt_n"))
        if cached >= 0 and new >= 0:
            said = _number(timings.get("predicted_n"))
            self.counts = Counts(cached + new, max(said, self.counts.generated), cached)


def call_text(name: str, arguments: str) -> str:
    """A native call as the protocol writes one; arguments that are no JSON are left as they are."""
    try:
        written = _written(json.loads(arguments or "{}"))
    except (ValueError, RecursionError):
        written = arguments
    call = f'{OPEN_CALL}\n{{"name": {_written(name)}, "arguments": {written}}}\n{CLOSE_CALL}'
    return _words(call)


def _written(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "{}"


def _first(choices: object) -> dict[str, Any] | None:
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) else None


def _words(value: object) -> str:
    """Text, or the text among the parts of a list. Halves of characters become question marks."""
    if isinstance(value, list):
        parts = (part.get("text") for part in value if isinstance(part, dict))
        value = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8")


def _number(value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 2**40 else UNKNOWN  # type: ignore[operator, return-value]
