"""A download from start to finish."""

import hashlib
import socket
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from agent.errors import ResourceError
from agent.models import registry
from agent.models.card import ModelFile, Source
from agent.models.card_file import CARD_NAME, read_card, write_card
from agent.models.check_files import check_files
from agent.models.download import get_model
from agent.models.hub import DownloadError
from agent.models.infer_card import make_card
from agent.models.registry import find_model, is_partly_downloaded, published_model
from agent.rendering.render import COMPACT
from tests.agent.models.fake_hub import (
    COMMIT,
    FETCHED,
    FILES,
    FIRST,
    MORE_WEIGHTS,
    REPO,
    TOTAL,
    WEIGHTS,
    FakeHub,
    fetch,
    put,
)
from tests.processes import LONG_S

NEXT = "beef" * 10


def test_a_download_is_whole_checked_and_has_a_card(hub: FakeHub, home: Path) -> None:
    reports: list[tuple[str, int, int]] = []
    location = fetch(hub, progress=lambda *now: reports.append(now))
    folder = home / "models" / "spec-o3-3b"
    assert (location.folder, location.origin, location.is_ready) == (folder, "user", True)
    assert {entry.name for entry in folder.iterdir()} == FETCHED | {"model.toml"}
    assert all((folder / name).read_bytes() == FILES[name] for name in FETCHED)
    assert reports[-1][1:] == (TOTAL, TOTAL)
    assert [done for _, done, _ in reports] == sorted(done for _, done, _ in reports)
    card = read_card(folder)
    assert card.source is not None
    assert (card.source.repo, card.source.revision) == (REPO, COMMIT)
    assert card.licence == "apache-2.0"
    assert card.title == "Spec-o3 3B, as published"
    assert {file.path for file in card.files if file.sha256} == FETCHED
    check_files(card, folder, on_bytes=lambda count: pytest.fail("hashed a second time"))
    assert find_model("spec-o3-3b") == location
    assert not is_partly_downloaded(location)


def test_what_is_there_is_not_fetched_again(hub: FakeHub) -> None:
    location = fetch(hub)
    before = len(hub.requests)
    assert fetch(hub) == location
    assert fetch(hub, REPO) == location
    assert len(hub.requests) == before


def test_a_stopped_download_is_resumed(hub: FakeHub) -> None:
    def stop(file: str, done: int, total: int) -> None:
        if file != FIRST and file.startswith("model") and done > TOTAL - len(WEIGHTS):
            raise KeyboardInterrupt

    hub.breaks = [10**9, 4000]
    with pytest.raises(KeyboardInterrupt):
        fetch(hub, progress=stop)
    location = find_model("spec-o3-3b")
    assert location.origin == "hub" and not location.is_ready
    assert is_partly_downloaded(location)
    hub.requests.clear()
    reports: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: reports.append(done)).is_ready
    fetched = [(path.rpartition("/")[2], span) for path, span, _ in hub.requests]
    assert fetched[1:] == [("model-00001-of-00002.safetensors", "bytes=4000-")]
    assert reports[0] == TOTAL - len(WEIGHTS) + 4000


def test_no_such_repository(hub: FakeHub) -> None:
    with pytest.raises(DownloadError, match="has no repository some/thing"):
        fetch(hub, "some/thing")
    with pytest.raises(ResourceError, match='nothing to download named "nothing"'):
        fetch(hub, "nothing")
    with pytest.raises(ResourceError, match="nothing to download"):
        fetch(hub, "../../etc")


