"""Servers that mean harm, or do it without meaning it: an error in words, never anything else."""

from __future__ import annotations

import json
import socket
import ssl
import threading

import pytest

from agent.engines.base import SamplingSettings
from agent.engines.remote import stream as reply_stream
from agent.engines.remote import turn
from agent.engines.remote.engine import RemoteEngine
from agent.errors import EngineError
from tests.agent.engines.remote.fake_server import (
    Pieces,
    answered,
    dropped,
    endless,
    event_bytes,
    refused,
    serving,
    spoken,
    stream,
)
from tests.agent.engines.remote.self_signed import self_signed
from tests.agent.engines.remote.test_engine import GREEDY, KEY, opened, talking


def refusal_of(*acts, **options) -> str:
    """What the engine says of a server that plays this."""
    with talking(*acts, retries=1, **options) as (_, engine):
        with pytest.raises(EngineError) as refusal:
            opened(engine).generate(GREEDY)
        words = str(refusal.value)
        assert words.isprintable()
        assert len(words) < 500
        return words


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


@pytest.mark.parametrize(
    "act", [answered(204), answered(201, {}), answered(304), answered(300), answered(302)]
)
def test_a_status_that_is_no_answer_is_refused(act):
    assert refusal_of(act)


@pytest.mark.parametrize("piece", [b"x" * 4096, b"data: " + b"x" * 4096, b": ping\n", b"\n\n"])
def test_a_reply_without_end_is_left(monkeypatch, piece):
    monkeypatch.setattr(turn, "MAX_REPLY", 2**16)
    monkeypatch.setattr(reply_stream, "MAX_LINE", 2**14)
    assert "longer than" in refusal_of(endless(piece))


def test_a_body_without_end_is_left(monkeypatch):
    monkeypatch.setattr(turn, "MAX_REPLY", 2**18)
    assert "longer than" in refusal_of(endless(b"{" * 4096, "application/json"))


def test_a_model_without_end_is_cut():
    piece = event_bytes(Pieces().words("word " * 100).events[0])
    with talking(endless(piece)) as (server, engine):
        said = opened(engine).generate(SamplingSettings(max_new_tokens=4))
        assert said.finish == "length"
        assert len(said.text) < 20_000
        assert server.hung_up.wait(10)


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


def test_compressed_answers_are_not_opened():
    bomb = answered(200, b"\x1f\x8b" + b"0" * 100, content_encoding="gzip")
    assert "compressed" in refusal_of(bomb)


def test_a_refusal_without_end_is_left():
    def act(handler) -> None:
        handler.head(400, content_type="text/plain", transfer_encoding="chunked")
        while True:
            handler.chunk(b"no " * 1000)

    assert "400 (no no" in refusal_of(act)


def test_the_servers_words_are_made_printable():
    words = refusal_of(refused(400, "a\x1b]0;b\x07\u202e\n" + "c" * 10_000))
    assert "a ]0;b" in words


def test_a_broken_head_is_a_fault():
    def act(handler) -> None:
        handler.wfile.write(b"HELLO\r\n\r\n")
        handler.close_connection = True

    assert "the connection broke" in refusal_of(act)


def test_withheld_replies_are_told():
    assert "withheld" in refusal_of(stream(Pieces().words("a").end("content_filter")))


def test_another_host_is_not_followed():
    with serving(spoken("stolen")) as other:
        elsewhere = answered(307, {}, location=f"{other.url}/chat/completions")
        words = refusal_of(elsewhere, key=KEY)
        assert f"moved to http://127.0.0.1:{other.server_port}/v1" in words
        assert other.requests == []


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("file:///etc/passwd", "redirects to an invalid address"),
        ("http://[::1", "the connection broke"),  # httpx takes it for a broken answer
        ("https://me:sesame@example.org/", "redirects to an invalid address"),
        ("http://[", "moved to http://%5b/v1"),
        ("http://a\u202eb/", "the connection broke"),
        ("", "loop"),
        ("x" * 5000, "redirects to an invalid address"),
    ],
)
def test_an_odd_redirect_is_refused(where, words):
    def act(handler) -> None:
        handler.wfile.write(b"HTTP/1.1 308 X\r\ncontent-length: 0\r\n")
        handler.wfile.write(b"location: " + where.encode() + b"\r\n\r\n")

    assert words in refusal_of(act)


def test_a_redirect_on_the_same_host_is_followed_with_its_request():
    moved = answered(308, {}, location="/elsewhere/chat/completions")
    with talking(moved, spoken("a"), key=KEY) as (server, engine):
        assert opened(engine).generate(GREEDY).text == "a"
        first, second = server.requests
        assert second.path == "/elsewhere/chat/completions"
        assert second.body == first.body
        assert second.headers["authorization"] == f"Bearer {KEY}"


def test_redirects_in_circles_end():
    with talking(answered(307, {}, location="/v1/chat/completions")) as (server, engine):
        with pytest.raises(EngineError, match="loop"):
            opened(engine).generate(GREEDY)
        assert len(server.requests) == 4


def test_a_redirect_that_would_lose_the_request_is_not_followed():
    with talking(answered(301, {}, location="/v2/chat/completions")) as (server, engine):
        with pytest.raises(EngineError, match="moved to"):
            opened(engine).generate(GREEDY)
        assert len(server.requests) == 1


def test_random_streams_raise_nothing_else(rng):
    """Valid replies with bytes flipped, cut and doubled."""
    pieces = Pieces().words("<think>a</think>", "\\boxed{YES}").end(usage={"prompt_tokens": 3})
    whole = b"".join(event_bytes(event) for event in pieces.events)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 6))):
            place = int(rng.integers(0, len(data)))
            kind = int(rng.integers(0, 3))
            if kind == 0:
                data[place] = int(rng.integers(0, 256))
            elif kind == 1:
                del data[place : place + int(rng.integers(1, 40))]
            else:
                data[place:place] = data[place : place + int(rng.integers(1, 40))]
        acts = [answered(200, bytes(data), content_type="text/event-stream"), spoken("again")]
        with talking(*acts) as (_, engine):
            try:
                said = opened(engine).generate(GREEDY)
            except EngineError as refusal:
                assert str(refusal).isprintable()
            else:
                assert said.finish in ("stop", "length")


def test_an_untrusted_certificate_is_refused_at_once(tmp_path):
    """TLS is checked, and no retry makes a certificate better."""
    certificate, private = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        greeted = []

        def greet() -> None:
            connection, _ = listener.accept()
            greeted.append(None)
            with connection, pytest.raises(ssl.SSLError):
                context.wrap_socket(connection, server_side=True)

        thread = threading.Thread(target=greet)
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        engine = RemoteEngine.connect(url, "m", key=KEY)
        with pytest.raises(EngineError, match="certificate that this machine does not trust"):
            opened(engine).generate(GREEDY)
        engine.close()
        thread.join(10)
        assert len(greeted) == 1


def test_a_drop_in_every_place_is_survived():
    """Cut after each byte of a reply: the next attempt brings the turn."""
    pieces = Pieces().words("a", "b").end(usage={"prompt_tokens": 3, "completion_tokens": 2})
    whole = [event_bytes(event) for event in pieces.events]
    for kept in range(len(whole)):
        acts = [dropped(Pieces(pieces.events[:kept])), stream(pieces)]
        with talking(*acts) as (_, engine):
            assert opened(engine).generate(GREEDY).text == "ab"
    assert json.loads(whole[0][6:])
