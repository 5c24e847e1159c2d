"""A model keeps the commit and the files that its download began with."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import ResourceError
from agent.models import registry
from agent.models.card import ModelFile, Source
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.hub_address import DownloadError
from agent.models.registry import find_model, published_model
from tests.agent.models.fake_hub import COMMIT, FILES, FIRST, REPO, FakeHub, fetch

NEXT = "beef" * 10


def begin(hub: FakeHub) -> None:
    """A download that stops in the middle."""
    hub.breaks = [3000, 0, 0, 0]
    with pytest.raises(DownloadError, match="stopped at"):
        fetch(hub)


def test_a_resumed_download_stays_at_its_commit(hub: FakeHub) -> None:
    begin(hub)
    hub.requests.clear()
    assert fetch(hub).is_ready
    assert hub.requests[0][0] == f"/api/models/{REPO}/revision/{COMMIT}"
    folder = find_model("spec-o3-3b").folder
    assert folder is not None
    assert not list(folder.glob(".*"))


def test_other_weights_for_the_same_commit_are_refused(hub: FakeHub, home: Path) -> None:
    begin(hub)
    right = hub.files[FIRST]
    hub.files[FIRST] = bytes(len(right))
    with pytest.raises(DownloadError, match=rf"{FIRST} of .* is not what it was at commit c0ffee"):
        fetch(hub)
    del hub.files[FIRST]
    with pytest.raises(DownloadError, match="is not what it was"):
        fetch(hub)
    hub.files[FIRST] = right
    assert fetch(hub).is_ready


def test_a_small_file_changed_for_the_same_commit_is_refused(hub: FakeHub) -> None:
    begin(hub)
    hub.files["tokenizer.json"] = b"[]"
    with pytest.raises(DownloadError, match=r"tokenizer\.json of .* is not what it was"):
        fetch(hub)


def test_a_commit_that_is_gone_is_told(hub: FakeHub) -> None:
    begin(hub)
    hub.commit = NEXT
    with pytest.raises(DownloadError, match=r"no longer has this commit.*start again"):
        fetch(hub)


def test_a_listing_of_another_commit_is_refused(hub: FakeHub) -> None:
    begin(hub)
    hub.answer = hub.listing().replace(COMMIT.encode(), NEXT.encode())
    with pytest.raises(DownloadError, match="of another commit"):
        fetch(hub)


def test_an_incomplete_model_is_completed_from_its_commit(hub: FakeHub) -> None:
    folder = fetch(hub).folder
    assert folder is not None
    (folder / FIRST).unlink()
    hub.files[FIRST] = bytes(len(FILES[FIRST]))
    with pytest.raises(DownloadError, match="is not what it was at commit"):
        fetch(hub)
    hub.files[FIRST] = FILES[FIRST]
    assert fetch(hub).is_ready
    (folder / "tokenizer.json").unlink()
    hub.files["tokenizer.json"] = b"[]"
    with pytest.raises(DownloadError, match="is not what it was at commit"):
        fetch(hub)


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"repo": 7}', b'{"repo": "%s"}' % REPO.encode()]
)
def test_a_damaged_record_is_as_none(hub: FakeHub, home: Path, content: bytes) -> None:
    begin(hub)
    (home / "models" / "spec-o3-3b.partial" / ".download.json").write_bytes(content)
    assert fetch(hub).is_ready


def test_a_commit_can_be_asked_for(hub: FakeHub) -> None:
    location = fetch(hub, f"{REPO}@{COMMIT}")
    assert location.card.source == Source(repo=REPO, revision=COMMIT)
    assert fetch(hub, f"spec-o3-3b@{COMMIT}") == location
    with pytest.raises(ResourceError, match="another commit than beefbeef"):
        fetch(hub, f"{REPO}@{NEXT}")
    with pytest.raises(ResourceError, match='"main" is not a commit'):
        fetch(hub, f"{REPO}@main")


def test_a_published_card_may_name_the_commit_and_the_hashes(
    hub: FakeHub, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = published_model("spec-o3-3b")
    assert published is not None
    files = tuple(
        ModelFile(
            role="weights" if name.endswith("safetensors") else "config",
            path=name,
            size=len(FILES[name]),
            sha256=hashlib.sha256(FILES[name]).hexdigest(),
        )
        for name in (FIRST, "config.json")
    )
    card = replace(published, files=files, source=Source(repo=REPO, revision=COMMIT))
    (home / "bundled" / "spec-o3-3b").mkdir(parents=True)
    write_card(card, home / "bundled" / "spec-o3-3b")
    monkeypatch.setattr(registry, "BUNDLED", home / "bundled")
    assert find_model("spec-o3-3b").origin == "hub"
    for name in (FIRST, "config.json"):
        hub.files[name] = FILES[name].replace(b"\x07", b"\x08").replace(b"vl", b"vl ")
        with pytest.raises(DownloadError, match="is not what it was at commit c0ffee"):
            fetch(hub)
        hub.files[name] = FILES[name]
    assert fetch(hub).is_ready
    assert read_card(home / "models" / "spec-o3-3b" / CARD_NAME).source == card.source
