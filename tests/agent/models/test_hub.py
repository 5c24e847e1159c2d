"""Files from a hub that breaks off, lies or refuses."""

import gzip
from pathlib import Path

import pytest

from agent.models import hub as hub_module
from agent.models.download import get_model
from agent.models.folders import models_folder
from agent.models.hub import ALLOW_HTTP, DownloadError, Hub, checked_endpoint, endpoint_warning
from tests.agent.models.fake_hub import (
    COMMIT,
    FETCHED,
    FILES,
    FIRST,
    MORE_WEIGHTS,
    REPO,
    SECRET,
    TOTAL,
    FakeHub,
    fetch,
    running,
)
from tests.trickling import TRICKLES, trickling


def test_a_broken_connection_resumes_where_it_stopped(hub: FakeHub) -> None:
    hub.breaks = [3000, 2000, 0, 1000]
    reports: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: reports.append(done)).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-", "bytes=5000-", "bytes=5000-", "bytes=6000-"]
    assert reports[-1] == TOTAL


def test_a_connection_that_keeps_breaking_ends_with_advice(hub: FakeHub, home: Path) -> None:
    hub.breaks = [3000, 0, 0, 0]
    with pytest.raises(DownloadError) as caught:
        fetch(hub)
    message = str(caught.value)
    assert "stopped at 3000 of 7680 bytes" in message
    assert "Start it again to resume it" in message
    assert f"hf download {REPO} --local-dir spec-o3-3b" in message
    assert str(home / "models" / "spec-o3-3b") in message
    assert "`spec-o3 models path spec-o3-3b`" in message
    assert fetch(hub).is_ready


def test_without_ranges_the_file_starts_over(hub: FakeHub) -> None:
    hub.ignores_ranges = True
    hub.breaks = [3000]
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-"]


def test_without_ranges_a_connection_that_keeps_breaking_is_given_up(hub: FakeHub) -> None:
    hub.ignores_ranges = True
    hub.breaks = [3000, 2000, 2500, 2000, 2500, 2000]
    with pytest.raises(DownloadError, match="stopped at"):
        fetch(hub)


def test_a_response_for_another_range_is_not_used(hub: FakeHub) -> None:
    hub.lies_about_range = True
    hub.breaks = [3000]
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-", ""]


def test_a_busy_server_is_retried(hub: FakeHub) -> None:
    hub.busy = 2
    assert fetch(hub).is_ready
    hub.busy = 99
    with pytest.raises(DownloadError, match=r"does not respond \(status 503\); try again later"):
        fetch(hub, REPO.replace("3b", "7b"))


@pytest.mark.parametrize("part", TRICKLES)
def test_a_list_of_files_that_trickles_is_given_up(
    monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    monkeypatch.setattr(hub_module, "MAX_LISTING_S", 0.3)
    with (
        trickling(part) as (url, _),
        Hub(url) as hub,
        pytest.raises(DownloadError, match=r"did not end in 0\.3 s"),
    ):
        hub.listing(REPO)


def test_a_file_with_a_wrong_hash_is_deleted(hub: FakeHub, home: Path) -> None:
    right = hub.files[FIRST]
    listing = hub.listing()
    hub.files[FIRST] = bytes(len(right))
    hub.answer = listing
    with pytest.raises(DownloadError, match="has another hash than the hub lists"):
        fetch(hub)
    partial = home / "models" / "spec-o3-3b.partial"
    assert not list(partial.glob(f"{FIRST}*"))
    assert not (home / "models" / "spec-o3-3b").exists()
    hub.files[FIRST] = right
    assert fetch(hub).is_ready


def test_small_files_are_checked_too(hub: FakeHub) -> None:
    hub.listed["tokenizer.json"] = {"blobId": "ab" * 20}
    with pytest.raises(DownloadError, match=r"tokenizer\.json .* another hash"):
        fetch(hub)


def test_a_part_from_another_commit_is_fetched_again(hub: FakeHub, home: Path) -> None:
    part = home / "models" / "spec-o3-3b.partial" / f"{FIRST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"old" * 500)
    reports: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: reports.append(done)).is_ready
    assert hub.ranges(FIRST) == ["bytes=1500-", ""]
    assert reports[-1] == TOTAL


