"""Which models there are, and fetching one from a small hub on loopback."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from agent.errors import ResourceError
from agent.models.card import Card, ServerAddress
from agent.models.card_file import read_card, write_card
from agent.models.check_files import check_files
from agent.models.download import get_model
from agent.models.hub import DownloadError
from agent.models.infer_card import make_card
from agent.models.registry import (
    find_model,
    is_partly_downloaded,
    list_models,
    model_at,
    models_folder,
    published_model,
)
from agent.rendering.render import COMPACT
from tests.agent.models.fake_hub import COMMIT, REPO, SECRET, FakeHub, running

WEIGHTS = bytes(range(256)) * 40
MORE_WEIGHTS = bytes(reversed(range(256))) * 30
FILES = {
    "README.md": b"# a model",
    "config.json": json.dumps({"model_type": "qwen2_5_vl"}).encode(),
    "model-00001-of-00002.safetensors": WEIGHTS,
    "model-00002-of-00002.safetensors": MORE_WEIGHTS,
    "modeling.py": b"raise SystemExit",
    "tokenizer.json": b"{}",
    "training_args.bin": b"pickle" * 300,
    "checkpoint-7/model.safetensors": b"x" * 2000,
}
FETCHED = {name for name in FILES if name.endswith((".json", ".safetensors")) and "/" not in name}
TOTAL = sum(len(FILES[name]) for name in FETCHED)
FIRST = "model-00002-of-00002.safetensors"
"""The smaller of the two comes first."""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing of this machine's user: folder, cache, memory of hashes, tokens, proxies."""
    for name in ("HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setattr(
        "agent.models.check_files.user_cache_path", lambda *_, **__: tmp_path / "cache"
    )
    monkeypatch.setattr("agent.models.download.get_token", lambda: None)
    return tmp_path


@pytest.fixture
def hub() -> Iterator[FakeHub]:
    with running(FakeHub(dict(FILES))) as fake:
        yield fake


def fetch(hub: FakeHub, name: str = "spec-o3-3b", **options: object):
    return get_model(name, endpoint=hub.endpoint, waits_s=(0.0, 0.0), **options)


def put(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return folder


# fetching


def test_a_download_is_whole_checked_and_has_a_card(hub: FakeHub, home: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    location = fetch(hub, progress=lambda *now: heard.append(now))
    folder = home / "models" / "spec-o3-3b"
    assert (location.folder, location.origin, location.is_ready) == (folder, "user", True)
    assert {entry.name for entry in folder.iterdir()} == FETCHED | {"model.toml"}
    assert all((folder / name).read_bytes() == FILES[name] for name in FETCHED)
    assert heard[-1][1:] == (TOTAL, TOTAL)
    assert [done for _, done, _ in heard] == sorted(done for _, done, _ in heard)
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
    before = len(hub.asked)
    assert fetch(hub) == location
    assert fetch(hub, REPO) == location
    assert len(hub.asked) == before


def test_a_broken_connection_goes_on_where_it_stopped(hub: FakeHub) -> None:
    hub.breaks = [3000, 2000, 0, 1000]
    heard: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: heard.append(done)).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-", "bytes=5000-", "bytes=5000-", "bytes=6000-"]
    assert heard[-1] == TOTAL


def test_a_download_that_was_stopped_goes_on_next_time(hub: FakeHub) -> None:
    def stop(file: str, done: int, total: int) -> None:
        if file != FIRST and file.startswith("model") and done > TOTAL - len(WEIGHTS):
            raise KeyboardInterrupt

    hub.breaks = [10**9, 4000]
    with pytest.raises(KeyboardInterrupt):
        fetch(hub, progress=stop)
    location = find_model("spec-o3-3b")
    assert (location.origin, location.is_ready, is_partly_downloaded(location)) == (
        "hub",
        False,
        True,
    )
    hub.asked.clear()
    heard: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: heard.append(done)).is_ready
    asked = [(path.rpartition("/")[2], span) for path, span, _ in hub.asked]
    assert asked[1:] == [("model-00001-of-00002.safetensors", "bytes=4000-")]
    assert heard[0] == TOTAL - len(WEIGHTS) + 4000


def test_a_connection_that_keeps_breaking_ends_with_what_to_do(hub: FakeHub, home: Path) -> None:
    hub.breaks = [3000, 0, 0, 0]
    with pytest.raises(DownloadError) as caught:
        fetch(hub)
    says = str(caught.value)
    assert "broke off at 3000 of 7680 bytes" in says
    assert "what has come is kept" in says
    assert f"hf download {REPO} --local-dir spec-o3-3b" in says
    assert str(home / "models" / "spec-o3-3b") in says
    assert "`spec-o3 models path spec-o3-3b`" in says
    assert fetch(hub).is_ready


