"""The parts that hostile replies are made of."""

import json
from dataclasses import dataclass
from typing import Any

from tests.attacks.servers.server import Call, Play

ANSWER = "<think>Broad lines.</think><answer>\\boxed{YES}</answer>"
SSE = "text/event-stream"


def head(status: str = "200 OK", **headers: str) -> bytes:
    lines = [
        f"HTTP/1.1 {status}",
        *(f"{name.replace('_', '-')}: {headers[name]}" for name in headers),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%s\r\n%s\r\n" % (len(data), extension, data)


def event(choice: object = None, **fields: object) -> bytes:
    value = fields if choice is None else {"choices": [choice], **fields}
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def delta(text: str, **fields: object) -> bytes:
    return event({"index": 0, "delta": {"content": text}, "finish_reason": None, **fields})


def end(reason: object = "stop", **fields: object) -> bytes:
    return event({"index": 0, "delta": {}, "finish_reason": reason}, **fields) + b"data: [DONE]\n\n"


def whole(body: bytes | object, status: str = "200 OK", **headers: str) -> Play:
    """One reply with its length; JSON unless it is bytes."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {"content_type": "application/json"} | headers

    def play(call: Call) -> None:
        call.send(head(status, content_length=str(len(data)), **named), data)

    return play


def raw(*pieces: bytes) -> Play:
    """These bytes, and the connection ends."""

    def play(call: Call) -> None:
        call.send(*pieces)
        raise ConnectionAbortedError

    return play


def flood(before: bytes, piece: bytes) -> Play:
    """The same piece for ever."""

    def play(call: Call) -> None:
        call.send(before)
        call.endless(piece)

    return play


def drip(before: bytes, piece: bytes) -> Play:
    """The same piece for ever, slowly."""

    def play(call: Call) -> None:
        call.send(before)
        call.slowly(iter(lambda: piece, None))

    return play


def silence(before: bytes = b"") -> Play:
    def play(call: Call) -> None:
        call.send(before)
        call.wait()

    return play


def stream(*events: bytes, **headers: str) -> Play:
    """A stream of events in chunks."""
    named = {"content_type": SSE, "transfer_encoding": "chunked"} | headers

    def play(call: Call) -> None:
        call.send(head(**named), *map(chunk, events), chunk(b""))

    return play


def said(text: str, **fields: object) -> Play:
    """A whole reply with this text."""
    message = {"role": "assistant", "content": text}
    return whole({"choices": [{"index": 0, "message": message, "finish_reason": "stop", **fields}]})


def redirect(where: str, status: str = "307 Temporary Redirect") -> Play:
    """`{elsewhere}` and `{here}` are the addresses of the other host and of this one."""

    def play(call: Call) -> None:
        target = where.replace("{elsewhere}", call.server.elsewhere_url)
        target = target.replace("{here}", call.server.url)
        call.send(head(status, location=target, content_length="0"))

    return play


def calling(name: object, arguments: object, **fields: object) -> Play:
    """Turns that call a tool in the native form."""
    call = {
        "index": 0,
        "id": "c",
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }
    return stream(
        event({"index": 0, "delta": {"tool_calls": [{**call, **fields}]}, "finish_reason": None}),
        end("tool_calls"),
    )


def zooming(arguments: str) -> Play:
    """Turns that call the tool in the text."""
    name = "spectral_visualization_tool"
    return said(f'<tool_call>{{"name": "{name}", "arguments": {arguments}}}</tool_call>')


def tokens(*logprobs: object, text: str = ANSWER, bytes_: object = None) -> Play:
    """The answer, with these log-probabilities of YES and then of NO at the verdict."""
    before, _, after = text.partition("YES")
    entries: list[dict[str, Any]] = [{"token": before, "logprob": -0.1, "top_logprobs": []}]
    top = [
        {"token": word, "logprob": value, **({} if bytes_ is None else {"bytes": bytes_})}
        for word, value in zip(("YES", "NO"), logprobs, strict=False)
    ]
    entries.append({**top[0], "top_logprobs": top})
    entries.append({"token": after, "logprob": -0.1, "top_logprobs": []})
    return said(text, logprobs={"content": entries})


@dataclass(frozen=True)
class Kind:
    """A hostile server. `must`: what the record or the refusal has to say."""

    play: Play
    must: str = ""
    """Words of the sentence that the user reads; empty for any ending that keeps the rules."""
    lists_models: bool = False
    """Whether the engine asks for the list of models first."""
    p_yes: tuple[float | None, ...] = ()
    """The values that p(YES) may have, where the reply is a verdict."""
    answers: bool = False
    """Whether the inspection has to reach its verdict in spite of it."""

    @property
    def ends_by_time(self) -> bool:
        return self.must == "within"


MANY = 1 << 16
CHUNKED = head(content_type=SSE, transfer_encoding="chunked")
JSON_CHUNKED = head(content_type="application/json", transfer_encoding="chunked")
NO_LENGTH = head(content_type="application/json", connection="close")
GIGABYTE = str(10**9)
UNKNOWN = (None,)


def replaced(play: Play, old: bytes, new: bytes, count: int = -1) -> Play:
    """The same reply with other bytes in it."""

    def changed(call: Call) -> None:
        sent: list[bytes] = []
        play(_Recorder(call, sent))  # type: ignore[arg-type]
        body = b"".join(sent).partition(b"\r\n\r\n")[2]
        assert old in body
        whole(body.replace(old, new, count))(call)

    return changed


@dataclass
class _Recorder:
    call: Call
    sent: list[bytes]

    def send(self, *pieces: bytes) -> None:
        self.sent += pieces
