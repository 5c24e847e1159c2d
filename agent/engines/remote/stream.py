"""Assemble a streamed reply into text, with either form of tool call."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from agent.engines.base import RESTARTED, OnText
from agent.engines.remote.address import KeyFilter
from agent.engines.remote.choices import Token, read_tokens
from agent.errors import EngineError
from agent.web.body import whole_body


class Preview:
    """Passes pieces of text on to `on_text`, across several attempts at the same turn.

    An attempt that repeats the text already shown adds nothing until it goes beyond it; one that
    differs is announced by RESTARTED. Carriage returns of the model are removed, so that they
    cannot be taken for RESTARTED.
    """

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._shown = ""
        self._current = ""

    def start(self) -> None:
        self._current = ""

    def add(self, piece: str) -> None:
        self._current += piece.replace("\r", "")
        if self._current.startswith(self._shown):
            self._show(self._current[len(self._shown) :])
        elif not self._shown.startswith(self._current):
            self._restart()

    def end(self) -> None:
        """Finish after the last attempt, which may be shorter than an earlier one."""
        if self._current != self._shown:
            self._restart()

    def _restart(self) -> None:
        if self._on_text is not None:
            self._on_text(RESTARTED)
        self._show(self._current)

    def _show(self, piece: str) -> None:
        self._shown = self._current
        if piece and self._on_text is not None:
            self._on_text(piece)


# In bytes. The longest real line has the log-probabilities of a whole turn.
MAX_LINE = 4 * 2**20

DONE = "[DONE]"


class TooLong(EngineError):
    """A reply exceeds its size limit."""


def lines(pieces: Iterable[bytes], max_bytes: int) -> Iterator[bytes]:
    """Split into lines without their ends; an unfinished last line is dropped."""
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
            raise TooLong(f"the reply has a line longer than {MAX_LINE} bytes")


def events(pieces: Iterable[bytes], max_bytes: int) -> Iterator[str | None]:
    """Yield the data of each server-sent event, and None for lines that only keep it alive.

    A line `error: ...`, which some servers send, counts as data.
    """
    data: list[bytes] = []
    size = 0
    for line in lines(pieces, max_bytes):
        if not line:
            if data:
                yield b"\n".join(data).decode("utf-8", "replace")
            data, size = [], 0
            continue
        name, _, value = line.partition(b":")
        if name not in (b"data", b"error"):
            yield None
            continue
        data.append(value.removeprefix(b" "))
        size += len(value)
        if size > MAX_LINE:
            raise TooLong(f"the reply has an event longer than {MAX_LINE} bytes")


def read_all(pieces: Iterable[bytes], max_bytes: int) -> bytes:
    """Read a reply that is not a stream of events."""
    return whole_body(pieces, max_bytes, TooLong(f"the reply is longer than {max_bytes} bytes"))


def read_json(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object. Raises ValueError for anything else."""
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("it is not a JSON object")
    return value


MAX_CALLS = 8
MAX_TOKENS = 1_000_000
# In characters behind a choice point, where the token that decides may still come
NEAR = 64
OPEN_THOUGHT, CLOSE_THOUGHT = "<think>", "</think>\n"
OPEN_CALL, CLOSE_CALL = "<tool_call>", "</tool_call>"

UNKNOWN = -1


@dataclass(frozen=True)
class Counts:
    """Token counts of one request; -1 if the server does not report them."""

    prompt: int = UNKNOWN
    generated: int = UNKNOWN
    cached: int = UNKNOWN


@dataclass
class _Call:
    name: str = ""
    arguments: str = ""