def test_a_server_without_ranges_gives_it_from_the_start(hub: FakeHub) -> None:
    hub.ignores_ranges = True
    hub.breaks = [3000]
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-"]


def test_a_server_without_ranges_that_keeps_breaking_is_given_up(hub: FakeHub) -> None:
    hub.ignores_ranges = True
    hub.breaks = [3000, 2000, 2500, 2000, 2500, 2000]
    with pytest.raises(DownloadError, match="broke off at"):
        fetch(hub)


def test_an_answer_from_another_place_in_the_file_is_not_taken(hub: FakeHub) -> None:
    hub.lies_about_range = True
    hub.breaks = [3000]
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == ["", "bytes=3000-", ""]


def test_a_busy_server_is_asked_again(hub: FakeHub) -> None:
    hub.busy = 2
    assert fetch(hub).is_ready
    hub.busy = 99
    with pytest.raises(DownloadError, match=r"does not answer \(status 503\); try later"):
        fetch(hub, REPO.replace("3b", "7b"))


def test_a_wrong_hash_is_thrown_away(hub: FakeHub, home: Path) -> None:
    right = hub.files[FIRST]
    listing = hub.listing()
    hub.files[FIRST] = bytes(len(right))
    hub.answer = listing
    with pytest.raises(DownloadError, match="came with another hash than the hub told"):
        fetch(hub)
    partial = home / "models" / "spec-o3-3b.partial"
    assert not list(partial.glob(f"{FIRST}*"))
    assert not (home / "models" / "spec-o3-3b").exists()
    hub.files[FIRST] = right
    assert fetch(hub).is_ready


def test_small_files_are_checked_too(hub: FakeHub) -> None:
    hub.told["tokenizer.json"] = {"blobId": "ab" * 20}
    with pytest.raises(DownloadError, match=r"tokenizer\.json .* another hash"):
        fetch(hub)


def test_what_lay_there_from_another_commit_is_fetched_anew(hub: FakeHub, home: Path) -> None:
    part = home / "models" / "spec-o3-3b.partial" / f"{FIRST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"old" * 500)
    heard: list[int] = []
    assert fetch(hub, progress=lambda file, done, total: heard.append(done)).is_ready
    assert hub.ranges(FIRST) == ["bytes=1500-", ""]
    assert heard[-1] == TOTAL


def test_a_part_that_is_too_long_is_fetched_anew(hub: FakeHub, home: Path) -> None:
    part = home / "models" / "spec-o3-3b.partial" / f"{FIRST}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(bytes(len(MORE_WEIGHTS) + 1))
    assert fetch(hub).is_ready
    assert hub.ranges(FIRST) == [""]


def test_a_server_that_sends_too_much_fills_no_disk(hub: FakeHub) -> None:
    hub.answer = hub.listing()
    hub.files[FIRST] += b"x" * 5_000_000
    assert fetch(hub).is_ready, "the first bytes are right"


def test_no_such_repository(hub: FakeHub) -> None:
    with pytest.raises(DownloadError, match="has no some/thing"):
        fetch(hub, "some/thing")
    with pytest.raises(ResourceError, match='nothing to fetch under the name "nothing"'):
        fetch(hub, "nothing")
    with pytest.raises(ResourceError, match="nothing to fetch"):
        fetch(hub, "../../etc")


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
        assert all(token for _, _, token in hub.asked)
        assert elsewhere.asked
        assert not any(token for _, _, token in elsewhere.asked)


def test_without_a_network_it_says_which_files_go_where(home: Path) -> None:
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(DownloadError) as caught:
            get_model("spec-o3-3b", endpoint=closed)
    says = str(caught.value)
    assert f"no connection to {closed}" in says
    assert f"https://huggingface.co/{REPO}" in says
    assert str(home / "models" / "spec-o3-3b") in says


def test_offline_by_choice(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DownloadError, match="HF_HUB_OFFLINE forbids"):
        fetch(hub)
    assert not hub.asked


