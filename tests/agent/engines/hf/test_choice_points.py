"""The odds at a place in a turn whose words are put in the model's mouth, against those that
transformers' own forward gives."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import torch

from agent.engines import local_conversation
from agent.engines.base import ChoicePoint, Generated, SamplingSettings
from agent.engines.chat_tokens import plain_ids
from agent.protocol.protocol import Turn
from tests.agent.engines.hf.hf_scenes import (
    Episode,
    all_logits,
    decoded,
    engine,
    engine25,
    engines,
    first_turns,
    picture,
    stock_logits,
    tokenizer_of,
)
from tests.small_models import tiny_qwen3, tiny_qwen25

__all__ = ["all_logits", "engine", "engine25", "engines", "tiny_qwen3", "tiny_qwen25"]


class TestChoices:
    WORDS = "<think>\nbroad\n</think>\n<answer>\\boxed{NO} or \\boxed{YES} broad emission</answer>"

    @pytest.fixture
    def say(self, monkeypatch, engine):
        """A conversation in which the model has just said the words; its odds are its own."""

        def say(
            choice_point: ChoicePoint | None, words: str = self.WORDS, **how
        ) -> tuple[Episode, Generated]:
            tokenizer = tokenizer_of(engine)
            script = iter([*plain_ids(tokenizer, words), tokenizer.token_to_id("<|im_end|>")])
            monkeypatch.setattr(local_conversation, "choose", lambda *_: next(script))
            episode = Episode(engine)
            episode.append(first_turns(), picture(engine, 5, 4))
            made = episode.conversation.generate(
                SamplingSettings(max_new_tokens=how.pop("most", 90)), choice_point=choice_point
            )
            return episode, made

        return say

    def expected(self, episode: Episode, before: str, options: tuple[str, ...]) -> dict[str, float]:
        """Log-probabilities of what may follow `before` in the model's turn."""
        engine, tokenizer = episode.engine, tokenizer_of(episode.engine)
        fresh = Episode(engine)
        fresh.append(first_turns(), *episode.pictures)
        start = [*fresh.conversation.ids, *plain_ids(tokenizer, before)]
        found = {}
        for option in options:
            ids = plain_ids(tokenizer, option)
            logits = stock_logits(engine, (*start, *ids), fresh.pictures)
            odds = torch.from_numpy(logits).log_softmax(-1).numpy()
            found[option] = sum(odds[len(start) + n - 1, one] for n, one in enumerate(ids))
        return found

    def test_at_a_token_s_end(self, say):
        episode, made = say(ChoicePoint())
        before = self.WORDS[: self.WORDS.rindex("{") + 1]  # the last place counts
        assert made.text == self.WORDS
        assert made.choices == pytest.approx(
            self.expected(episode, before, ("YES", "NO")), abs=1e-3
        )
        assert episode.conversation.usage.evaluated == len(episode.conversation.ids)

    def test_inside_a_token(self, say):
        episode, made = say(ChoicePoint(" em", ("iss", "bers")))
        before = self.WORDS[: self.WORDS.index(" emission")]
        scores = self.expected(episode, before, (" emiss", " embers"))
        assert made.choices == pytest.approx(
            {"iss": scores[" emiss"], "bers": scores[" embers"]}, abs=1e-3
        )

    def test_inside_a_token_after_a_place_at_the_end_of_one(self, say):
        words = "An em, and emission"
        episode, made = say(ChoicePoint(" em", ("iss", "bers")), words)
        scores = self.expected(episode, "An em, and", (" emiss", " embers"))
        assert made.choices == pytest.approx(
            {"iss": scores[" emiss"], "bers": scores[" embers"]}, abs=1e-3
        )

    def test_between_words_that_begin_alike(self, say):
        options = ("YES", "YES, or NO")
        episode, made = say(ChoicePoint(options=options))
        before = self.WORDS[: self.WORDS.rindex("{") + 1]
        assert made.choices == pytest.approx(self.expected(episode, before, options), abs=1e-3)

    def test_where_the_turn_was_cut_off(self, say):
        words = self.WORDS[: self.WORDS.index("{") + 1]
        count = len(plain_ids(tokenizer_of(say(None)[0].engine), words))
        episode, made = say(ChoicePoint(), most=count)
        assert (made.text, made.finish) == (words, "length")
        assert made.choices == pytest.approx(self.expected(episode, words, ("YES", "NO")), abs=1e-3)

    @pytest.mark.parametrize(
        "choice_point", [ChoicePoint(" em"), ChoicePoint(options=("YES", "YES, or NO"))]
    )
    def test_reading_on_leaves_no_trace(self, say, all_logits, choice_point):
        episode, _ = say(choice_point)
        assert episode.conversation.usage.evaluated > len(episode.conversation.ids)
        all_logits.clear()
        episode.append([Turn("tool", "Done.", picture=1)], picture(episode.engine, 6, 4))

        ours = np.concatenate(all_logits)
        theirs = stock_logits(episode.engine, episode.conversation.ids, episode.pictures)
        assert self.WORDS in decoded(episode.engine, episode.conversation.ids)
        assert np.abs(ours - theirs[-len(ours) :]).max() < 1e-3

    @pytest.mark.parametrize(
        "choice_point", [None, ChoicePoint("never said"), ChoicePoint(" em", ("",))]
    )
    def test_none_without_a_place_or_options(self, say, choice_point):
        assert say(choice_point)[1].choices is None
