"""Malformed, endless and interrupted replies give an error message, never another exception."""

from __future__ import annotations

import json

import pytest

from agent.engines.base import SamplingSettings
from agent.engines.remote import conversation
from agent.engines.remote import stream as reply_stream
from agent.errors import EngineError
from tests.agent.engines.remote.fake_server import (
    Pieces,
    answered,
    dropped,
    endless,
    event_bytes,
    spoken,
    stream,
)
from tests.agent.engines.remote.remote_scenes import GREEDY, opened, refusal_of, talking
from tests.processes import LONG_S


@pytest.mark.parametrize(
    "act",
    [
        stream(Pieces(["{"])),
        stream(Pieces(["[]"])),
        stream(Pieces(["[" * 100_000])),
        stream(Pieces(['{"usage": ' + "9" * 10_000 + "}"])),
        answered(200, b"<html>hello</html>", content_type="text/html"),
        answered(200, b"\xff\xfe\x00"),
        answered(200, []),
        answered(200, {"choices": []}),
        answered(200, {"choices": [{"message": {"content": "a"}}]}),
    ],
)
def test_what_is_no_chat_reply_is_refused(act):
    assert "chat" in refusal_of(act)


@pytest.mark.parametrize("piece", [b"x" * 4096, b"data: " + b"x" * 4096, b": ping\n", b"\n\n"])
def test_a_reply_without_end_is_left(monkeypatch, piece):
    monkeypatch.setattr(conversation, "MAX_REPLY", 2**16)
    monkeypatch.setattr(reply_stream, "MAX_LINE", 2**14)
    assert "longer than" in refusal_of(endless(piece))


def test_a_body_without_end_is_left(monkeypatch):
    monkeypatch.setattr(conversation, "MAX_REPLY", 2**18)
    assert "longer than" in refusal_of(endless(b"{" * 4096, "application/json"))


def test_a_model_without_end_is_cut():
    piece = event_bytes(Pieces().words("word " * 100).events[0])
    with talking(endless(piece)) as (server, engine):
        generated = opened(engine).generate(SamplingSettings(max_new_tokens=4))
        assert generated.finish == "length"
        assert len(generated.text) < 20_000
        assert server.hung_up.wait(LONG_S)


def test_pings_alone_are_no_answer():
    words = refusal_of(endless(b": ping\n\n"), timeout_s=5.0, clock=_Hasty())
    assert "no text within 5 s" in words


class _Hasty:
    """A clock on which a second passes with each look."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        self.time += 1.0
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds


def test_withheld_replies_are_told():
    assert "withheld" in refusal_of(stream(Pieces().words("a").end("content_filter")))


def test_random_streams_raise_nothing_else(rng):
    """Valid replies with bytes flipped, cut and doubled."""
    pieces = Pieces().words("<think>a</think>", "\\boxed{YES}").end(usage={"prompt_tokens": 3})
    whole = b"".join(event_bytes(event) for event in pieces.events)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 6))):
            index = int(rng.integers(0, len(data)))
            kind = int(rng.integers(0, 3))
            if kind == 0:
                data[index] = int(rng.integers(0, 256))
            elif kind == 1:
                del data[index : index + int(rng.integers(1, 40))]
            else:
                data[index:index] = data[index : index + int(rng.integers(1, 40))]
        acts = [answered(200, bytes(data), content_type="text/event-stream"), spoken("again")]
        with talking(*acts) as (_, engine):
            try:
                generated = opened(engine).generate(GREEDY)
            except EngineError as refusal:
                assert str(refusal).isprintable()
            else:
                assert generated.finish in ("stop", "length")


def test_a_drop_in_every_place_is_survived():
    """Cut after each byte of a reply: the next attempt brings the turn."""
    pieces = Pieces().words("a", "b").end(usage={"prompt_tokens": 3, "completion_tokens": 2})
    whole = [event_bytes(event) for event in pieces.events]
    for kept in range(len(whole)):
        acts = [dropped(Pieces(pieces.events[:kept])), stream(pieces)]
        with talking(*acts) as (_, engine):
            assert opened(engine).generate(GREEDY).text == "ab"
    assert json.loads(whole[0][6:])