@dataclass
class ReplyBuilder:
    """Collects the pieces of a reply and ignores malformed ones."""

    max_text: int  # In characters; what is beyond is dropped.
    key_filter: KeyFilter = field(default_factory=lambda: KeyFilter(None))
    choice_after: str = ""
    """The alternatives of tokens are kept near this text only; empty: of all."""
    text: str = ""
    """Thought and content; native calls are added at the end, when they are complete."""
    finish_reason: str = ""
    tokens: list[Token] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)
    pieces: int = 0
    _in_thought: bool = False
    _calls: dict[int, _Call] = field(default_factory=dict)
    _argument_length: int = 0

    @property
    def is_too_long(self) -> bool:
        return len(self.text) + self._argument_length > self.max_text

    def add(self, event: Mapping[str, Any]) -> str:
        """Add a chunk or a whole reply and return the new text."""
        usage = event.get("usage")
        if isinstance(usage, dict):
            details = usage.get("prompt_tokens_details")
            cached = details.get("cached_tokens") if isinstance(details, dict) else None
            read, said = (_number(usage.get(f"{name}_tokens")) for name in ("prompt", "completion"))
            self.counts = Counts(read, said, max(_number(cached), self.counts.cached))
        timings = event.get("timings")
        if isinstance(timings, dict):
            self._count_timings(timings)
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, dict):
            return ""
        delta = choice.get("delta") or choice.get("message")
        new = self._add_delta(delta) if isinstance(delta, dict) else ""
        if len(self.tokens) < MAX_TOKENS:
            near = len(new) + len(self.choice_after) + NEAR
            is_near = self.choice_after in self.text[-near:]
            self.tokens.extend(read_tokens(choice.get("logprobs"), with_others=is_near))
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason[:40]
        return new

    def end(self) -> str:
        """Close a thought that no content followed, add the calls, and return the new text."""
        before = len(self.text)
        self._close_thought()
        self.text += self.key_filter.end()
        self._add_calls()
        return self.text[before:]

    def _close_thought(self) -> None:
        if self._in_thought:
            self._in_thought = False
            self.text += self.key_filter.end() + CLOSE_THOUGHT

    def _add_calls(self) -> None:
        """Append the native calls, unless the text has a call."""
        if OPEN_CALL in self.text:
            return
        for number in sorted(self._calls):
            if self.text and not self.text.endswith("\n"):
                self.text += "\n"
            call = self._calls[number]
            self.text += self.key_filter.whole(call_text(call.name, call.arguments))

    def _add_delta(self, delta: Mapping[str, Any]) -> str:
        before = len(self.text)
        thought = _text(delta.get("reasoning_content")) or _text(delta.get("reasoning"))
        content = _text(delta.get("content")) or _text(delta.get("refusal"))
        if thought:
            self.text += "" if self._in_thought else OPEN_THOUGHT
            self.text += self.key_filter.add(thought)
            self._in_thought = True
        if content:
            self._close_thought()
            self.text += self.key_filter.add(content)
        self.text = self.text[: self.max_text + 1]
        calls = delta.get("tool_calls")
        for position, call in enumerate(calls if isinstance(calls, list) else ()):
            self._add_call(call, position)
        self.pieces += bool(thought or content or calls)
        return self.text[before:]

    def _add_call(self, call: object, position: int) -> None:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(function, dict):
            return
        index = call.get("index")
        number = index if isinstance(index, int) and 0 <= index < MAX_CALLS else position
        if number >= MAX_CALLS:
            return
        collected = self._calls.setdefault(number, _Call())
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str):
            collected.name = (collected.name + name)[:200]
        if isinstance(arguments, dict):  # some servers send the object itself
            arguments = _json(arguments)
        if isinstance(arguments, str):
            room = self.max_text + 1 - self._argument_length
            collected.arguments += arguments[:room]
            self._argument_length += len(arguments[:room])

    def _count_timings(self, timings: Mapping[str, Any]) -> None:
        # llama.cpp sends its timings with every piece, so a turn cut short is counted too
        cached, new = _number(timings.get("cache_n")), _number(timings.get("prompt_n"))
        if cached >= 0 and new >= 0:
            generated = _number(timings.get("predicted_n"))
            self.counts = Counts(cached + new, max(generated, self.counts.generated), cached)


def call_text(name: str, arguments: str) -> str:
    """Write a native call in the protocol's form; arguments that are not JSON stay unchanged."""
    try:
        written = _json(json.loads(arguments or "{}"))
    except (ValueError, RecursionError):
        written = arguments
    call = f'{OPEN_CALL}\n{{"name": {_json(name)}, "arguments": {written}}}\n{CLOSE_CALL}'
    return _text(call)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "{}"


def _text(value: object) -> str:
    """Return a text, or the joined text parts of a list; lone surrogates become question marks."""
    if isinstance(value, list):
        parts = (part.get("text") for part in value if isinstance(part, dict))
        value = "".join(part for part in parts if isinstance(part, str))
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8")


def _number(value: object) -> int:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value if whole and 0 <= value < 2**40 else UNKNOWN  # type: ignore[operator, return-value]
