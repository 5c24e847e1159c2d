"""Conversations that are taken back to a mark."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from agent.errors import EngineError
from agent.protocol.protocol import Turn
from tests.agent.engines.hf.hf_scenes import (
    GREEDY,
    Episode,
    all_logits,
    engine,
    engine25,
    engines,
    first_turns,
    picture,
    stock_logits,
)
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["all_logits", "engine", "engine25", "engines", "tiny_qwen3", "tiny_qwen25"]


class TestRewind:
    def test_to_an_open_turn(self, engine):
        episode = Episode(engine)
        episode.append(first_turns(), picture(engine, 5, 4))
        mark = episode.conversation.mark()
        ids = episode.conversation.ids
        texts = []
        for _ in range(2):
            texts.append(episode.conversation.generate(GREEDY).text)
            episode.conversation.append(
                [Turn("tool", "More.", picture=1)], [picture(engine, 6, 4, seed=8)]
            )
            texts[-1] += episode.conversation.generate(GREEDY).text
            episode.conversation.rewind(mark)
            assert episode.conversation.ids == ids
        assert texts[0] == texts[1]

    def test_logits_afterwards_are_those_of_a_fresh_reading(self, engine, all_logits):
        episode = Episode(engine)
        episode.append(first_turns(), picture(engine, 5, 4))
        episode.conversation.generate(GREEDY)
        mark = episode.conversation.mark()
        episode.conversation.append(
            [Turn("tool", "Wrong.", picture=1)], [picture(engine, 9, 3, seed=5)]
        )
        episode.conversation.generate(GREEDY)
        episode.conversation.rewind(mark)
        all_logits.clear()
        episode.append([Turn("tool", "Right.", picture=1)], picture(engine, 4, 6, seed=6))

        ours = np.concatenate(all_logits)
        theirs = stock_logits(engine, episode.conversation.ids, episode.pictures)[-len(ours) :]
        assert np.abs(ours - theirs).max() < 1e-3

    def test_brings_back_words_not_yet_read(self, engine25):
        conversation = engine25.open()
        conversation.append(first_turns(), [picture(engine25, 5, 4)])
        conversation.generate(GREEDY)  # cut off: its last word is not read
        mark = conversation.mark()
        conversation.append([Turn("tool", "Done.")], [])
        ids = conversation.ids
        conversation.rewind(mark)
        conversation.append([Turn("tool", "Done.")], [])
        assert conversation.ids == ids

    def test_to_the_beginning(self, engine25):
        conversation = engine25.open()
        mark = conversation.mark()
        conversation.append(first_turns(), [picture(engine25, 5, 4)])
        ids = conversation.ids
        conversation.rewind(mark)
        assert conversation.ids == ()
        conversation.append(first_turns(), [picture(engine25, 5, 4)])
        assert conversation.ids == ids

    def test_marks_after_it_are_void(self, engine25):
        conversation = engine25.open()
        early = conversation.mark()
        conversation.append(first_turns(), [picture(engine25, 5, 4)])
        late = conversation.mark()
        conversation.rewind(early)
        with pytest.raises(EngineError, match="no longer valid"):
            conversation.rewind(late)

    def test_refuses_marks_of_others(self, engine25):
        with pytest.raises(EngineError, match="another conversation"):
            engine25.open().rewind(engine25.open().mark())
