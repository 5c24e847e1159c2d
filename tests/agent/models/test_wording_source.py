"""A wording read from files of the published kinds, in invented words."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow
import pyarrow.parquet as parquet
import pytest

from agent.errors import ResourceError, WorkbenchError
from agent.models import wording_source
from agent.models.card import Card
from agent.models.folders import wording_folder
from agent.models.hub import DownloadError, HubUnreachable
from agent.models.registry import find_model, published_model
from agent.models.wording_source import (
    SOURCES,
    get_wording,
    read_source,
    rows_of,
    source_name,
    tool_of_yaml,
    wording_from_hub,
)
from agent.models.wordings import missing_wording, wording_of
from agent.protocol.wording_file import read_wording
from tests.agent.models.fake_hub import COMMIT, FakeHub, connected
from tests.agent.protocol.wordings import (
    KEYS,
    SYSTEM,
    TOOL_LINE,
    bench_row,
    cold_start_rows,
    text_of,
    wording,
)

YAML = """\
tools:
  - class_name: "recipe.tool.Tape"
    config:
      type: native
    tool_schema:
      type: "function"
      function:
        name: "spectral_visualization_tool"
        description: "Magnify a stretch of the “tracing” for the clerk."
        parameters:
          type: "object"
          properties:
            wavelength_range:
              type: "array"
              description: "Two ends, in Å."
            label:
              type: "string"
              description: "A note to self."
          required: []
"""

COLD_START, BENCH = SOURCES["spec-o3"]


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        parquet.write_table(pyarrow.Table.from_pylist(rows), path)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    else:
        path.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    return path


def readable(row: dict[str, Any]) -> dict[str, Any]:
    """The row as JSON can hold it."""
    return {key: value for key, value in row.items() if key != "images"}


def test_two_rows_of_a_parquet_file_and_the_tools_yaml(tmp_path: Path) -> None:
    rows = write_rows(tmp_path / "test_cv.parquet", [bench_row("cv"), bench_row("cv")])
    (tmp_path / "tool.yaml").write_text(YAML, encoding="utf-8")
    found, notes = read_source("clerk", [rows, tmp_path / "tool.yaml"])
    assert (found.tasks, notes) == ({"CV": text_of("cv")}, ())
    assert (found.system, found.tool) == (SYSTEM, TOOL_LINE)
    assert found.source == "test_cv.parquet, tool.yaml"


@pytest.mark.parametrize("name", ["train_sharegpt.json", "train.jsonl", "train.parquet"])
def test_conversations_of_the_cold_start(tmp_path: Path, name: str) -> None:
    path = write_rows(tmp_path / name, cold_start_rows())
    found, notes = read_source("clerk", [path])
    assert replace(found, source="clerk/tapes", licence="MIT") == wording()
    assert notes == ()


def test_lines_in_a_json_file_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "train.json"
    path.write_text("\n".join(map(json.dumps, cold_start_rows())), encoding="utf-8")
    assert read_source("clerk", [path])[0].tasks == wording().tasks


def test_a_folder_with_pictures_and_settings_beside(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for source in KEYS:
        write_rows(tmp_path / "data" / f"test_{source}.parquet", [bench_row(source)])
    (tmp_path / "data_info.json").write_text('{"set": {"file_name": "x"}}', encoding="utf-8")
    (tmp_path / "run.yaml").write_text("lr: &a 1\nb: *a\n", encoding="utf-8")
    (tmp_path / "tool.yaml").write_text(YAML, encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    found, notes = read_source("clerk", [tmp_path])
    assert found.tasks == {KEYS[source]: text_of(source) for source in KEYS}
    assert (found.tool, notes) == (TOOL_LINE, ())


def test_nothing_to_read_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"has no \.parquet"):
        read_source("clerk", [tmp_path])
    with pytest.raises(ResourceError, match="neither a file nor a folder"):
        read_source("clerk", [tmp_path / "none"])
    (tmp_path / "x.fits").write_bytes(b"")
    with pytest.raises(ResourceError, match=r"x\.fits is not a"):
        read_source("clerk", [tmp_path / "x.fits"])
    path = write_rows(tmp_path / "empty.json", [])
    with pytest.raises(ResourceError, match="no row opens"):
        read_source("clerk", [path])


def test_without_pyarrow_it_is_said_plainly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_rows(tmp_path / "test_cv.parquet", [bench_row("cv")])
    monkeypatch.setattr(wording_source, "find_spec", lambda name: None)
    with pytest.raises(ResourceError, match="needs pyarrow: pip install pyarrow"):
        read_source("clerk", [path])


@pytest.mark.parametrize(("name", "content"), [
    ("a.json", b"[" * 100_000),
    ("a.json", b'[{"a": 1} {"b": 2}]'),
    ("a.json", b'[{"a": 1}'),
    ("a.json", b'"text"'),
    ("a.json", b"[\xff\xfe]"),
    ("a.json", b"[" + b"9" * 5000 + b"]"),
    ("a.jsonl", b'{"a": '),
    ("a.jsonl", b"\xff\n"),
    ("a.parquet", b""),
    ("a.parquet", b"PAR1" + b"\0" * 50 + b"\xff\xff\xff\x7fPAR1"),
    ("a.parquet", b"PAR1" + b"\x05" * 60 + b"\x20\0\0\0PAR1"),
])  # fmt: skip
def test_damaged_files_are_refused_with_their_name(
    tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ResourceError, match=name):
        list(rows_of(tmp_path / name))


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, limit in (("a.json", "MAX_JSON_BYTES"), ("a.jsonl", "MAX_LINE")):
        path = write_rows(tmp_path / name, [readable(bench_row("cv"))])
        with monkeypatch.context() as patch:
            patch.setattr(wording_source, limit, 100)
            with pytest.raises(ResourceError, match=r"larger|longer"):
                list(rows_of(path))
    monkeypatch.setattr(wording_source, "MAX_FILES", 1)
    with pytest.raises(ResourceError, match="more than 1 files"):
        read_source("clerk", [tmp_path])


@pytest.mark.parametrize(("text", "why"), [
    ("x" * 100_000, "longer than 64 KiB"),
    ("a: !!python/object/apply:os.system ['touch pwned']", "not plain YAML"),
    ("a: &x [1]\nb: [*x, *x]", "anchors or aliases"),
    ("[" * 60_000, "nested too deeply"),
    ("a: [", "not plain YAML"),
    ("a: 1", "no tools"),
    ("tools: []", "no tools"),
    ("tools: 5", "no tools"),
    ("tools:\n- tool_schema: .nan", "not plain YAML"),
    ("tools:\n- tool_schema: {a: 2001-01-01}", "no tools"),
])  # fmt: skip
def test_yaml_is_never_run_nor_expanded(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "tool.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ResourceError, match=why):
        tool_of_yaml(path)
    assert not Path("pwned").exists()


def test_a_source_is_printable() -> None:
    assert source_name("a\\b<c>\x1b[31m d") == "a_b_c___31m d"


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
    with connected(hub):
        return get_wording(card or published_card(), **options)


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
    with connected(hub), pytest.raises(WorkbenchError, match="no row opens"):
        wording_from_hub("clerk", "a/b")
    assert fetched(hub) == []
