"""`spec-o3 models`, as people and scripts use it."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import get_args
from unittest.mock import Mock

import pytest

from agent.convert.forms import GGUF_FORMS, Machine
from agent.errors import ResourceError, WorkbenchError
from agent.inspection import built_in
from agent.models.card_file import write_card
from agent.models.download import get_model
from agent.models.infer_card import make_card
from agent.models.registry import ModelLocation, find_model
from agent.models.wording_source import SOURCES
from agent.models.wordings import wording_at
from app.cli.models import FormName
from tests.agent.convert.conftest import random_folder, small
from tests.agent.models.fake_hub import FakeHub, running
from tests.agent.models.model_folders import gguf
from tests.agent.protocol.wordings import bench_row, cold_start_rows, text_of
from tests.app.cli.commands import invoke

__all__ = ["random_folder", "small"]

FILES = {
    "config.json": b'{"model_type": "qwen2_5_vl"}',
    "model.safetensors": bytes(range(256)) * 40,
    "tokenizer.json": b"{}",
}
LAPTOP = Machine(
    memory=16 * 10**9, memory_free=11 * 10**9, disk_free=200 * 10**9, has_torch=False,
    has_llama_cpp=True,
)  # fmt: skip


@pytest.fixture(autouse=True)
def home(own_models: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Of nobody, on a laptop."""
    have(monkeypatch, LAPTOP)
    monkeypatch.setattr("agent.convert.model._why_not_compared", lambda *_: "no room to compare")
    return own_models.parent


def have(monkeypatch: pytest.MonkeyPatch, machine: Machine) -> None:
    monkeypatch.setattr("agent.convert.forms.this_machine", lambda folder: machine)


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    with running(FakeHub(dict(FILES))) as fake:
        monkeypatch.setenv("HF_ENDPOINT", fake.endpoint)
        yield fake


run = partial(invoke, "models")


@pytest.mark.parametrize("words", [(), ("list",)])
def test_the_list_shows_what_there_is(words: tuple[str, ...]) -> None:
    result = run(*words)
    assert result.exit_code == 0, result.output
    for word in ("measured", "spec-o3-3b", "spec-o3-7b", "not fetched", "transformers"):
        assert word in result.stdout


def test_the_list_for_scripts(home: Path) -> None:
    mine = home / "models" / "mine"
    mine.mkdir(parents=True)
    for name, content in FILES.items():
        (mine / name).write_bytes(content)
    write_card(make_card(mine, title="Mine [red]", simulated_only=True), mine)
    (home / "models" / "bad").mkdir()
    (home / "models" / "bad" / "model.toml").write_text("name =")
    result = run("list", "--json")
    assert result.exit_code == 0
    rows = {row["name"]: row for row in json.loads(result.stdout)}
    assert rows["measured"]["state"] == "ready" and rows["mine"]["state"] == "ready"
    assert rows["mine"]["path"] == str(mine)
    assert rows["mine"]["bytes"] == sum(len(content) for content in FILES.values())
    assert rows["mine"]["simulated_only"] is True and rows["spec-o3-7b"]["state"] == "not fetched"
    assert rows["spec-o3-7b"]["repo"] == "Maxwell-Jia/spec-o3-7b"
    assert len({frozenset(row) for row in rows.values()}) == 1, "the same keys in each"
    assert "skipped" in result.stderr and "not valid TOML" in result.stderr
    (mine / "tokenizer.json").unlink()
    rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)}
    assert (rows["mine"]["state"], rows["mine"]["missing"]) == ("incomplete", ["tokenizer.json"])
    assert "Mine [red]" in run().stdout, "no markup"


def test_get_prints_the_folder_and_path_finds_it(hub: FakeHub, home: Path) -> None:
    folder = home / "models" / "spec-o3-3b"
    result = run("get", "spec-o3-3b")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{folder}\n"
    result = run("path", "spec-o3-3b")
    assert (result.stdout, result.stderr) == (f"{folder}\n", "")


def test_get_fetches_the_words_along_or_says_that_it_runs_without(hub: FakeHub, home: Path) -> None:
    result = run("get", "spec-o3-3b")
    assert result.stdout == f"{home / 'models' / 'spec-o3-3b'}\n"
    assert "spec-o3-3b is prompted in our words, not in those it was trained on" in result.stderr
    assert "could not be fetched" in result.stderr
    content = json.dumps(cold_start_rows()).encode()
    hub.data = {SOURCES["spec-o3"][0]: {"train_sharegpt.json": content}}
    result = run("get", "spec-o3-3b")
    assert (result.exit_code, result.stderr) == (0, "")
    assert wording_at("spec-o3").tasks["CV"] == text_of("cv")
    assert "wordings" not in {row["name"] for row in json.loads(run("list", "--json").stdout)}


