"""Random conversations have the agent's form, and the same seed gives the same one."""

from __future__ import annotations

import pytest

from agent.convert.episodes import random_episode
from agent.protocol.reply import parse_reply
from agent.rendering.model_image import QWEN25
from agent.rendering.render import COMPACT, PUBLISHED


def test_two_calls_with_their_pictures_and_an_open_answer() -> None:
    episode = random_episode(3, QWEN25, COMPACT)
    roles = [turn.role for turn in episode.turns]
    assert roles[-5:] == ["assistant", "tool", "assistant", "tool", "assistant"]
    calls = [parse_reply(turn.text) for turn in episode.turns if turn.role == "assistant"][:2]
    assert [call.kind for call in calls] == ["call", "call"]
    assert [turn.picture for turn in episode.turns if turn.picture is not None] == [0, 1, 2]
    assert len(episode.pictures) == 3
    assert episode.turns[-1].text.endswith("<answer>\\boxed{")


def test_the_same_for_the_same_seed() -> None:
    first, again, other = (random_episode(seed, QWEN25, COMPACT) for seed in (1, 1, 2))
    assert first.turns == again.turns != other.turns
    assert [one.tobytes() for one in first.pictures] == [one.tobytes() for one in again.pictures]


@pytest.mark.parametrize(("seed", "style"), [(0, PUBLISHED), (1, COMPACT), (5, PUBLISHED)])
def test_every_fifth_has_the_published_pictures(seed: int, style: object) -> None:
    default = random_episode(seed, QWEN25).pictures[0]
    assert default.tobytes() == random_episode(seed, QWEN25, style).pictures[0].tobytes()
