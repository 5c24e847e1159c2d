"""Requests to a server: redirects, keys, and responses that are none."""

import json
import logging
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from agent.engines.remote.address import read_address
from agent.engines.remote.client import HttpClient, only_model, require_model
from agent.engines.remote.engine import RemoteEngine
from agent.engines.remote.errors import TransientError
from agent.errors import EngineError
from tests.agent.engines.remote.fake_server import (
    Act,
    FakeClock,
    answered,
    refused,
    serving,
    spoken,
)
from tests.agent.engines.remote.remote_scenes import GREEDY, KEY, opened, refusal_of, talking, usage
from tests.agent.engines.remote.self_signed import self_signed


def test_a_closed_engine_says_so():
    with talking(spoken("a")) as (_, engine):
        conversation = opened(engine)
        engine.close()
        with pytest.raises(EngineError, match="closed"):
            conversation.generate(GREEDY)


def test_the_key_goes_into_one_header_and_nowhere_else(caplog):
    caplog.set_level(logging.DEBUG)
    echo = refused(401, f"wrong key {KEY}!")
    with talking(spoken("a", usage=usage(1, 1)), echo, key=KEY) as (server, engine):
        conversation = opened(engine)
        generated = conversation.generate(GREEDY)
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
        refusal = r"requires a valid API key \(wrong key \*\*\*!\)"
        with pytest.raises(EngineError, match=refusal) as no:
            conversation.generate(GREEDY)
        shown = [repr(engine), repr(generated), repr(conversation.usage), repr(conversation.mark())]
        shown += [str(no.value), repr(no.value), repr(vars(engine._servers.first)), caplog.text]
        assert KEY not in "".join(shown) + json.dumps(server.bodies)


def test_a_key_that_is_missing_is_asked_for():
    refusal = pytest.raises(EngineError, match="set SPEC_O3_API_KEY")
    with talking(refused(401, "no key")) as (_, engine), refusal:
        opened(engine).generate(GREEDY)


@pytest.mark.parametrize(
    "act", [answered(204), answered(201, {}), answered(304), answered(300), answered(302)]
)
def test_a_status_that_is_no_answer_is_refused(act):
    assert refusal_of(act)


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


def test_another_host_is_not_followed():
    with serving(spoken("stolen")) as other:
        elsewhere = answered(307, {}, location=f"{other.url}/chat/completions")
        words = refusal_of(elsewhere, key=KEY)
        assert f"moved to http://127.0.0.1:{other.server_port}/v1" in words
        assert other.requests == []


@pytest.mark.parametrize(("where", "words"), [
    ("file:///etc/passwd", "redirects to an invalid address"),
    ("http://[::1", "the connection broke"),  # httpx takes it for a broken answer
    ("https://me:sesame@example.org/", "redirects to an invalid address"),
    ("http://[", "moved to http://%5b/v1"),
    ("http://a\u202eb/", "the connection broke"),
    ("", "loop"),
    ("x" * 5000, "redirects to an invalid address"),
])  # fmt: skip
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
        thread.join()
        assert len(greeted) == 1


@contextmanager
def asking(*acts: Act) -> Iterator[HttpClient]:
    with serving(*acts) as server:
        client = HttpClient(read_address(server.url), None, FakeClock(), 5.0)
        try:
            yield client
        finally:
            client.close()


def listing(*names: object) -> Act:
    return answered(200, {"data": [{"id": name} for name in names]})


def test_the_only_model_is_named():
    with asking(listing("m"), listing("m", "n"), listing(), refused(404, "no")) as client:
        assert only_model(client) == "m"
        with pytest.raises(EngineError, match=r"lists 2 models: add one .* as #MODEL \(m, n\)"):
            only_model(client)
        with pytest.raises(EngineError, match="lists 0 models"):
            only_model(client)
        with pytest.raises(EngineError, match=r"does not list its models: .*404.*; add #MODEL"):
            only_model(client)


def test_a_model_is_required_where_models_are_listed():
    with asking(listing("m", 7, "n"), refused(404, "no"), listing(), listing("n")) as client:
        require_model(client, "m")
        require_model(client, "m")  # it lists nothing, but it answers
        require_model(client, "m")
        with pytest.raises(EngineError, match="does not serve m, but n"):
            require_model(client, "m")


def test_a_server_that_is_busy_may_answer_later():
    with asking(answered(503, {}, retry_after="3")) as client:
        with pytest.raises(TransientError) as fault:
            require_model(client, "m")
        assert fault.value.is_busy and fault.value.retry_after_s == 3
