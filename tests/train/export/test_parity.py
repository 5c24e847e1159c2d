"""llama.cpp computes what transformers computes, for both families and all types."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch
from typer import Typer
from typer.testing import CliRunner

from agent.errors import WorkbenchError
from agent.rendering.render import COMPACT
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.pairs import exported, load, pair_qwen3, pair_qwen25
from train.export import parity_report
from train.export.command import export
from train.export.episodes import random_episode
from train.export.export import ExportReport
from train.export.parity import Parity, Reference, compare, score_gguf
from train.export.parity_report import with_parity
from train.models.errors import ExportError

__all__ = ["pair_qwen3", "pair_qwen25", "tiny_qwen3", "tiny_qwen25"]


@pytest.fixture(autouse=True)
def one_thread() -> None:
    torch.set_num_threads(1)


def measured(model: Path, pair: ExportReport, seed: int = 3) -> Parity:
    reference = Reference(model)
    engine = load(pair)
    try:
        return compare(reference, [engine], [random_episode(seed, reference.sizing, COMPACT)])[0]
    finally:
        engine.close()


@pytest.mark.parametrize("family", ["qwen25", "qwen3"])
def test_float16_agrees(family: str, request: pytest.FixtureRequest) -> None:
    model = request.getfixturevalue(f"tiny_{family}")
    parity = measured(model, request.getfixturevalue(f"pair_{family}"))
    assert parity.positions > 1000
    assert parity.share >= 0.99
    assert parity.own_equal / parity.own_positions >= 0.99
    assert parity.largest < 0.05 * parity.spread
    assert parity.verdicts_equal == parity.episodes == 1
    assert parity.largest_p_yes < 0.01


def test_q8_0_stays_near(tiny_qwen25: Path, tmp_path: Path) -> None:
    parity = measured(tiny_qwen25, exported(tiny_qwen25, tmp_path, "q8_0"))
    assert parity.rms < 0.1 * parity.spread
    assert parity.share > 0.85


def test_another_model_would_be_noticed(
    tiny_qwen25: Path,
    pair_qwen25: ExportReport,
) -> None:
    """The comparison can fail: one picture changed, seen by llama.cpp alone."""
    reference, engine = Reference(tiny_qwen25), load(pair_qwen25)
    episode, other = (random_episode(seed, reference.sizing, COMPACT) for seed in (3, 4))
    wanted = reference.score(episode)
    mixed = type(episode)(episode.turns, (other.pictures[0], *episode.pictures[1:]))
    found = score_gguf(engine, mixed)[1]
    engine.close()
    assert np.abs(found - wanted.logits).max() > 0.5
    assert (found.argmax(1) == wanted.logits.argmax(1)).mean() < 0.97


def test_the_models_turns_are_told_from_ours(tiny_qwen25: Path) -> None:
    reference = Reference(tiny_qwen25)
    scored = reference.score(random_episode(3, reference.sizing, COMPACT))
    own = [token for token, is_own in zip(scored.ids[1:], scored.own[:-1], strict=True) if is_own]
    text = reference.tokenizer.decode(own, skip_special_tokens=False)
    assert text.count("<|im_end|>") == 3
    assert text.count("<tool_call>") == 2
    assert "Generated" not in text and "user" not in text


@pytest.fixture
def command() -> Typer:
    app = Typer()
    app.command()(export)
    return app


def test_command(command: Typer, tiny_qwen25: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = CliRunner().invoke(command, [str(tiny_qwen25), str(out), "--json", "--threads", "1"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told == json.loads((out / "export.json").read_text())
    assert told["parity"]["share"] >= 0.99
    assert told["parity"]["episodes"] == told["parity"]["verdicts_equal"] == 3
    assert told["source"] == str(tiny_qwen25)


def test_command_without_comparison(command: Typer, tiny_qwen25: Path, tmp_path: Path) -> None:
    arguments = [str(tiny_qwen25), str(tmp_path), "--type", "q8_0", "--no-parity"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    assert "model-q8_0.gguf" in result.stdout
    assert "not requested" in result.stdout


def test_command_refuses(command: Typer, tmp_path: Path) -> None:
    result = CliRunner().invoke(command, [str(tmp_path / "none"), str(tmp_path / "out")])
    assert isinstance(result.exception, WorkbenchError)
    assert CliRunner().invoke(command, ["a", "b", "--type", "q4"]).exit_code == 2


@pytest.mark.filterwarnings("ignore::FutureWarning")  # peft's, about transformers
def test_command_merges_an_adapter(command: Typer, tiny_qwen25: Path, tmp_path: Path) -> None:
    peft = pytest.importorskip("peft")
    from transformers import Qwen2_5_VLForConditionalGeneration

    model = Qwen2_5_VLForConditionalGeneration.from_pretrained(tiny_qwen25)
    settings = peft.LoraConfig(r=2, target_modules=r".*layers\.\d+\.self_attn\.[qv]_proj")
    adapted = peft.get_peft_model(model, settings)
    with torch.no_grad():
        for name, weight in adapted.named_parameters():
            if "lora_" in name:
                weight.normal_(0, 0.3, generator=torch.Generator().manual_seed(len(name)))
    adapted.save_pretrained(tmp_path / "adapter")
    with pytest.raises(ExportError, match="--adapter"):
        exported(tmp_path / "adapter", tmp_path / "out")
    arguments = [str(tiny_qwen25), str(tmp_path / "out"), "--adapter", str(tmp_path / "adapter")]
    result = CliRunner().invoke(command, [*arguments, "--json", "--threads", "1"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["adapter"] == str(tmp_path / "adapter")
    assert told["parity"]["share"] >= 0.98
    plain = exported(tiny_qwen25, tmp_path / "plain")
    assert told["language_model"]["sha256"] != plain.language_model.sha256
    assert told["mmproj"]["sha256"] == plain.mmproj.sha256
    assert sorted(path.suffix for path in (tmp_path / "out").iterdir()) == [
        ".gguf",
        ".gguf",
        ".json",
    ]


def test_wrong_files_are_called_wrong(
    tiny_qwen25: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pair of one model compared with another."""
    from tests.small_models import lively_model, small_tokenizer
    from train.models.small_model import save_small_model

    monkeypatch.setattr(parity_report, "EPISODES", 1)
    report = exported(tiny_qwen25, tmp_path / "out")
    save_small_model(tmp_path / "other", lively_model("qwen2.5-vl", seed=9), small_tokenizer())
    with pytest.raises(ExportError, match="does not compute what transformers does"):
        with_parity(report, tmp_path / "other", wanted=True, threads=1)
    assert json.loads((tmp_path / "out" / "export.json").read_text())["parity"]["share"] < 0.9


def test_large_models_are_compared_when_asked(
    tiny_qwen25: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parity_report, "MOST_PARAMETERS", 1000)
    report = with_parity(exported(tiny_qwen25, tmp_path), tiny_qwen25, wanted=None)
    assert report.parity is None and "--parity" in report.parity_note
    assert json.loads((tmp_path / "export.json").read_text())["parity_note"] == report.parity_note


def test_all_layers_seeing_the_whole_picture(tmp_path: Path) -> None:
    """Four layers of four: llama.cpp's pattern of 0."""
    from tests.small_models import lively_model, small_tokenizer
    from train.models.small_model import save_small_model

    model = lively_model("qwen2.5-vl", seed=5)
    folder = tmp_path / "model"
    save_small_model(folder, model, small_tokenizer())
    config = json.loads((folder / "config.json").read_text())
    config["vision_config"]["fullatt_block_indexes"] = [0, 1, 2, 3]
    (folder / "config.json").write_text(json.dumps(config))
    parity = measured(folder, exported(folder, tmp_path / "out"))
    assert parity.share >= 0.985
    shutil.rmtree(folder)
