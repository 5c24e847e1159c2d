"""A wording fetched from a hub on loopback."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from agent.errors import WorkbenchError
from agent.models.card import Card
from agent.models.folders import wording_folder
from agent.models.hub_address import DownloadError, HubUnreachable
from agent.models.registry import find_model, published_model
from agent.models.wording_hub import SOURCES, get_wording, wording_from_hub
from agent.models.wordings import missing_wording, wording_of
from agent.protocol.wording_file import read_wording
from tests.agent.models.fake_hub import COMMIT, FakeHub
from tests.agent.models.test_wording_source import write_rows
from tests.agent.protocol.wordings import KEYS, bench_row, cold_start_rows, text_of

COLD_START, BENCH = SOURCES["spec-o3"]


def published_card(name: str = "spec-o3-7b") -> Card:
    card = published_model(name)
    assert card is not None
    return card


def cold_start(more: dict[str, bytes] | None = None) -> dict[str, bytes]:
    return {
        "README.md": b"# tapes",
        "data_info.json": b"{}",
        "data/train_sharegpt.json": json.dumps(cold_start_rows()).encode(),
        "images/0.png": b"\x89PNG",
        **(more or {}),
    }


def bench(folder: Path) -> dict[str, bytes]:
    """Two files for each class, that of the test set larger."""
    files = {}
    for source in KEYS:
        for split, count in (("train", 1), ("test", 400)):
            rows = [bench_row(source) | {"agent_name": f"{n}" * 9} for n in range(count)]
            path = write_rows(folder / f"{split}_{source}.parquet", rows)
            files[f"benchmark/data/{path.name}"] = path.read_bytes()
    return files


def fetched(hub: FakeHub) -> list[str]:
    return [path.rpartition("/")[2] for path, _, _ in hub.requests if "/resolve/" in path]


def get(hub: FakeHub, card: Card | None = None, **options: object) -> tuple[str, ...]:
    return get_wording(card or published_card(), endpoint=hub.endpoint, waits_s=(0.0,), **options)


def test_the_published_cards_name_their_words_and_rules() -> None:
    for name in ("spec-o3-3b", "spec-o3-7b"):
        card = published_card(name)
        assert (card.wording, card.rules) == ("spec-o3", "published")
        assert card.style.name == "as-published"
        assert missing_wording(card).startswith(f"{name} is prompted in our words")


def test_the_smallest_file_that_holds_it_is_fetched_and_forgotten(hub: FakeHub, home: Path) -> None:
    hub.data = {COLD_START: cold_start({"data/large.jsonl": b"x" * 200_000}), BENCH: {}}
    reports: list[tuple[str, int, int]] = []
    before = find_model("spec-o3-7b").ref.sha256
    assert get(hub, progress=lambda *now: reports.append(now)) == ()
    assert fetched(hub) == ["train_sharegpt.json"]
    assert reports[-1][1] == reports[-1][2]
    wording = read_wording(wording_folder("spec-o3"))
    assert wording.tasks["CV"] == text_of("cv") and len(wording.tasks) == 5
    assert wording.source == f"{COLD_START} at {COMMIT[:12]}: data/train_sharegpt.json"
    assert wording.licence == "apache-2.0"
    assert [each.name for each in (home / "models").iterdir()] == ["wordings"]
    assert wording_of(published_card()) == wording
    assert missing_wording(published_card()) == ""
    assert find_model("spec-o3-7b").ref.sha256 != before
    assert find_model("spec-o3-7b").origin == "hub"


def test_what_is_here_is_not_fetched_again(hub: FakeHub) -> None:
    hub.data = {COLD_START: cold_start()}
    get(hub)
    hub.requests.clear()
    assert get(hub) == ()
    assert hub.requests == []


def test_the_next_data_set_is_asked_where_the_first_has_none(hub: FakeHub, tmp_path: Path) -> None:
    hub.data = {COLD_START: {"a.json": b"[{}]"}, BENCH: bench(tmp_path)}
    notes = get(hub)
    assert fetched(hub)[0] == "a.json"
    assert sorted(fetched(hub)[1:]) == sorted(f"train_{source}.parquet" for source in KEYS)
    assert len(notes) == 1 and "in our words" in notes[0]
    assert set(read_wording(wording_folder("spec-o3")).tasks) == set(KEYS.values())


def test_a_damaged_file_is_passed_over_and_told(hub: FakeHub) -> None:
    hub.data = {COLD_START: cold_start({"a.json": b"[{"})}
    notes = get(hub)
    assert any("a.json" in note and "not JSON" in note for note in notes)


def test_without_the_data_sets_the_error_names_both(hub: FakeHub) -> None:
    with pytest.raises(DownloadError, match=f"{COLD_START}: .* has no repository.*; {BENCH}: "):
        get(hub)
    assert wording_of(published_card()) is None


def test_offline_by_choice(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubUnreachable, match="HF_HUB_OFFLINE forbids"):
        get(hub)
    assert hub.requests == []


def test_a_card_of_another_wording_is_not_fetched_for(hub: FakeHub) -> None:
    for name in ("", "mine"):
        assert get(hub, replace(published_card(), wording=name)) == ()
    assert hub.requests == []


def test_odd_paths_are_never_asked_for(hub: FakeHub) -> None:
    odd = {"../../x.json": b"[]", "a.txt": b"", "infos.json": b"{}", ".x/y.json": b""}
    hub.data = {"a/b": odd}
    with pytest.raises(WorkbenchError, match="no row opens"):
        wording_from_hub("clerk", "a/b", endpoint=hub.endpoint, waits_s=(0.0,))
    assert fetched(hub) == []