def test_a_part_that_is_too_long_is_fetched_again(hub: FakeHub, home: Path) -> None:
    part = home / "models" / "spec-o3-3b.partial" / f"{FIRST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(len(MORE_WEIGHTS) + 1))
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == [""]


def test_a_server_that_sends_too_much_fills_no_disk(hub: FakeHub) -> None:
    hub.answer = hub.listing()
    hub.files[FIRST] += b"x" * 5_000_000
    assert fetch(hub).is_ready, "the first bytes are right"


def test_a_gated_model_needs_a_token_which_is_never_shown(hub: FakeHub) -> None:
    hub.gated = True
    with pytest.raises(DownloadError, match=r"accept its terms at http.*HF_TOKEN"):
        fetch(hub)
    with pytest.raises(DownloadError) as caught:
        fetch(hub, token="hf_wrong_but_secret")
    assert "secret" not in str(caught.value)
    assert fetch(hub, token=SECRET).is_ready
    assert "secret" not in (models_folder() / "spec-o3-3b" / "model.toml").read_text()


def test_a_token_stays_with_the_hub(hub: FakeHub) -> None:
    with running(FakeHub(dict(FILES))) as elsewhere:
        hub.redirects_to = elsewhere.endpoint
        assert fetch(hub, token=SECRET).is_ready
        assert all(token for _, _, token in hub.requests)
        assert elsewhere.requests
        assert not any(token for _, _, token in elsewhere.requests)


def test_the_environment_names_a_mirror(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint + "/")
    assert get_model("spec-o3-3b").is_ready


@pytest.mark.parametrize("answer", [
    b"",
    b"<html>",
    b"[]",
    b"{}",
    b"[" * 100_000,
    b'{"sha": "../..", "siblings": []}',
    b'{"sha": 5, "siblings": []}',
    b'{"sha": "%s", "siblings": 5}' % COMMIT.encode(),
    b'{"sha": "%s", "siblings": [{"rfilename": "a.json"}]}' % COMMIT.encode(),
    b'{"sha": "%s", "siblings": [{"rfilename": "a.json", "size": -1}]}' % COMMIT.encode(),
    b'{"sha": "%s", "siblings": [{"rfilename": "a.json", "size": 5}]}' % COMMIT.encode(),
    b'{"sha": "%s", "siblings": []}' % COMMIT.encode(),
])  # fmt: skip
def test_a_malformed_listing_is_refused(hub: FakeHub, answer: bytes, home: Path) -> None:
    hub.answer = answer
    with pytest.raises(DownloadError):
        fetch(hub)
    assert len(hub.requests) == 1


def test_a_listing_is_bounded(hub: FakeHub) -> None:
    hub.answer = b'{"pad": "%s",' % (b"y" * 17_000_000) + hub.listing()[1:]
    with pytest.raises(DownloadError, match="too long for a model"):
        fetch(hub)


def test_names_in_a_listing_stay_inside_the_folder(hub: FakeHub, home: Path) -> None:
    for name in ("../evil.json", "/evil.json", "a\\..\\evil.json", ".evil.json", "e/vil.json"):
        hub.files[name] = b"{}"
    fetch(hub)
    assert {entry.name for entry in (home / "models" / "spec-o3-3b").iterdir()} == FETCHED | {
        "model.toml"
    }
    assert not list(home.rglob("*evil*"))


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


@pytest.mark.parametrize(("endpoint", "target", "words"), [
    ("https://hub.example", "http://hub.example/x", "without encryption"),
    ("https://hub.example", "http://169.254.169.254/x", "without encryption"),
    ("https://hub.example", "https://169.254.169.254/x", "into your own network"),
    ("https://hub.example", "https://10.0.0.1/x", "into your own network"),
    ("https://hub.example", "https://[::1]/x", "into your own network"),
    ("https://hub.example", "https://localhost/x", "into your own network"),
    ("https://hub.example", "http://localhost/x", "into your own network"),
])  # fmt: skip
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
