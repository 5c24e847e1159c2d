"""Tool calls under the grammar."""

from __future__ import annotations

from contextlib import closing

import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines import local_conversation
from agent.engines.base import SamplingSettings
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.protocol.reply import parse_reply
from agent.protocol.rules import AS_PUBLISHED
from tests.agent.engines.gguf.gguf_scenes import (
    QUESTION,
    conversation,
    engine,
    picture,
    script_reply,
)
from tests.agent.protocol.wordings import call
from tests.small_models import tiny_qwen25
from tests.train.export.pairs import engine_qwen25, pair_qwen25

__all__ = ["conversation", "engine", "engine_qwen25", "pair_qwen25", "tiny_qwen25"]


def test_a_call_cannot_be_misspelt(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly uniform chance after `<tool_call>` still gives a call the tool understands."""
    vocabulary = engine._shared.vocabulary
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    choose, asked = local_conversation.choose, iter(())

    def call_third(logits, sampling, randomness):
        return next(asked, None) or choose(logits, sampling, randomness)

    monkeypatch.setattr(local_conversation, "choose", call_third)
    labels = 0
    for seed in range(40):
        conversation.rewind(mark)
        asked = iter([*vocabulary.plain_ids("<think>x</think>\n"), vocabulary.call_token])
        generated = conversation.generate(
            SamplingSettings(temperature=4.0, max_new_tokens=1500), seed
        )
        reply = parse_reply(generated.text)
        assert (generated.finish, reply.kind) == ("stop", "call"), generated.text
        assert generated.text.endswith("</tool_call>")
        assert set(reply.arguments) <= {"wavelength_range", "label"}
        assert len(reply.arguments["wavelength_range"]) == 2
        labels += "label" in reply.arguments
    assert 5 < labels < 35


def test_the_published_spelling_passes_the_grammar(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "<think>\nZoom.\n</think>\n<tool_call>\n"
        '{"name": "spectral_visualization_tool", "arguments": {"wavelength_range": '
        '[6500, 6600.5], "label": "H\\u03b1 \\"core\\" λ"}}\n</tool_call>'
    )
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, text)
    assert conversation.generate(SamplingSettings()).text == text


@pytest.mark.parametrize("arguments", ["{}", '{"label": "H"}', '{"wavelength_range": [1, 2]}'])
def test_by_the_published_rules_a_range_may_be_left_out(
    engine: GgufEngine, monkeypatch: pytest.MonkeyPatch, arguments: str
) -> None:
    text = call(arguments)
    script_reply(monkeypatch, engine, text)
    with closing(engine.open(AS_PUBLISHED)) as conversation:
        conversation.append([QUESTION], [picture()])
        assert conversation.generate(SamplingSettings()).text == text
