"""The way a request takes: TLS, proxies, and an end at any moment."""

import base64
import math
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path

import pytest

from agent.engines.remote.engine import RemoteEngine
from agent.engines.remote.request import RequestTurn
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.web import transport as http
from agent.web.body import is_packed, whole_body
from tests.agent.engines.remote.fake_server import (
    Pieces,
    answered,
    endless,
    serving,
    spoken,
    stalled,
)
from tests.agent.engines.remote.remote_scenes import GREEDY, KEY, only_servers_take_time, opened
from tests.agent.engines.remote.self_signed import self_signed
from tests.processes import LONG_S


@pytest.fixture
def tls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server's side, trusted here."""
    certificate, private = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, private)
    return context


def test_a_turn_over_tls_with_its_key(tls):
    with serving(spoken("a", "b"), tls=tls) as server:
        engine = RemoteEngine.connect(server.url.replace("http:", "https:"), "m", key=KEY)
        generated = opened(engine).generate(GREEDY, should_stop=lambda: False)
        engine.close()
        assert generated.text == "ab"
        assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize("pieces", [None, Pieces().words("a")])
def test_a_stop_is_heard_over_tls(tls, pieces):
    with serving(stalled(pieces), tls=tls) as server:
        engine = RemoteEngine.connect(server.url.replace("http:", "https:"), "m", key=KEY)
        stop = threading.Event()
        asked: list[None] = []

        def should_stop() -> bool:
            asked.append(None)
            if len(asked) > 5:
                stop.set()
            return stop.is_set()

        generated = opened(engine).generate(GREEDY, should_stop=should_stop)
        assert generated.finish == "cancelled"
        assert server.hung_up.wait(LONG_S)
        engine.close()


def test_the_proxy_of_the_environment_is_used(monkeypatch):
    with serving(spoken("a")) as proxy:
        named = proxy.url.removesuffix("/v1").replace("//", "//me:sesame@")
        monkeypatch.setenv("http_proxy", named)
        monkeypatch.delenv("no_proxy", raising=False)
        engine = RemoteEngine.connect("http://node7:8000", "m", key=None)
        assert opened(engine).generate(GREEDY, should_stop=lambda: False).text == "a"
        engine.close()
        request = proxy.requests[0]
        assert request.path == "http://node7:8000/v1/chat/completions"
        secret = base64.b64encode(b"me:sesame").decode()
        assert request.headers["proxy-authorization"] == f"Basic {secret}"


def test_this_machine_is_never_reached_by_a_proxy(monkeypatch):
    with serving(spoken("stolen")) as proxy, serving(spoken("a")) as server:
        monkeypatch.setenv("http_proxy", proxy.url)
        engine = RemoteEngine.connect(server.url, "m", key=None)
        assert opened(engine).generate(GREEDY).text == "a"
        engine.close()
        assert proxy.requests == []


# More than the system takes for a server that does not read
LONG_TURNS = [RequestTurn(Turn("user", "x"), picture_url="y" * 2_000_000)] * 9


@contextmanager
def deaf() -> Iterator[str]:
    """A server that takes connections and never reads."""
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"


def test_a_stop_is_heard_while_nobody_reads_the_request(monkeypatch):
    asked: list[None] = []  # since the last piece that could be sent

    def end(timeout: float | None) -> float:
        asked.clear()
        return math.inf

    monkeypatch.setattr(http, "_end", end)
    with deaf() as url:
        engine = RemoteEngine.connect(url, "m", key=None)
        conversation = engine.open()
        conversation._turns += LONG_TURNS
        generated = conversation.generate(
            GREEDY, should_stop=lambda: asked.append(None) or len(asked) > 3
        )
        assert generated.finish == "cancelled"
        engine.close()


def test_a_request_that_nobody_reads_ends_in_time():
    with deaf() as url:
        engine = RemoteEngine.connect(url, "m", key=None, timeout_s=0.3, retries=0)
        conversation = engine.open()
        conversation._turns += LONG_TURNS
        with pytest.raises(EngineError, match=r"no answer within 0\.3 s"):
            conversation.generate(GREEDY)
        engine.close()


def test_a_reply_that_drips_ends_in_time():
    with serving(endless(b": x\n")) as server, only_servers_take_time(server):
        engine = RemoteEngine.connect(server.url, "m", key=None, timeout_s=5.0, turn_s=30.0)
        with pytest.raises(EngineError, match="did not end its answer within 30 s"):
            opened(engine).generate(GREEDY)
        assert len(server.requests) == 1, "another attempt would be as slow"
        assert server.hung_up.wait(LONG_S)
        engine.close()


def test_no_cookie_is_kept_and_no_reason_of_a_server_is_logged(caplog):
    act = answered(200, {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]},
                   set_cookie="a=b; Path=/")  # fmt: skip
    caplog.set_level("INFO", "httpx")
    with serving(act) as server:
        engine = RemoteEngine.connect(server.url, "m", key=None)
        for _ in range(2):
            opened(engine).generate(GREEDY)
        assert not any("cookie" in request.headers for request in server.requests)
        engine.close()
    assert all(record.getMessage().endswith('"HTTP/1.1 200 "') for record in caplog.records)
    caplog.clear()


# Bodies that are longer or packed otherwise than they may be.
class Refused(Exception):
    pass


def test_a_body_of_the_size_that_is_allowed_comes_whole():
    assert whole_body(iter([b"ab", b"", b"cd"]), 4, Refused(), "4") == b"abcd"
    assert whole_body(iter([]), 4, Refused(), "nonsense") == b""


def test_an_endless_body_is_left_after_the_piece_that_is_too_much():
    come = []

    def pieces():
        for piece in repeat(b"x" * 100):
            come.append(piece)
            yield piece

    with pytest.raises(Refused):
        whole_body(pieces(), 1000, Refused())
    assert len(come) == 11


@pytest.mark.parametrize("announced", ["1001", "9" * 5000])
def test_an_announced_size_is_believed_where_it_is_too_large(announced):
    def pieces():
        pytest.fail("the body was read")
        yield b""

    with pytest.raises(Refused):
        whole_body(pieces(), 1000, Refused(), announced)


def test_what_is_packed():
    assert is_packed({"content-encoding": "gzip"}) and is_packed({"content-encoding": " BR "})
    assert not is_packed({"content-encoding": "Identity"}) and not is_packed({})
