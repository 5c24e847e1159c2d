from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from safetensors.torch import load_file

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.atomic_file import replace_folder
from agent.engines.families import read_folder
from agent.engines.hf.engine import TransformersEngine
from agent.errors import EngineError, WorkbenchError
from agent.models.registry import model_at
from agent.rendering.render import COMPACT
from tests.small_models import tiny_qwen25  # noqa: F401
from train.models import model_folder
from train.models.checkpoints import begin, complete_checkpoints, last_checkpoint, step_of
from train.models.model_folder import load_trainable, starting_folder


@pytest.fixture
def start(tiny_qwen25: Path, tmp_path: Path) -> Path:  # noqa: F811
    """As of the hub: bfloat16, with a template of its own in the tokenizer's settings."""
    folder = Path(shutil.copytree(tiny_qwen25, tmp_path / "start"))
    template = {"chat_template": "{{ other }}"}
    changes = {"config.json": {"dtype": "bfloat16"}, "tokenizer_config.json": template}
    for name, change in changes.items():
        path = folder / name
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
    return folder


def test_a_folder_in_use(start: Path, tmp_path: Path):
    model = load_trainable(start)
    assert model.dtype is torch.float32
    part = tmp_path / "part"
    precision, sizing = model_folder.stored_precision(start), read_folder(start).sizing
    model_folder.save_weights(model, model.state_dict(), part, precision)
    card = model_folder.complete_folder(part, start, style=COMPACT, sizing=sizing, name="mine")
    replace_folder(part, tmp_path / "model")
    found = model_at(tmp_path / "model")
    assert found.is_ready and found.card == card == model_folder.card_beside(tmp_path / "model")
    assert (card.name, card.style) == ("mine", COMPACT)
    weights = load_file(tmp_path / "model/model.safetensors")
    assert {weight.dtype for weight in weights.values()} == {torch.bfloat16}
    settings = json.loads((tmp_path / "model/tokenizer_config.json").read_text())
    assert "chat_template" not in settings
    template = (tmp_path / "model/chat_template.jinja").read_text("utf-8")
    assert template == model_folder.CHAT_TEMPLATE
    TransformersEngine.load(tmp_path / "model", device="cpu", threads=1).close()


def test_weights_that_are_not_all_there(start: Path):
    from safetensors.torch import save_file

    weights = load_file(start / "model.safetensors")
    weights.pop(next(name for name in weights if "q_proj" in name))
    save_file(weights, start / "model.safetensors", {"format": "pt"})
    with pytest.raises(EngineError, match="lack"):
        load_trainable(start)


def test_where_to_start(start: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    assert starting_folder(str(start)) == start
    monkeypatch.setenv("SPEC_O3_MODELS", str(tmp_path))
    assert starting_folder("start") == start
    with pytest.raises(WorkbenchError, match="hf download No/Where"):
        starting_folder("No/Where")


# A run is resumed only with its own settings, from its newest complete checkpoint.
SETTINGS = {"sft": {"lr": 1e-3, "epochs": 2}, "seed": 3}


def checkpoint(out: Path, step: int, state: str | None = None) -> Path:
    folder = out / "checkpoints" / f"checkpoint-{step}"
    folder.mkdir(parents=True)
    if state is None:
        state = json.dumps({"global_step": step})
    (folder / "trainer_state.json").write_text(state)
    return folder


class TestBegin:
    def test_a_run_begins_once(self, tmp_path: Path):
        begin(tmp_path / "run", SETTINGS, resume=False)
        with pytest.raises(WorkbenchError, match="already has a run"):
            begin(tmp_path / "run", SETTINGS, resume=False)
        begin(tmp_path / "run", SETTINGS, resume=True)

    def test_the_changed_setting_is_named(self, tmp_path: Path):
        begin(tmp_path, SETTINGS, resume=False)
        changed = {**SETTINGS, "sft": {"lr": 1e-3, "epochs": 4}}
        with pytest.raises(WorkbenchError, match=r"another sft\.epochs \(2, now 4\)"):
            begin(tmp_path, changed, resume=True)

    def test_damaged_settings(self, tmp_path: Path):
        (tmp_path / "settings.json").write_text("{")
        with pytest.raises(WorkbenchError, match="is damaged"):
            begin(tmp_path, SETTINGS, resume=True)


class TestCheckpoints:
    def test_the_newest_complete_one(self, tmp_path: Path):
        first, second = checkpoint(tmp_path, 9), checkpoint(tmp_path, 10)
        cut_off = checkpoint(tmp_path, 11, '{"global_st')
        assert complete_checkpoints(tmp_path) == [first, second]
        assert last_checkpoint(tmp_path) == second
        assert not cut_off.exists()
        assert step_of(second) == 10

    def test_none(self, tmp_path: Path):
        assert last_checkpoint(tmp_path) is None
        assert step_of(None) == 0