def test_a_wording_is_read_from_a_file_and_shown(home: Path) -> None:
    rows = home / "train_sharegpt.json"
    rows.write_text(json.dumps(cold_start_rows()), encoding="utf-8")
    result = run("wording", "spec-o3-7b", "--from", str(rows))
    assert result.exit_code == 0, result.output
    wording = wording_at("spec-o3")
    assert result.stdout.splitlines() == [
        f"spec-o3 {wording.sha256}",
        "classes: CS, CV, MG, SS, WD",
        "source: train_sharegpt.json; no licence",
        str(home / "models" / "wordings" / "spec-o3"),
    ]
    shown = run("wording", "spec-o3")
    assert shown.stdout.splitlines() == result.stdout.splitlines()[:3]


def test_a_wording_from_several_files_says_where_rows_differ(home: Path) -> None:
    paths = []
    for number, text in enumerate((None, text_of("cv") + "!", None)):
        paths += ["--from", str(home / f"{number}.json")]
        row = {**bench_row("cv", text), "images": []}
        (home / f"{number}.json").write_text(json.dumps([row]), encoding="utf-8")
    result = run("wording", "mine", *paths)
    assert "CV: the rows differ, 2 texts in 3 rows" in result.stderr
    assert "the tool is described in our words" in result.stderr
    assert wording_at("mine").tasks == {"CV": text_of("cv")}


def test_a_wording_from_a_data_set_of_the_hub(hub: FakeHub) -> None:
    content = json.dumps(cold_start_rows()).encode()
    hub.data = {"clerk/tapes": {"rows.jsonl": content}}
    result = run("wording", "tapes", "--from", "clerk/tapes")
    assert result.exit_code != 0 and "no row opens" in str(result.exception)
    hub.data = {"clerk/tapes": {"rows.json": content}}
    assert run("wording", "tapes", "--from", "clerk/tapes").exit_code == 0
    assert len(wording_at("tapes").tasks) == 5


@pytest.mark.parametrize(("words", "says"), [
    (("spec-o3",), "there is no wording"),
    (("nano-eye",), "names no wording"),
    (("../x",), "is no name of a wording"),
    (("spec-o3", "--from", "/no/such/file"), "no file or folder"),
    (("spec-o3", "--from", "a/b", "--from", "c/d"), "no file or folder"),
])  # fmt: skip
def test_what_is_no_wording_says_so(words: tuple[str, ...], says: str) -> None:
    result = run("wording", *words)
    assert isinstance(result.exception, WorkbenchError) and says in str(result.exception)


def test_path_says_where_to_put_what_is_not_here(home: Path) -> None:
    result = run("path", "spec-o3-7b")
    assert result.exit_code == 0 and result.stdout == f"{home / 'models' / 'spec-o3-7b'}\n"
    assert "spec-o3-7b is not fetched" in result.stderr


def test_what_is_part_of_the_program_or_on_a_server_has_no_folder() -> None:
    for name, says in (
        ("measured", "part of the program"), ("panel", "part of the program"),
        ("http://localhost:1#m", "is on a server"), ("spec-03-7b", 'did you mean "spec-o3-7b"'),
    ):  # fmt: skip
        result = run("path", name)
        assert result.exit_code == 1 and isinstance(result.exception, WorkbenchError)
        assert says in str(result.exception)
    for name in ("measured", "panel"):
        result = run("get", name)
        assert result.exit_code == 1 and f"{name} is part of the program" in str(result.exception)


def test_the_panel_says_what_it_lacks(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def state() -> str:
        rows = {row["name"]: row for row in json.loads(run("list", "--json").stdout)}
        return str(rows["panel"]["state"])

    monkeypatch.setattr(built_in, "BUNDLED", home / "box")
    assert state() == "needs nano-eye"
    eye = home / "box" / "nano-eye"
    eye.mkdir(parents=True)
    gguf(eye / "eye.gguf")
    gguf(eye / "mmproj-eye.gguf", "clip")
    write_card(make_card(eye, title="Eye", simulated_only=True), eye)
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: None)
    assert state() == "needs llama.cpp"
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: name == "llama_cpp" or None)
    assert state() == "ready"


def test_faults_of_a_download_are_messages(hub: FakeHub) -> None:
    hub.gated = True
    result = run("get", "spec-o3-3b")
    assert isinstance(result.exception, WorkbenchError)
    assert "accept its terms" in str(result.exception)
    assert isinstance(run("get", "nothing").exception, ResourceError)
    assert run("get").exit_code == 2


