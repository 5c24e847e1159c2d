"""Reading in pieces against transformers' own forward over the whole chat."""

from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.errors import Cancelled, EngineError
from agent.protocol.protocol import Turn
from tests.agent.engines.hf.hf_scenes import (
    GREEDY,
    Episode,
    all_logits,
    begun,
    engine,
    engine25,
    engines,
    first_turns,
    picture,
    stock_logits,
)
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["all_logits", "engine", "engine25", "engines", "tiny_qwen3", "tiny_qwen25"]


def test_three_turns_equal_one_stock_forward(engine, all_logits):
    episode = Episode(engine)
    episode.three_turns()

    ours = np.concatenate(all_logits)
    theirs = stock_logits(engine, episode.conversation.ids, episode.pictures)
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-3
    assert (ours.argmax(-1) == theirs.argmax(-1)).all()
    assert theirs.std() > 1  # a model that says something


def test_much_at_once_equals_one_stock_forward(engine, all_logits):
    """Several pictures in one reading, and more words than are read in one piece."""
    long = "wavelength range " * 300
    turns = [*first_turns(long), Turn("tool", "One.", picture=1), Turn("tool", long, picture=2)]
    shown = [(9, 5), (3, 8), (7, 2)]
    episode = Episode(engine)
    episode.append(turns, *(picture(engine, *size, seed=n) for n, size in enumerate(shown)))

    ours = np.concatenate(all_logits)
    theirs = stock_logits(engine, episode.conversation.ids, episode.pictures)
    assert len(all_logits) > 2
    assert np.abs(ours - theirs).max() < 1e-3


class TestCancelledReading:
    LONG = "wavelength " * 1200

    def test_forgets_what_it_began(self, engine25):
        conversation = engine25.open()
        asked: list[int] = []

        def after_a_chunk() -> bool:
            asked.append(len(conversation.ids))
            return len(asked) == 2

        with pytest.raises(Cancelled):
            conversation.append(first_turns(self.LONG), [picture(engine25, 5, 4)], after_a_chunk)
        assert asked[1] > asked[0]
        assert conversation.ids == ()

    def test_can_be_tried_again(self, engine25):
        conversation, untouched = engine25.open(), engine25.open()
        for each in (conversation, untouched):
            each.append(first_turns(), [picture(engine25, 5, 4)])
            each.generate(GREEDY)
        asked = iter([False])
        more = [Turn("user", self.LONG)]
        with pytest.raises(Cancelled):
            conversation.append(more, [], lambda: next(asked, True))
        for each in (conversation, untouched):
            each.append(more, [])
        assert conversation.ids == untouched.ids
        assert conversation.generate(GREEDY) == untouched.generate(GREEDY)


class TestOutOfMemory:
    @pytest.mark.parametrize("failure", [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory"),
        MemoryError(),
    ])  # fmt: skip
    def test_no_memory_left_says_what_to_try(self, engine25, monkeypatch, failure):
        conversation = begun(engine25)
        conversation.generate(GREEDY)
        ids = conversation.ids

        with monkeypatch.context() as patched:
            patched.setattr(
                engine25._require_loaded().model.model, "forward", Mock(side_effect=failure)
            )
            with pytest.raises(EngineError, match="smaller model"):
                conversation.append([Turn("user", "More.")], [])
        assert conversation.ids == ids
        conversation.append([Turn("user", "More.")], [])

    def test_no_memory_left_half_way_leaves_no_trace(self, engine, all_logits):
        episode = Episode(engine)
        episode.append(first_turns(), picture(engine, 5, 4))
        episode.conversation.generate(GREEDY)

        hook = (
            engine._require_loaded()
            .model.model.language_model.layers[2]
            .register_forward_hook(Mock(side_effect=torch.OutOfMemoryError("CUDA out of memory")))
        )
        with pytest.raises(EngineError, match="smaller model"):
            episode.conversation.append([Turn("user", "More.")], [])
        hook.remove()
        all_logits.clear()
        episode.append([Turn("user", "Now.")])

        ours = np.concatenate(all_logits)
        theirs = stock_logits(engine, episode.conversation.ids, episode.pictures)
        assert np.abs(ours - theirs[-len(ours) :]).max() < 1e-3
