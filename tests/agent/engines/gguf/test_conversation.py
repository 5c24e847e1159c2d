"""What a conversation with a GGUF model reads, forgets and refuses."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Turn
from tests.agent.engines.gguf.gguf_scenes import (
    LOOK,
    QUESTION,
    conversation,
    engine,
    equals_fresh_reading,
    logits_after,
    picture,
    script_reply,
)
from tests.small_models import tiny_qwen25
from tests.train.export.pairs import engine_qwen25, load, pair_qwen25
from train.export.export import ExportReport

__all__ = ["conversation", "engine", "engine_qwen25", "pair_qwen25", "tiny_qwen25"]


def test_the_model_must_have_been_asked(conversation: GgufConversation) -> None:
    with pytest.raises(EngineError, match="append a turn"):
        conversation.generate(SamplingSettings())
    conversation.append([QUESTION], [picture()])
    conversation.generate(SamplingSettings(max_new_tokens=1))
    with pytest.raises(EngineError, match="append a turn"):
        conversation.generate(SamplingSettings())
    conversation.append([], [])
    assert conversation.generate(SamplingSettings(max_new_tokens=1)).tokens == 1


def test_reads_every_token_once(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for turn, shown in (([QUESTION], picture(1)), ([LOOK], picture(2)), ([LOOK], picture(3))):
        conversation.append(turn, [shown])
        script_reply(monkeypatch, engine, "<think>\nLook closer at H alpha.\n</think>")
        generated = conversation.generate(SamplingSettings())
        assert generated.finish == "stop"
    usage = conversation.usage
    assert usage.images == 3 * 24
    assert usage.evaluated == conversation.context_tokens == usage.prompt + usage.generated


def test_turn_by_turn_is_the_same_as_all_at_once(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = picture(1), picture(2, across=8)
    conversation.append([QUESTION], [first])
    script_reply(monkeypatch, engine, "Let me look at it.")
    said = conversation.generate(SamplingSettings()).text
    conversation.append([LOOK], [second])
    turns = [QUESTION, Turn("assistant", said), LOOK]
    assert said == "Let me look at it."
    assert equals_fresh_reading(conversation, engine, turns, [first, second])
    other = logits_after(engine, turns, [first, picture(5, across=8)])
    own = logits_after(engine, turns, [first, second])
    assert np.abs(own - other).max() > 0.2  # the picture matters


def test_a_turn_opened_in_vain_leaves_no_trace(
    engine: GgufEngine, conversation: GgufConversation
) -> None:
    conversation.append([QUESTION], [picture()])
    conversation.append([Turn("user", "A word before you speak.")], [])
    turns = [QUESTION, Turn("user", "A word before you speak.")]
    assert equals_fresh_reading(conversation, engine, turns, [picture()])
    assert conversation.usage.prompt == conversation.context_tokens


def test_cut_off_turns_are_closed_by_the_next(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, "one two three four five six seven eight nine ten")
    generated = conversation.generate(SamplingSettings(max_new_tokens=5))
    assert (generated.finish, generated.tokens) == ("length", 5)
    conversation.append([Turn("user", "Go on.")], [])
    ids = engine._shared.vocabulary.plain_ids("one two three four five six seven eight nine ten")
    text = b"".join(map(engine._shared.vocabulary.bytes_of, ids[:5])).decode()
    assert generated.text == text
    assert conversation.context_tokens == conversation.usage.evaluated
    assert conversation.usage.evaluated == conversation.usage.prompt + conversation.usage.generated


def test_rewind_says_the_same_again(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    before = conversation.context_tokens
    wild = SamplingSettings(temperature=1.5, top_p=0.9, max_new_tokens=40)
    first = conversation.generate(wild, seed=7)
    conversation.append([LOOK], [picture(2)])
    conversation.generate(SamplingSettings(max_new_tokens=5))
    conversation.rewind(mark)
    assert conversation.context_tokens == before
    assert conversation.generate(wild, seed=7) == first
    conversation.rewind(mark)
    assert conversation.generate(wild, seed=8) != first


def test_marks_after_a_rewind_are_void(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    early = conversation.mark()
    conversation.generate(SamplingSettings(max_new_tokens=3))
    late = conversation.mark()
    conversation.rewind(late)
    conversation.append([Turn("user", "And now?")], [])
    conversation.rewind(early)
    with pytest.raises(EngineError, match="no longer valid"):
        conversation.rewind(late)
    with pytest.raises(EngineError, match="another conversation"):
        conversation.rewind(object())


def test_full_context_is_refused_before_anything_is_read(pair_qwen25: ExportReport) -> None:
    small = load(pair_qwen25, context_length=120)
    conversation = small.open()
    conversation.append([QUESTION], [picture()])
    used = conversation.usage
    with pytest.raises(ContextFullError, match="context has 120"):
        conversation.append([LOOK], [picture(2, across=10, down=8)])
    assert conversation.usage == used
    room = 120 - conversation.context_tokens
    generated = conversation.generate(SamplingSettings(max_new_tokens=500))
    assert (generated.finish, generated.tokens) == ("length", room)
    with pytest.raises(ContextFullError):
        conversation.append([Turn("user", "Go on.")], [])
    small.close()


@pytest.mark.parametrize(
    "wrong",
    [
        Image.new("RGB", (30, 28)),
        Image.new("RGB", (28, 28)),
        Image.new("L", (168, 112)),
        Image.new("RGB", (28 * 40, 28 * 40)),
    ],
)
def test_pictures_must_be_sized(conversation: GgufConversation, wrong: Image.Image) -> None:
    with pytest.raises(EngineError, match="does not fit"):
        conversation.append([QUESTION], [wrong])
    assert conversation.context_tokens == 0


def test_pictures_must_be_those_shown(conversation: GgufConversation) -> None:
    with pytest.raises(EngineError, match="have 1 pictures, but 0"):
        conversation.append([QUESTION], [])


def test_conversations_do_not_mix(engine: GgufEngine) -> None:
    one, two = engine.open(), engine.open()
    one.append([QUESTION], [picture(1)])
    alone = one._state.logits
    two.append([QUESTION, LOOK], [picture(3), picture(4)])
    two.generate(SamplingSettings(max_new_tokens=5))
    one.append([], [])
    fresh = engine.open()
    fresh.append([QUESTION], [picture(1)])
    assert np.array_equal(fresh._state.logits, alone)
    for each in (one, two, fresh):
        each.close()
