"""Reading that is cancelled leaves the context as it was."""

from __future__ import annotations

import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines.base import Cancelled, SamplingSettings
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.protocol.protocol import Turn
from tests.agent.engines.gguf.gguf_scenes import (
    LOOK,
    QUESTION,
    conversation,
    engine,
    equals_fresh_reading,
    picture,
)
from tests.small_models import tiny_qwen25
from tests.train.export.pairs import engine_qwen25, pair_qwen25

__all__ = ["conversation", "engine", "engine_qwen25", "pair_qwen25", "tiny_qwen25"]


class StopAt:
    """Says stop at the n-th time it is asked."""

    def __init__(self, count: int) -> None:
        self.left = count

    def __call__(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("count", [0, 1, 40, 200])
def test_cancelled_reading_leaves_nothing_behind(
    engine: GgufEngine, conversation: GgufConversation, count: int
) -> None:
    conversation.append([Turn("system", "Be brief.")], [])
    usage, length = conversation.usage, conversation.context_tokens
    stop = StopAt(count)
    with pytest.raises(Cancelled):
        conversation.append([QUESTION, LOOK], [picture(1), picture(2)], stop)
    assert stop.left < 0
    assert conversation.usage.prompt == usage.prompt
    assert conversation.context_tokens <= length
    conversation.append([QUESTION], [picture()])
    assert equals_fresh_reading(
        conversation, engine, [Turn("system", "Be brief."), QUESTION], [picture()]
    )


def test_an_error_in_should_stop_comes_through(conversation: GgufConversation) -> None:
    asked = iter([False, False, False])
    with pytest.raises(StopIteration):
        conversation.append([QUESTION], [picture()], lambda: next(asked))
    conversation.append([QUESTION], [picture()])


def test_cancel_between_tokens(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    generated = conversation.generate(SamplingSettings(max_new_tokens=50), should_stop=StopAt(4))
    assert (generated.finish, generated.tokens) == ("cancelled", 4)
    conversation.append([Turn("user", "Go on.")], [])
    assert conversation.generate(SamplingSettings(max_new_tokens=2)).tokens == 2
