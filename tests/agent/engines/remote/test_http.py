"""The way a request takes: TLS, proxies, and an end at any moment."""

from __future__ import annotations

import base64
import ssl
import threading
from pathlib import Path

import pytest

from agent.engines.remote.engine import RemoteEngine
from tests.agent.engines.remote.fake_server import Pieces, serving, spoken, stalled
from tests.agent.engines.remote.remote_scenes import GREEDY, KEY, opened
from tests.agent.engines.remote.self_signed import self_signed


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
        assert server.hung_up.wait(10)
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
