"""Addresses a person may type, and what may be sent there."""

from __future__ import annotations

import pytest

from agent.engines.remote.address import read_address
from agent.errors import EngineError


@pytest.mark.parametrize(
    ("text", "root"),
    [
        ("http://localhost:8000", "http://localhost:8000/v1"),
        ("http://localhost:8000/", "http://localhost:8000/v1"),
        (" http://127.0.0.1:8000/v1/ ", "http://127.0.0.1:8000/v1"),
        ("http://[::1]:9/v1", "http://[::1]:9/v1"),
        ("https://API.openai.com/v1/chat/completions", "https://api.openai.com/v1"),
        ("https://api.openai.com:443", "https://api.openai.com/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("http://gpu-node:8000", "http://gpu-node:8000/v1"),
    ],
)
def test_an_address_becomes_the_root(text, root):
    assert read_address(text).root == root


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost:8000",
        "ftp://localhost/v1",
        "http://",
        "http:///v1",
        "http://host:99999/v1",
        "http://host:0/v1",
        "https://host/v1?api_key=abc",
        "https://host/v1#x",
        "http://[::1",
        "https://" + "a" * 3000,
        "https://a\x00b/v1",
    ],
)
def test_what_is_no_address_is_refused_in_one_line(text):
    with pytest.raises(EngineError) as refusal:
        read_address(text)
    assert "\n" not in str(refusal.value)
    assert len(str(refusal.value)) < 400


def test_a_password_in_an_address_is_refused_and_not_repeated():
    with pytest.raises(EngineError) as refusal:
        read_address("https://me:sesame@host/v1")
    assert "sesame" not in str(refusal.value)


def test_a_secret_in_a_query_is_not_repeated():
    with pytest.raises(EngineError) as refusal:
        read_address("https://host/v1?key=sesame")
    assert "sesame" not in str(refusal.value)


def test_plain_http_goes_to_near_hosts_alone():
    for near in (
        "localhost",
        "127.9.9.9",
        "192.168.1.7",
        "10.1.1.1",
        "node7",
        "a.local",
        "[fd00::1]",
    ):
        assert not read_address(f"http://{near}:8000").is_secure
    for far in ("8.8.8.8", "gpu.example.org", "local.example.org"):
        with pytest.raises(EngineError, match="https"):
            read_address(f"http://{far}:8000")
        assert read_address(f"http://{far}:8000", allow_http=True).host == far
        assert read_address(f"https://{far}").is_secure


def test_a_key_may_go_over_https_or_stay_on_this_machine():
    assert read_address("https://example.org").may_receive_key
    assert read_address("http://localhost:1").may_receive_key
    assert read_address("http://127.0.0.1:1").may_receive_key
    assert not read_address("http://192.168.1.7").may_receive_key
    assert not read_address("http://localhost.example.org", allow_http=True).may_receive_key
    assert not read_address("http://0.0.0.0:8000").may_receive_key


def test_another_port_or_road_is_another_server():
    one = read_address("http://localhost:8000/v1")
    assert one.has_same_origin(read_address("http://localhost:8000/other"))
    assert not one.has_same_origin(read_address("http://localhost:8001/v1"))
    assert not one.has_same_origin(read_address("https://localhost:8000/v1"))
