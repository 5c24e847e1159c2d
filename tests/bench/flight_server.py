"""A server with vLLM's latency profile: `python -m tests.bench.flight_server` prints its port.

Every step gives one token to every conversation that is being answered. A step takes 1/80 s, or
longer where so many are answered that the tokens of all together would exceed 3,000 a second, as
a 7B model on one large GPU. The first token of a turn comes after 0.1 s and 2 ms for each turn
that is being answered. Each token is an event with its 20 alternatives, as vLLM sends them.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from dataclasses import dataclass, field

STEP_S = 1 / 80
TOKENS_PER_S = 3000.0
FIRST_TOKEN_S = 0.1
FIRST_TOKEN_MORE_S = 0.002
LOOKS = 3
TURNS = LOOKS + 1
TOKENS = 120
"""In each turn."""
ALTERNATIVES = 20
MODEL = "spec-o3-7b"

CALL = (
    '<tool_call>\n{"name": "spectral_visualization_tool", "arguments": {"wavelength_range": '
    '[%d, %d], "label": "window"}}\n</tool_call>'
)
ANSWER = "<answer>\\boxed{YES} broad emission</answer>"


def conversations_per_s(in_flight: int) -> float:
    """How many conversations the server can end in a second with so many in flight."""
    turn_s = FIRST_TOKEN_S + FIRST_TOKEN_MORE_S * in_flight + TOKENS * STEP_S
    return min(in_flight / (TURNS * turn_s), TOKENS_PER_S / (TURNS * TOKENS))


@dataclass(eq=False)
class Turn:
    """A turn that is being answered."""

    writer: asyncio.StreamWriter
    pieces: list[bytes]
    whole: bytes
    said: int = 0
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class Server:
    def __init__(self) -> None:
        self.turns: set[Turn] = set()
        self.waiting = 0
        self.replies = [_reply(number) for number in range(TURNS)]

    async def steps(self) -> None:
        clock = asyncio.get_running_loop().time
        due = clock()
        while True:
            due = max(due + max(STEP_S, len(self.turns) / TOKENS_PER_S), clock() - 0.1)
            await asyncio.sleep(max(0.0, due - clock()))
            for turn in tuple(self.turns):
                if turn.whole:
                    turn.said += 1
                    if turn.said == TOKENS:
                        turn.writer.write(turn.whole)
                else:
                    turn.writer.write(turn.pieces[turn.said])
                    turn.said += 1
                if turn.said == TOKENS or turn.writer.is_closing():
                    if not turn.whole:
                        turn.writer.write(b"".join(turn.pieces[TOKENS:]))
                    self.turns.discard(turn)
                    turn.ended.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                names = dict(
                    line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if line
                )
                body = await reader.readexactly(int(names.get(b"content-length", 0)))
                if head.startswith(b"GET"):
                    writer.write(_json_reply(_told(head)))
                    continue
                await self._answer(body, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, body: bytes, writer: asyncio.StreamWriter) -> None:
        pieces, whole = self.replies[turn_number(body)]
        streamed = b'"stream": true' in body or b'"stream":true' in body
        self.waiting += 1
        busy = len(self.turns) + self.waiting
        await asyncio.sleep(FIRST_TOKEN_S + FIRST_TOKEN_MORE_S * busy)
        if streamed:
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
                b"transfer-encoding: chunked\r\n\r\n"
            )
        turn = Turn(writer, pieces, b"" if streamed else whole)
        self.waiting -= 1
        self.turns.add(turn)
        await turn.ended.wait()


def _told(head: bytes) -> object:
    if b"/models" in head.split(b"\r\n")[0]:
        return {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
    return {"cpu_s": time.process_time()}


def turn_number(body: bytes) -> int:
    return min(body.count(b'"role": "assistant"') + body.count(b'"role":"assistant"'), LOOKS)


def _reply(number: int) -> tuple[list[bytes], bytes]:
    """The events of a turn, one a token, then its end; and the same as one reply."""
    last = ANSWER if number == LOOKS else CALL % (4000 + 500 * number, 4600 + 500 * number)
    written = ["</think>\n", *(last[at : at + 4] for at in range(0, len(last), 4))]
    words = ["<think>", *[" looking"] * (TOKENS - len(written) - 1), *written]
    tokens = [_logprobs(word) for word in words]
    named = {"id": "chatcmpl-0", "created": 1, "model": MODEL}
    events: list[object] = [
        named | {"choices": [_choice({"content": word}, {"content": [token]}, None)]}
        for word, token in zip(words, tokens, strict=True)
    ]
    usage = {"prompt_tokens": 1000 * (number + 1), "completion_tokens": TOKENS}
    end = {"choices": [_choice({}, None, "stop")]}
    events += [named | end, named | {"choices": [], "usage": usage}]
    message = {"role": "assistant", "content": "".join(words)}
    choice = {"index": 0, "message": message, "logprobs": {"content": tokens}}
    whole = named | {"choices": [choice | {"finish_reason": "stop"}], "usage": usage}
    data = [b"data: " + _json(event) + b"\n\n" for event in events]
    pieces = [_chunk(each) for each in (*data, b"data: [DONE]\n\n")]
    return [*pieces, b"0\r\n\r\n"], _json_reply(whole)


def _choice(delta: object, logprobs: object, reason: object) -> dict[str, object]:
    return {"index": 0, "delta": delta, "logprobs": logprobs, "finish_reason": reason}


def _logprobs(word: str) -> dict[str, object]:
    text = list(word.encode())
    top = [{"token": word, "logprob": -0.01, "bytes": text}]
    top += [
        {"token": f" w{other}", "logprob": -5.0 - other, "bytes": [32, 119, 48]}
        for other in range(1, ALTERNATIVES)
    ]
    return {"token": word, "logprob": -0.01, "bytes": text, "top_logprobs": top}


def _json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _json_reply(value: object) -> bytes:
    data = _json(value)
    head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    return head % len(data) + data


def _end_with_the_bench() -> None:
    sys.stdin.read()
    os._exit(0)


async def main(server: Server) -> None:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, limit=2**24)
    print(listening.sockets[0].getsockname()[1], flush=True)
    asyncio.get_running_loop().run_in_executor(None, _end_with_the_bench)
    await server.steps()


if __name__ == "__main__":
    asyncio.run(main(Server()))
