"""llama.cpp computes what transformers computes, for both families and all types."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

import torch

from agent.convert.episodes import random_episode
from agent.rendering.render import COMPACT
from tests.small_models import tiny_qwen3, tiny_qwen25
from tests.train.export.pairs import load, pair_qwen3, pair_qwen25
from train.export.export import ExportReport, export_gguf
from train.export.parity import Parity, Reference, compare, score_gguf

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
    parity = measured(tiny_qwen25, export_gguf(tiny_qwen25, tmp_path, lm_type="q8_0"))
    assert parity.rms < 0.1 * parity.spread
    assert parity.share > 0.85


def test_another_model_would_be_noticed(tiny_qwen25: Path, pair_qwen25: ExportReport) -> None:
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
    parity = measured(folder, export_gguf(folder, tmp_path / "out"))
    assert parity.share >= 0.985
    shutil.rmtree(folder)