def test_without_a_network_the_error_explains_the_manual_steps(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
        monkeypatch.setenv("HF_ENDPOINT", closed)
        with pytest.raises(DownloadError) as caught:
            get_model("spec-o3-3b")
    message = str(caught.value)
    assert f"cannot connect to {closed}" in message
    assert f"https://huggingface.co/{REPO}" in message
    assert str(home / "models" / "spec-o3-3b") in message


def test_offline_by_choice(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DownloadError, match="HF_HUB_OFFLINE forbids"):
        fetch(hub)
    assert not hub.requests


def test_no_room_on_the_disk(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    free = SimpleNamespace(total=10**9, used=0, free=TOTAL)
    monkeypatch.setattr("agent.models.download.shutil.disk_usage", lambda path: free)
    with pytest.raises(DownloadError, match=r"are free at .*SPEC_O3_MODELS"):
        fetch(hub)
    assert len(hub.requests) == 1


def test_a_folder_that_cannot_be_written(hub: FakeHub, home: Path) -> None:
    (home / "models").write_text("a file")
    with pytest.raises(DownloadError, match=r"models could not be written.*SPEC_O3_MODELS"):
        fetch(hub)


def test_a_model_of_another_kind_is_refused_before_its_weights_come(hub: FakeHub) -> None:
    hub.files["config.json"] = b'{"model_type": "llama"}'
    with pytest.raises(ResourceError, match='type "llama"'):
        fetch(hub)
    assert not hub.ranges(FIRST)


def test_pickled_weights_are_never_fetched(hub: FakeHub) -> None:
    hub.files = {"config.json": FILES["config.json"], "pytorch_model.bin": b"x" * 2000}
    with pytest.raises(DownloadError, match="only pickled weights, which are never loaded"):
        fetch(hub)
    assert len(hub.requests) == 1


def test_one_of_many_gguf_files_is_not_guessed(hub: FakeHub) -> None:
    hub.files = {f"spec-{kind}.gguf": b"GGUF" * 300 for kind in ("f16", "q8_0")}
    with pytest.raises(DownloadError, match="2 GGUF models, such as spec-"):
        fetch(hub)


def test_two_at_once_do_not_mix(hub: FakeHub) -> None:
    hub.hold = threading.Event()
    done: list[object] = []
    first = threading.Thread(target=lambda: done.append(fetch(hub)))
    first.start()
    try:
        assert hub.reached.wait(LONG_S)
        with pytest.raises(DownloadError, match="another program is downloading it now"):
            fetch(hub)
    finally:
        hub.hold.set()
        first.join()
    assert done
    assert done[0].is_ready


def test_another_repository_brings_its_own_card(hub: FakeHub, monkeypatch, home: Path) -> None:
    monkeypatch.setattr("tests.agent.models.fake_hub.REPO", "me/My-Nano")
    theirs = put(home / "theirs", {name: FILES[name] for name in FETCHED})
    card = make_card(theirs, name="nano-7", title="Mine", style=COMPACT, simulated_only=True)
    hub.files["model.toml"] = write_card(card, theirs).read_bytes()
    location = fetch(hub, "me/My-Nano")
    assert location.folder == home / "models" / "My-Nano"
    assert (location.card.name, location.card.title) == ("My-Nano", "Mine")
    assert (location.card.style, location.card.simulated_only) == (COMPACT, True)
    assert location.card.source is not None
    assert location.card.source.revision == COMMIT


def test_a_folder_copied_by_hand_is_completed(hub: FakeHub, home: Path) -> None:
    folder = home / "models" / "spec-o3-3b"
    put(folder, {"config.json": FILES["config.json"], FIRST: MORE_WEIGHTS[:5000]})
    assert fetch(hub).is_ready
    assert hub.ranges("config.json") == []
    assert hub.ranges(FIRST) == ["bytes=5000-"]


def test_two_unfinished_folders_are_left_to_the_user(hub: FakeHub, home: Path) -> None:
    put(home / "models" / "spec-o3-3b", {"config.json": b"{}"})
    (home / "models" / "spec-o3-3b.partial").mkdir()
    with pytest.raises(DownloadError, match="both exist and both are incomplete"):
        fetch(hub)
    assert (home / "models" / "spec-o3-3b" / "config.json").exists()


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
