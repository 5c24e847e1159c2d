"""Who inspects where nobody is named."""

from pathlib import Path

import pytest

from agent.errors import ResourceError, WorkbenchError
from agent.inspection import inspector_factory as inspectors
from agent.inspection.built_in import EYE, MEASURED, PANEL, BuiltInPanel
from agent.inspection.inspector import run
from agent.inspection.inspector_factory import default_model, looking_card, make_inspector
from agent.inspection.panel_inspector import PanelInspector
from agent.models.wording_source import read_source
from agent.models.wordings import keep_wording
from agent.tasks.catalogue import find_task
from tests.agent.models.test_wording_source import write_rows
from tests.agent.protocol.wordings import bench_row
from tests.agent.scenes import answer, star
from tests.scripted_engine import ScriptedEngine

CARD = """
name = "nano"
family = "qwen2.5-vl"
engine = "gguf"
tasks = ["CV", "WD"]
[[files]]
role = "weights"
path = "nano.gguf"
size = 4
[[files]]
role = "mmproj"
path = "mmproj-nano.gguf"
size = 4
"""


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty box of models; what was found before is forgotten, and afterwards again."""
    monkeypatch.setattr("agent.inspection.built_in.BUNDLED", tmp_path)
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: name == "xllamacpp" or None)
    inspectors._panel_tasks.cache_clear()
    yield tmp_path
    inspectors._panel_tasks.cache_clear()


def put(box: Path, *files: str) -> None:
    folder = box / EYE
    folder.mkdir()
    (folder / "model.toml").write_text(CARD.replace('"nano"', f'"{EYE}"', 1))
    for name in files:
        (folder / name).write_bytes(b"GGUF")


def test_without_a_model_in_the_box_it_measures(box):
    assert default_model("CV") == MEASURED
    assert make_inspector().model.name == MEASURED


def test_the_panel_with_the_model_in_the_box_comes_first(box):
    put(box, "nano.gguf", "mmproj-nano.gguf")
    assert default_model("CV") == default_model("WD") == PANEL


def test_a_class_it_was_not_trained_on_is_measured(box):
    put(box, "nano.gguf", "mmproj-nano.gguf")
    assert default_model("mine") == MEASURED


def test_a_model_that_is_not_whole_is_passed_over(box):
    put(box, "nano.gguf")
    assert default_model("CV") == MEASURED


def test_a_damaged_card_is_passed_over(box):
    put(box, "nano.gguf", "mmproj-nano.gguf")
    (box / EYE / "model.toml").write_text("name = ")
    assert default_model("CV") == MEASURED


def test_without_an_engine_for_it_it_measures(box, monkeypatch):
    put(box, "nano.gguf", "mmproj-nano.gguf")
    monkeypatch.setattr("agent.engines.kind.find_spec", lambda name: None)
    assert default_model("CV") == MEASURED


def test_one_that_is_named_is_never_replaced(box):
    with pytest.raises(WorkbenchError, match="no model"):
        make_inspector("nowhere")
    with pytest.raises(WorkbenchError, match="nano is no longer part of this program"):
        make_inspector("nano")
    assert make_inspector("Measured").model.name == MEASURED


def test_the_panel_needs_the_model_that_looks(box):
    with pytest.raises(WorkbenchError, match="needs the bundled model nano-eye"):
        make_inspector("panel")
    assert BuiltInPanel().ref() is None
    with pytest.raises(ResourceError, match="needs the bundled model nano-eye"):
        looking_card("panel")
    put(box, "nano.gguf")
    assert BuiltInPanel().ref() is None


def test_the_panel_is_the_model_that_looks_and_the_measured_inspector(box, monkeypatch):
    put(box, "nano.gguf", "mmproj-nano.gguf")
    engine = ScriptedEngine([])
    monkeypatch.setattr("agent.inspection.inspector_factory.load_engine", lambda *_, **__: engine)
    made = make_inspector("Panel")
    assert isinstance(made, PanelInspector)
    assert made.model == BuiltInPanel().ref()
    assert (made.eye.model.name, made.measured.model.name) == (EYE, MEASURED)
    assert made.eye.style == looking_card("panel").style


def test_which_model_looks(box):
    assert looking_card(MEASURED) is None
    assert looking_card("spec-o3-7b").name == "spec-o3-7b"
    with pytest.raises(ResourceError, match="no model"):
        looking_card("nowhere")


def test_a_published_row_reaches_the_engine_as_it_was_in_its_file(tmp_path, monkeypatch):
    """From a row of a Parquet file, by the wording that a card names, to the first user turn."""
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path / "models"))
    row = bench_row("cv")
    path = write_rows(tmp_path / "test_cv.parquet", [row, bench_row("wd")])
    keep_wording(read_source("clerk", [path])[0])
    folder = tmp_path / "models" / "mine"
    folder.mkdir()
    named = 'protocol = "published"\nwording = "clerk"\nstyle = { name = "as-published" }\n'
    (folder / "model.toml").write_text(CARD.replace("[[files]]", f"{named}[[files]]", 1))
    for name in ("nano.gguf", "mmproj-nano.gguf"):
        (folder / name).write_bytes(b"GGUF")
    engine = ScriptedEngine([answer()])
    monkeypatch.setattr("agent.inspection.inspector_factory.load_engine", lambda *_, **__: engine)
    made = make_inspector(str(folder))
    trajectory = run(made.inspect(star(), find_task("CV")))
    system, user = engine.conversations[0].turns[:2]
    said = {message["role"]: message["content"] for message in row["prompt"]}
    assert system.text.startswith(said["system"] + "\n\n# Tools\n")
    assert f"<image>{user.text}" == said["user"]
    assert (trajectory.wording.name, trajectory.rules) == ("clerk", "published")
    assert trajectory.model == made.model
