"""Only a hub that is encrypted, or on this machine, is asked for a model."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from agent.models.download import get_model
from agent.models.hub import Hub
from agent.models.hub_address import (
    ALLOW_HTTP,
    DownloadError,
    checked_endpoint,
    endpoint_warning,
)
from tests.agent.models.fake_hub import SECRET, FakeHub, fetch


@pytest.mark.parametrize(
    "endpoint", ["http://hf-mirror.example", "http://192.168.0.9:8090", "http://127.0.0.1.example"]
)
def test_a_hub_without_encryption_is_refused(
    endpoint: str, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint)
    with pytest.raises(DownloadError, match=rf"is not encrypted.*{ALLOW_HTTP}=1"):
        get_model("spec-o3-3b")
    monkeypatch.setenv(ALLOW_HTTP, "1")
    assert checked_endpoint(None) == endpoint
    assert "may be replaced on the way" in endpoint_warning()


@pytest.mark.parametrize("endpoint", ["https://hf-mirror.example", "http://localhost:1234"])
def test_others_need_no_warning(endpoint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", endpoint + "/")
    assert checked_endpoint(None) == endpoint
    assert endpoint_warning() == ""


@pytest.mark.parametrize(
    "endpoint", ["file:///etc", "ftp://a.example", "hf.example", "https://", "http://[::1", "x://y"]
)
def test_what_is_no_address_is_refused(endpoint: str) -> None:
    with pytest.raises(DownloadError, match="is not an address such as"):
        checked_endpoint(endpoint)


def test_a_password_in_the_address_is_not_shown(hub: FakeHub) -> None:
    host = hub.endpoint.removeprefix("http://")
    with Hub(f"http://me:{SECRET}@{host}") as client:
        assert client.endpoint == hub.endpoint
        assert client.listing("Maxwell-Jia/spec-o3-3b").files
        with pytest.raises(DownloadError) as caught:
            client.listing("some/thing")
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("endpoint", "target", "words"),
    [
        ("https://hub.example", "http://hub.example/x", "without encryption"),
        ("https://hub.example", "http://169.254.169.254/x", "without encryption"),
        ("https://hub.example", "https://169.254.169.254/x", "into your own network"),
        ("https://hub.example", "https://10.0.0.1/x", "into your own network"),
        ("https://hub.example", "https://[::1]/x", "into your own network"),
        ("https://hub.example", "https://localhost/x", "into your own network"),
        ("https://hub.example", "http://localhost/x", "into your own network"),
    ],
)
def test_a_redirect_to_a_worse_place_is_refused(endpoint: str, target: str, words: str) -> None:
    with Hub(endpoint) as client:
        request = client._client.build_request("GET", target)
        with pytest.raises(DownloadError, match=words):
            client._check_target(request)
        for fine in ("https://cdn.example/x", "https://hub.example/x", "https://8.8.8.8/x"):
            client._check_target(client._client.build_request("GET", fine))


@pytest.mark.parametrize("place", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "http://"])
def test_a_redirect_to_no_web_page_is_refused(hub: FakeHub, place: str) -> None:
    hub.redirects_to = place
    with pytest.raises(DownloadError):
        fetch(hub)


def test_a_compressed_answer_is_refused(hub: FakeHub) -> None:
    hub.headers = {"Content-Encoding": "gzip"}
    hub.answer = gzip.compress(bytes(1 << 24))
    with pytest.raises(DownloadError, match="compressed"):
        fetch(hub)
