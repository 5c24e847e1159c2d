"""Which models there are and how they are found."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent.engines.kind import ServerAddress
from agent.errors import ResourceError
from agent.models.card import Card
from agent.models.card_file import write_card
from agent.models.infer_card import make_card
from agent.models.registry import (
    find_model,
    list_models,
    model_at,
    published_model,
    ref_of,
    wording_warning,
)
from agent.models.wordings import (
    checked_name,
    keep_wording,
    missing_wording,
    wording_at,
    wording_of,
)
from agent.rendering.render import COMPACT, EYE
from tests.agent.models.fake_hub import COMMIT, FETCHED, FILES, FIRST, put
from tests.agent.protocol.wordings import wording


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
    with pytest.raises(ResourceError, match="has no model"):
        find_model("./spec-o3-7b")


def test_a_server_by_its_address() -> None:
    location = find_model("http://localhost:8000/v1/#Qwen/Spec o3")
    assert (location.origin, location.folder, location.is_ready) == ("server", None, True)
    assert location.card.server == ServerAddress(
        url="http://localhost:8000/v1", model="Qwen/Spec o3"
    )
    assert location.ref.name == "Qwen-Spec-o3"
    assert find_model("HTTPS://lab.example").card.name == "lab.example-v1"
    with pytest.raises(ResourceError, match="may not contain a password") as caught:
        find_model("https://me:hunter2@lab.example/v1")
    assert "hunter2" not in str(caught.value)


def test_a_model_on_servers_is_the_same_at_any_address(home: Path) -> None:
    two = ("http://gpu-1:8000/v1#big", "http://gpu-2:8000/v1#big")
    refs = [find_model(name).ref for name in (*two, ",".join(two), ",".join(two[::-1]))]
    assert len(set(refs)) == len({each.sha256 for each in refs}) == 1
    assert [each.address.count("http") for each in refs] == [1, 1, 2, 2]
    assert refs[3].address == "http://gpu-2:8000/v1,http://gpu-1:8000/v1"
    assert set(refs[2].also) == {*refs[0].also, *refs[1].also}
    other = find_model("http://gpu-1:8000/v1#bigger").ref
    assert other.sha256 != refs[0].sha256
    assert find_model("nano-eye").ref.also == ()


def test_a_published_model_on_a_server_goes_by_its_own_rules_and_words(home: Path) -> None:
    for name in ("spec-o3-7b", "Maxwell-Jia/spec-o3-7b"):
        card = find_model(f"http://localhost:8000/v1#{name}").card
        found = card.rules, card.wording, card.style.name
        assert found == ("published", "spec-o3", "as-published")
    for other in ("http://localhost:8000/v1#nano", "http://localhost:8000/v1"):
        card = find_model(other).card
        assert (card.rules, card.wording) == ("ours", "")


def test_a_model_of_earlier_versions_is_told_from_one_that_never_was(home: Path) -> None:
    for name in ("nano", "Nano"):
        gone = r"^the model nano is no longer part of this program"
        with pytest.raises(ResourceError, match=gone):
            find_model(name)
    put(home / "models" / "nano", {name: FILES[name] for name in FETCHED})
    assert find_model("nano").origin == "user"


def test_a_model_in_another_wording_is_another_model(home: Path) -> None:
    card = find_model("spec-o3-7b").card
    before = ref_of(card).sha256
    keep_wording(replace(wording(), name="spec-o3"))
    after = ref_of(card).sha256
    keep_wording(replace(wording(), name="spec-o3", system="Other."))
    assert len({before, after, ref_of(card).sha256}) == 3
    assert wording_warning("spec-o3-7b") == ""
    assert wording_warning("measured") == wording_warning("no such model") == ""
    assert [each.card.name for each in list_models() if each.origin == "user"] == []


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


# The wordings in the user's models folder.
def test_a_model_is_asked_in_the_wording_that_its_card_names(home: Path) -> None:
    card = find_model("spec-o3-7b").card
    assert wording_of(card) is None
    assert "accuracy of the published weights is not guaranteed" in missing_wording(card)
    folder = keep_wording(replace(wording(), name="spec-o3"))
    assert folder == home / "models" / "wordings" / "spec-o3"
    assert wording_of(card) == wording_at("spec-o3") == replace(wording(), name="spec-o3")
    assert missing_wording(card) == ""


def test_a_model_of_brief_prompts_or_without_a_name_has_none() -> None:
    keep_wording(replace(wording(), name="spec-o3"))
    card = find_model("spec-o3-7b").card
    for other in (replace(card, style=EYE), replace(card, wording="")):
        assert wording_of(other) is None
    assert missing_wording(replace(card, wording="")) == ""


def test_a_damaged_wording_is_never_used_in_silence() -> None:
    folder = keep_wording(replace(wording(), name="spec-o3"))
    (folder / "tool.json").write_text("{}")
    with pytest.raises(ResourceError, match=r"tool\.json is not the text"):
        wording_of(find_model("spec-o3-7b").card)


def test_a_name_is_a_plain_name() -> None:
    assert checked_name("spec-o3") == "spec-o3"
    for name in ("", "../x", "a/b", ".x", "x" * 81):
        with pytest.raises(ResourceError, match="no name of a wording"):
            checked_name(name)
    with pytest.raises(ResourceError, match="there is no wording"):
        wording_at("none")
