from pathlib import Path

import pytest

pytest.importorskip("accelerate")
pytest.importorskip("peft")

from agent.errors import WorkbenchError
from tests.train.sft.samples import Samples
from tests.train.test_recipe import call
from train.recipe import PRESETS, settings
from train.sft.settings import ModelSettings, SftSettings

SHAPE = (
    "vocabulary=1024", "hidden=32", "heads=1", "kv_heads=1", "layers=1", "ffn=48",
    "vision_hidden=16", "vision_heads=1", "vision_layers=1", "whole_every=1", "vision_ffn=24",
)  # fmt: skip
QUICK = ("steps=2", "batch=2", "precision=fp32", "eval_every=0", "save_every=1", "held_out=0.3")


def words(samples: Samples, out: Path, *more: str) -> list[str]:
    given = ["sft", str(samples.approved), "--sets", str(samples.sets), "--out", str(out)]
    given += ["--model", "new", "--preset", "tiny"]
    for change in (*QUICK, *(f"model.{size}" for size in SHAPE)):
        given += ["--set", change]
    return [*given, *more]


def test_trains_and_says_where(monkeypatch, samples: Samples, tmp_path: Path, capsys):
    out = tmp_path / "run"
    assert call(monkeypatch, *words(samples, out, "--model", "Qwen/Nowhere-7B")) == 1
    assert not out.exists(), "an unknown start has left a run behind"
    capsys.readouterr()
    assert call(monkeypatch, *words(samples, out)) == 0
    printed = capsys.readouterr()
    assert printed.out == f"the model is in {out / 'model'}\n"
    assert "parameters are trained" in printed.err and "held out" in printed.err
    assert call(monkeypatch, *words(samples, out)) == 1
    assert "--resume" in capsys.readouterr().err
    assert call(monkeypatch, *words(samples, out, "--resume")) == 0


@pytest.mark.parametrize(("more", "message"), [
    (["--set", "lrr=1"], 'did you mean "lr"'),
    (["--set", "cutoff=100"], "no conversation is left to train on: 10 longer than 100 tokens"),
    (["--model", "Qwen/Nowhere-7B"], "hf download Qwen/Nowhere-7B"),
    (["--set", "model.vision_ffn=16"], "vision_ffn equals"),
])  # fmt: skip
def test_user_errors_are_messages(
    monkeypatch, samples: Samples, tmp_path: Path, capsys, more: list[str], message: str
):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert call(monkeypatch, *words(samples, tmp_path / "run", *more)) == 1
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


class TestPresets:
    def test_the_published_recipe(self):
        for preset in ("3b", "7b"):
            told = settings(SftSettings, "sft", preset=preset)
            assert (told.lr, told.warmup, told.epochs, told.batch) == (2e-5, 0.05, 5.0, 4)
            assert (told.cutoff, told.precision, told.trained) == (32768, "bf16", "language")
            assert told.kind == "full" and told.batch * told.cutoff <= told.batch_tokens
            assert (told.held_out, told.trained, told.tool) == (0.0, "language", True)
            start = settings(ModelSettings, "model", preset=preset).start
            assert start == f"Qwen/Qwen2.5-VL-{preset.upper()}-Instruct"

    @pytest.mark.parametrize("preset", PRESETS)
    def test_every_preset_is_one(self, preset: str):
        settings(SftSettings, "sft", preset=preset)
        shape = settings(ModelSettings, "model", preset=preset).shape
        assert shape.hidden % shape.heads == 0

    @pytest.mark.parametrize(("change", "why"), [
        ("lr=0", r"sft\.lr: 0\.0 is not between 1e-09 and 1"),
        ("batch=0", r"sft\.batch"),
        ("held_out=0.9", r"sft\.held_out"),
        ("style=compct", "'compct' is none of: recorded, published"),
        ("trained=vision", "not one of language, all"),
    ])  # fmt: skip
    def test_faults_are_named(self, change: str, why: str):
        with pytest.raises(WorkbenchError, match=why):
            settings(SftSettings, "sft", sets=[change])
