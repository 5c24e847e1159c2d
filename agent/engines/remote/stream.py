"""A reply put together from its pieces, in either form of tool call, as text we can parse."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.engines.base import RESTARTED, OnText
from agent.engines.remote.choices import Token, read_tokens
from agent.errors import EngineError


class Preview:
    """Passes pieces on. An attempt that says again what is shown already is silent until it says
    more; one that says something else is announced by RESTARTED. Carriage returns of the model are
    left out, so that RESTARTED cannot be mistaken."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._shown = ""
        self._said = ""

    def start(self) -> None:
        """A new attempt."""
        self._said = ""

    def add(self, piece: str) -> None:
        piece = piece.replace("\r", "")
        if self._on_text is None or not piece:
            return
        if self._said == self._shown:
            self._said += piece
            self._show(piece, self._said)
            return
        self._said += piece
        if self._said.startswith(self._shown):
            self._show(self._said[len(self._shown) :], self._said)
        elif not self._shown.startswith(self._said):
            self._anew()

    def end(self) -> None:
        """The attempt is the last one; it may have said less than an earlier one."""
        if self._on_text is not None and self._said != self._shown:
            self._anew()

    def _anew(self) -> None:
        assert self._on_text is not None
        self._on_text(RESTARTED)
        self._show(self._said, self._said)

    def _show(self, piece: str, shown: str) -> None:
        assert self._on_text is not None
        self._shown = shown
        if piece:
            self._on_text(piece)


MAX_LINE = 4 * 2**20
"""Bytes. The longest real line holds the log-probabilities of a whole turn."""

DONE = "[DONE]"


class TooLong(EngineError):
    """More than any honest reply holds."""


def lines(pieces: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Lines without their ends; a last one that has no end is left out: it was cut off."""
    pending = bytearray()
    total = 0
    for piece in pieces:
        total += len(piece)
        if total > max_bytes:
            raise TooLong(f"the reply is longer than {max_bytes} bytes")
        *whole, rest = piece.split(b"\n")
        for line in whole:
            pending += line
            yield bytes(pending.removesuffix(b"\r"))
            pending.clear()
        pending += rest
        if len(pending) > MAX_LINE:
            raise TooLong(f"the reply holds a line longer than {MAX_LINE} bytes")


def events(pieces: Iterable[bytes], max_bytes: int) -> Iterator[str | None]:
    """The data of each event, and None for each line that only keeps the connection open.

    A line `error: ...`, which some servers send, counts as data.
    """
    data: list[bytes] = []
    held = 0
    for line in lines(pieces, max_bytes):
        if not line:
            if data:
                yield b"\n".join(data).decode("utf-8", "replace")
            data, held = [], 0
            continue
        name, _, value = line.partition(b":")
        if name not in (b"data", b"error"):
            yield None
            continue
        data.append(value.removeprefix(b" "))
        held += len(value)
        if held > MAX_LINE:
            raise TooLong(f"the reply holds an event longer than {MAX_LINE} bytes")


def read_all(pieces: Iterable[bytes], max_bytes: int) -> bytes:
    """A reply that does not come in events."""
    whole = bytearray()
    for piece in pieces:
        whole += piece
        if len(whole) > max_bytes:
            raise TooLong(f"the reply is longer than {max_bytes} bytes")
    return bytes(whole)


def read_json(text: str | bytes) -> dict[str, Any]:
    """A JSON object. Raises ValueError for anything else."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is no JSON object")
    return value


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
