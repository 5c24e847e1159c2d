"""Two models are compared by what they would say in the same conversations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("llama_cpp")

from agent.convert.convert import plan_conversion, write_files
from agent.convert.episodes import random_episode
from agent.convert.model import Answers, agreement, answers, measure_speed
from agent.engines.gguf.engine import GgufEngine
from agent.engines.sampling import log_softmax
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT


def test_what_is_counted() -> None:
    def said(tokens: list[int], p_yes: float) -> Answers:
        return Answers(np.array(tokens), p_yes)

    found = agreement(
        [said([1, 2, 3], 0.9), said([4, 5], 0.2)], [said([1, 2, 4], 0.7), said([4, 5], 0.6)]
    )
    assert (found.prompts, found.positions, found.equal) == (2, 5, 4)
    assert (found.verdicts_equal, found.verdicts_yes) == (1, 1)
    assert found.largest_p_yes == pytest.approx(0.4)
    assert found.share == pytest.approx(0.8)


def test_answers_are_those_of_all_logits(random_folder: Path, tmp_path: Path) -> None:
    write_files(plan_conversion(random_folder, "f16"), tmp_path)
    engine = GgufEngine.load(
        tmp_path / "model-f16.gguf", tmp_path / "mmproj-f16.gguf", threads=1, context_length=8192
    )
    episode = random_episode(1, QWEN25, COMPACT)
    try:
        (found,) = answers(engine, [episode])
        conversation = engine.open()
        _, logits = conversation.read_scored(episode.turns, episode.pictures)
        speed = measure_speed(engine, episode)
        yes, no = (engine.token_ids(word)[0] for word in ("YES", "NO"))
    finally:
        engine.close()
    assert np.array_equal(found.likeliest, logits.argmax(axis=1))
    wanted = np.exp(log_softmax(logits[-3][[yes, no]]))[0]  # two tokens close the turn
    assert found.p_yes == pytest.approx(float(wanted), abs=1e-4)
    assert speed.read > 0
    assert speed.written > 0
