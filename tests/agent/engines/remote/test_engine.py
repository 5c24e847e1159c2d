"""The remote engine against a server that plays a script."""

from __future__ import annotations

import math

import pytest

from agent.engines.remote.engine import RemoteEngine
from agent.errors import EngineError
from tests.agent.engines.remote.fake_clock import FakeClock
from tests.agent.engines.remote.fake_server import answered, refused, serving, spoken
from tests.agent.engines.remote.remote_scenes import KEY


@pytest.mark.parametrize(
    ("url", "model", "native"),
    [
        ("https://api.openai.com", "o3", True),
        ("https://example.org", "Maxwell-Jia/Spec-o3-7B", False),
        ("http://localhost:8000", "gpt-oss", False),
        ("http://192.168.0.9:8000", "qwen", False),
    ],
)
def test_the_form_of_calls_follows_address_and_name(url, model, native):
    engine = RemoteEngine.connect(url, model, key=None)
    assert engine._servers.first.dialect.native is native
    engine.close()


def test_the_only_model_is_found():
    models = {"data": [{"id": "tiny"}]}
    with serving(refused(503, "starting"), answered(200, models), spoken("a")) as server:
        engine = RemoteEngine.connect(server.url, key=None, clock=FakeClock())
        assert engine.model == "tiny"
        assert [request.path for request in server.requests] == ["/v1/models"] * 2
        engine.close()


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (answered(200, {"data": []}), "0 models"),
        (answered(200, {"data": [{"id": "a"}, {"id": "b\x1b"}]}), r"2 models: add one .*\(a, b\)"),
        (answered(200, {"data": [{"id": 7}, None, {}]}), "0 models"),
        (answered(200, {"data": 7}), "0 models"),
        (answered(200, {"data": [{"id": "x" * 1000}]}), "1 models"),
        (answered(200, []), "chat protocol"),
        (answered(200, b"<html>"), "chat protocol"),
        (refused(404, "not here"), "does not list its models.*not here"),
    ],
)
def test_a_list_without_the_one_model_is_refused(answer, words):
    with serving(answer) as server, pytest.raises(EngineError, match=words):
        RemoteEngine.connect(server.url, key=None)


def test_a_key_never_travels_unencrypted():
    with pytest.raises(EngineError, match="unencrypted") as refusal:
        RemoteEngine.connect("http://192.168.0.9:8000", "m", key=KEY)
    assert KEY not in str(refusal.value)
    asked: list[str] = []
    engine = RemoteEngine.connect("http://192.168.0.9:8000", "m", key=asked.append)
    assert asked == []
    engine.close()
    engine = RemoteEngine.connect("https://example.org", "m", key=lambda host: asked.append(host))
    assert asked == ["example.org"]
    engine.close()


@pytest.mark.parametrize("timeout_s", [0, -1, math.nan, 1e9])
def test_absurd_timeouts_are_refused(timeout_s):
    with pytest.raises(EngineError, match="timeout"):
        RemoteEngine.connect("http://localhost:1", "m", key=None, timeout_s=timeout_s)