def test_ctrl_c_keeps_what_has_come(
    hub: FakeHub, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(name: str, progress: Callable[[str, int, int], None]) -> ModelLocation:
        def then_ctrl_c(file: str, done: int, total: int) -> None:
            progress(file, done, total)
            if done > 4000:
                signal.raise_signal(signal.SIGINT)

        return get_model(name, then_ctrl_c)

    hub.breaks = [5000]
    monkeypatch.setattr("agent.models.download.get_model", interrupted)
    result = run("get", "spec-o3-3b")
    assert isinstance(result.exception, WorkbenchError)
    assert "`spec-o3 models get spec-o3-3b` again to continue the download" in str(result.exception)
    assert "partly fetched" in run().stdout
    monkeypatch.setattr("agent.models.download.get_model", get_model)
    assert run("get", "spec-o3-3b").exit_code == 0
    assert hub.ranges("model.safetensors") == ["", "bytes=5000-"]


# `convert`, `sizes` and `get --gguf`, without torch and without a network.
def rows(output: str) -> dict[str, list[str]]:
    """The cells of the table by form."""
    lines = [line.split("  ") for line in output.splitlines()]
    cells = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    return {line[0]: line[1:] for line in cells if len(line) > 3}


def test_a_folder_is_converted_and_found_by_its_name(small: Path, own_models: Path) -> None:
    result = run("convert", str(small), "--to", "q5_k_m")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{own_models / 'small-q5_k_m'}\n"
    assert re.search(r"small-q5_k_m: 0\.00 GB in \d+\.\d min", result.stderr)
    assert "no room to compare" in result.stderr
    assert find_model("small-q5_k_m").is_ready
    assert "it was here already" in run("convert", str(small), "--to", "q5_k_m").stderr


def test_the_best_form_is_taken(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    have(monkeypatch, replace(LAPTOP, memory_free=2_510_000_000))
    assert run("convert", str(small)).stdout.endswith("small-q8_0\n")
    have(monkeypatch, replace(LAPTOP, memory_free=2_490_000_000))
    assert "does not fit this machine" in str(run("convert", str(small)).exception)


def test_sizes_of_a_model_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run("sizes", "spec-o3-7b")
    assert result.exit_code == 0, result.output
    table = rows(result.stdout)
    assert list(table) == ["form", "published", "f16", "q8_0", "q5_k_m", "q4_k_m"]
    assert table["published"] == ["16.6 GB", "16.6 GB", "19.1 GB", "needs torch and transformers"]
    assert table["f16"][3] == "too little memory"
    assert table["q8_0"] == ["16.6 GB", "26.0 GB", "12.0 GB", "other programs have the memory"]
    assert table["q5_k_m"][3] == "best" and table["q4_k_m"][3] == "runs"
    assert "16 GB of memory, 11 GB of it free; 200 GB of disk free" in result.stdout
    assert "spec-o3 models get spec-o3-7b --gguf q5_k_m" in result.stdout
    have(monkeypatch, replace(LAPTOP, memory=4 * 10**9, memory_free=10**9))
    assert "None of them runs here" in run("sizes", "spec-o3-7b").stdout


@pytest.fixture
def whole_hub(hub: FakeHub, random_folder: Path) -> FakeHub:
    """It has a model that can be converted."""
    hub.files = {path.name: path.read_bytes() for path in random_folder.iterdir()}
    return hub


def test_get_does_both_steps(whole_hub: FakeHub, own_models: Path) -> None:
    result = run("get", "spec-o3-3b", "--gguf", "q4_k_m")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{own_models / 'spec-o3-3b-q4_k_m'}\n"
    assert "q5_k_m" in rows(result.stderr), "what the forms need is shown before"
    assert find_model("spec-o3-3b").is_ready
    card = find_model("spec-o3-3b-q4_k_m").card
    assert card.title == "Spec-o3 3B, as published, q4_k_m"
    assert run("get", "spec-o3-3b", "--gguf", "q4_k_m").exit_code == 0, "a second time"


def test_get_refuses_before_the_download(
    whole_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    have(monkeypatch, replace(LAPTOP, disk_free=9 * 10**9))
    result = run("get", "spec-o3-3b", "--gguf", "q4_k_m")
    assert isinstance(result.exception, WorkbenchError)
    assert "form q4_k_m need 10.8 GB, but only 9.0 GB are free" in str(result.exception)
    assert whole_hub.requests == []


def test_ctrl_c_says_how_to_go_on(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.convert.model.write_files", Mock(side_effect=KeyboardInterrupt))
    result = run("convert", str(small), "--to", "q8_0")
    assert f"models convert {small} --to q8_0` goes on" in str(result.exception)


WITHOUT = """
import sys
heavy = ("torch", "transformers", "safetensors", "tokenizers", "accelerate", "peft", "train")
sys.modules.update(dict.fromkeys(heavy))  # importing them fails
sys.argv = ["spec-o3", "models", "convert", sys.argv[1], "--to", "q4_k_m", "--no-compare"]
from app.cli.main import main
main()
"""


def test_no_torch_is_needed(small: Path, own_models: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(small)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{own_models / 'small-q4_k_m'}\n"


def test_form_names_are_those_that_can_be_made() -> None:
    assert set(get_args(FormName)) == {*GGUF_FORMS, "best"}