def test_the_environment_names_a_mirror(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", hub.endpoint + "/")
    assert get_model("spec-o3-3b").is_ready


def test_no_room_on_the_disk(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    free = SimpleNamespace(total=10**9, used=0, free=TOTAL)
    monkeypatch.setattr("agent.models.download.shutil.disk_usage", lambda path: free)
    with pytest.raises(DownloadError, match=r"are free at .*SPEC_O3_MODELS"):
        fetch(hub)
    assert len(hub.asked) == 1


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
    with pytest.raises(DownloadError, match="but pickled weights, which are never loaded"):
        fetch(hub)
    assert len(hub.asked) == 1


def test_one_of_many_gguf_files_is_not_guessed(hub: FakeHub) -> None:
    hub.files = {f"spec-{kind}.gguf": b"GGUF" * 300 for kind in ("f16", "q8_0")}
    with pytest.raises(DownloadError, match="2 GGUF models, such as spec-"):
        fetch(hub)


@pytest.mark.parametrize(
    "answer",
    [
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
    ],
)
def test_a_listing_that_is_none_is_refused(hub: FakeHub, answer: bytes, home: Path) -> None:
    hub.answer = answer
    with pytest.raises(DownloadError):
        fetch(hub)
    assert len(hub.asked) == 1


def test_a_listing_is_bounded(hub: FakeHub) -> None:
    hub.answer = b'{"pad": "%s",' % (b"y" * 17_000_000) + hub.listing()[1:]
    with pytest.raises(DownloadError, match="longer than any model's"):
        fetch(hub)


def test_names_in_a_listing_stay_inside_the_folder(hub: FakeHub, home: Path) -> None:
    for name in ("../evil.json", "/evil.json", "a\\..\\evil.json", ".evil.json", "e/vil.json"):
        hub.files[name] = b"{}"
    fetch(hub)
    assert {entry.name for entry in (home / "models" / "spec-o3-3b").iterdir()} == FETCHED | {
        "model.toml"
    }
    assert not list(home.rglob("*evil*"))


def test_two_at_once_do_not_mix(hub: FakeHub) -> None:
    hub.hold = threading.Event()
    done: list[object] = []
    first = threading.Thread(target=lambda: done.append(fetch(hub)))
    first.start()
    try:
        assert hub.reached.wait(30)
        with pytest.raises(DownloadError, match="another program is fetching it now"):
            fetch(hub)
    finally:
        hub.hold.set()
        first.join(60)
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


def test_a_folder_put_there_by_hand_is_completed(hub: FakeHub, home: Path) -> None:
    folder = home / "models" / "spec-o3-3b"
    put(folder, {"config.json": FILES["config.json"], FIRST: MORE_WEIGHTS[:5000]})
    assert fetch(hub).is_ready
    assert hub.ranges("config.json") == []
    assert hub.ranges(FIRST) == ["bytes=5000-"]


def test_two_unfinished_folders_are_left_to_the_person(hub: FakeHub, home: Path) -> None:
    put(home / "models" / "spec-o3-3b", {"config.json": b"{}"})
    (home / "models" / "spec-o3-3b.partial").mkdir()
    with pytest.raises(DownloadError, match="both exist and neither is complete"):
        fetch(hub)
    assert (home / "models" / "spec-o3-3b" / "config.json").exists()


# finding


def test_the_published_models_are_known_before_they_are_fetched(home: Path) -> None:
    locations = {location.card.name: location for location in list_models()}
    for size in ("3b", "7b"):
        location = locations[f"spec-o3-{size}"]
        assert (location.origin, location.is_ready) == ("hub", False)
        assert location.folder == home / "models" / f"spec-o3-{size}"
        assert location.card.source is not None
        assert location.card.source.repo == f"Maxwell-Jia/spec-o3-{size}"
        assert {figure.figure for figure in location.card.figures} >= {"F1 CV", "F1 WD", "F1 mean"}
    assert published_model("MAXWELL-JIA/SPEC-O3-7B") == locations["spec-o3-7b"].card
    assert published_model("nano-nano") is None


def test_a_name_is_found_in_any_case_and_a_slip_is_pointed_out() -> None:
    assert find_model("Spec-O3-7B").card.name == "spec-o3-7b"
    assert find_model("Maxwell-Jia/spec-o3-7b").card.name == "spec-o3-7b"
    with pytest.raises(ResourceError, match=r'no model "spec-03-7b".*mean "spec-o3-7b"\?'):
        find_model("spec-03-7b")


def test_a_model_copied_by_hand_is_the_published_one(home: Path) -> None:
    put(home / "models" / "spec-o3-7b", {name: FILES[name] for name in FETCHED})
    location = find_model("spec-o3-7b")
    assert (location.origin, location.is_ready) == ("user", True)
    assert location.card.title == "Spec-o3 7B, as published"
    assert {file.path for file in location.card.files} == FETCHED
    (home / "models" / "spec-o3-7b" / FIRST).unlink()
    index = {"weight_map": {"a": FIRST}}
    (home / "models" / "spec-o3-7b" / "model.safetensors.index.json").write_text(json.dumps(index))
    location = find_model("spec-o3-7b")
    assert (location.is_ready, location.missing) == (False, (FIRST,))


def test_the_users_folder_and_faulty_ones_in_it(home: Path) -> None:
    put(home / "models" / "mine", {name: FILES[name] for name in FETCHED})
    put(home / "models" / "bad", {"model.toml": b"name ="})
    put(home / "models" / "notes", {"readme.txt": b"hello"})
    put(home / "models" / ".hidden", {})
    (home / "models" / "notes.txt").write_text("hello")
    put(home / "models" / "half", {"config.json": FILES["config.json"], FIRST: b""})
    faults: list[ResourceError] = []
    names = [location.card.name for location in list_models(on_fault=faults.append)]
    assert names[0] == "mine", "ready ones come first"
    assert {"spec-o3-3b", "spec-o3-7b"} < set(names)
    assert len(faults) == 2
    with pytest.raises(ResourceError, match="not valid TOML"):
        list_models()
    assert find_model("mine").is_ready
    with pytest.raises(ResourceError, match=r"(?s)no model \"bad\".*left out: .*not valid TOML"):
        find_model("bad")


def test_the_hubs_own_cache(home: Path) -> None:
    cache = home / "hf" / "hub" / "models--Maxwell-Jia--spec-o3-7b"
    snapshot = put(cache / "snapshots" / COMMIT, {name: FILES[name] for name in FETCHED})
    assert find_model("spec-o3-7b").origin == "hub", "no reference to it yet"
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(COMMIT)
    location = find_model("spec-o3-7b")
    assert (location.origin, location.folder, location.is_ready) == ("cache", snapshot, True)
    assert location.card.source is not None
    assert location.card.source.revision == COMMIT
    put(home / "models" / "spec-o3-7b", {"model.safetensors": b"", "config.json": b""})
    faults: list[ResourceError] = []
    locations = {each.card.name: each for each in list_models(on_fault=faults.append)}
    assert locations["spec-o3-7b"] == location, "the one that is ready"
    assert faults
    (cache / "refs" / "main").write_text(f"../snapshots/{COMMIT}")
    assert find_model("spec-o3-7b").origin == "hub"


def test_a_path_a_name_and_which_comes_first(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(home / "work" / "trained", {name: FILES[name] for name in FETCHED})
    location = find_model(str(folder))
    assert (location.origin, location.card.name) == ("path", "trained")
    monkeypatch.chdir(home / "work")
    assert find_model("./trained").card == location.card
    put(home / "work" / "spec-o3-7b", {})
    assert find_model("spec-o3-7b").origin == "hub", "a name is a name"
    with pytest.raises(ResourceError, match="no model here"):
        find_model("./spec-o3-7b")


def test_a_server_by_its_address() -> None:
    location = find_model("http://localhost:8000/v1/#Qwen/Spec o3")
    assert (location.origin, location.folder, location.is_ready) == ("server", None, True)
    assert location.card.server == ServerAddress(
        url="http://localhost:8000/v1", model="Qwen/Spec o3"
    )
    assert location.ref.name == "Qwen-Spec-o3"
    assert find_model("HTTPS://lab.example").card.name == "lab.example-v1"
    with pytest.raises(ResourceError, match="may not hold a password") as caught:
        find_model("https://me:hunter2@lab.example/v1")
    assert "hunter2" not in str(caught.value)


def test_a_card_may_stand_for_a_server(home: Path) -> None:
    (home / "models" / "lab").mkdir(parents=True)
    server = ServerAddress(url="https://lab.example/v1", model="big")
    card = Card(name="lab", family="other", engine="remote", server=server, style=COMPACT)
    write_card(card, home / "models" / "lab")
    assert find_model("lab").card == card
    assert find_model("lab").is_ready


def test_a_record_names_the_model_by_its_card(home: Path) -> None:
    folder = put(home / "m", {name: FILES[name] for name in FETCHED})
    write_card(make_card(folder, name="mine"), folder)
    first = model_at(folder).ref
    assert (first.name, first.engine) == ("mine", "transformers")
    write_card(replace(make_card(folder, name="mine"), style=COMPACT), folder)
    assert model_at(folder).ref.sha256 != first.sha256
