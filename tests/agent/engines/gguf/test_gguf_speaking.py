"""What a tiny Qwen2.5-VL says through llama.cpp: whole letters, calls, the odds of a verdict."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines.base import ChoicePoint, SamplingSettings
from agent.engines.gguf import generate_turn
from agent.engines.gguf.conversation import GgufConversation
from agent.engines.gguf.engine import GgufEngine
from agent.engines.sampling import log_softmax
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.protocol.reply import parse_reply
from tests.agent.engines.gguf.gguf_scenes import (
    LOOK,
    NEAR,
    QUESTION,
    conversation,
    engine,
    equals_fresh_reading,
    picture,
    script_reply,
)
from tests.small_models import tiny_qwen25
from tests.train.export.pairs import engine_qwen25, pair_qwen25

__all__ = ["conversation", "engine", "engine_qwen25", "pair_qwen25", "tiny_qwen25"]


def test_letters_come_whole(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "λ 6563 Å — 🜚 ∑ naïve"
    ids = engine._shared.vocabulary.plain_ids(text)
    assert any(engine._shared.vocabulary.bytes_of(token)[-1:] >= b"\x80" for token in ids)
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, text)
    pieces: list[str] = []
    generated = conversation.generate(SamplingSettings(), on_text=pieces.append)
    assert generated.text == text == "".join(pieces)
    assert len(pieces) > 5
    assert "\N{REPLACEMENT CHARACTER}" not in generated.text


def test_same_seed_same_words(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    texts = []
    for seed in (1, 1, 2):
        conversation.rewind(mark)
        sampling = SamplingSettings(temperature=2.0, max_new_tokens=20)
        texts.append(conversation.generate(sampling, seed).text)
    assert texts[0] == texts[1] != texts[2]


def test_control_tokens_are_never_said(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    for seed in range(10):
        conversation.rewind(mark)
        text = conversation.generate(
            SamplingSettings(temperature=10.0, max_new_tokens=100), seed
        ).text
        assert "<|" not in text


def test_stop_strings_are_kept_and_end_the_turn(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, "I see <tool_response>\nnothing real", "never said")
    generated = conversation.generate(SamplingSettings(), stop=("<tool_response>",))
    assert generated.text == "I see <tool_response>"
    assert generated.finish == "stop"
    conversation.append([LOOK], [picture(2)])
    turns = [QUESTION, Turn("assistant", "I see <tool_response>"), LOOK]
    assert equals_fresh_reading(conversation, engine, turns, [picture(), picture(2)])


def test_the_model_must_have_been_asked(conversation: GgufConversation) -> None:
    with pytest.raises(EngineError, match="append a turn"):
        conversation.generate(SamplingSettings())
    conversation.append([QUESTION], [picture()])
    conversation.generate(SamplingSettings(max_new_tokens=1))
    with pytest.raises(EngineError, match="append a turn"):
        conversation.generate(SamplingSettings())
    conversation.append([], [])
    assert conversation.generate(SamplingSettings(max_new_tokens=1)).tokens == 1


@pytest.mark.parametrize(
    ("said", "choice_point"),
    [
        ("so \\boxed{NO} and \\boxed{YES} it is", ChoicePoint()),
        ("so \\boxed{NO}", ChoicePoint("so ", ("\\boxed{YES", "\\boxed{NO"))),
        ("so \\box", ChoicePoint("\\box", ("ed{YES}", "ed{NO}"))),
        ("the end: ", ChoicePoint(": ", ("Yes indeed", "Yes perhaps"))),
        ("wavelength", ChoicePoint("wave", ("length", "form"))),
    ],
)
def test_choices_are_the_models_odds(
    engine: GgufEngine,
    conversation: GgufConversation,
    monkeypatch: pytest.MonkeyPatch,
    said: str,
    choice_point: ChoicePoint,
) -> None:
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, said)
    generated = conversation.generate(SamplingSettings(), choice_point=choice_point)
    assert generated.choices is not None
    vocabulary = engine._shared.vocabulary
    spoken = vocabulary.plain_ids(said)
    end = said.rindex(choice_point.after) + len(choice_point.after)
    count = max(
        n
        for n in range(len(spoken) + 1)
        if len(b"".join(map(vocabulary.bytes_of, spoken[:n]))) <= end
    )
    before = b"".join(map(vocabulary.bytes_of, spoken[:count])).decode()
    options = {
        option: vocabulary.plain_ids(said[len(before) : end] + option)
        for option in choice_point.options
    }
    if len({ids[0] for ids in options.values()}) == len(options) and len(before) == end:
        options = {option: ids[:1] for option, ids in options.items()}
    for option, ids in options.items():
        fresh = engine.open()
        fresh.append([QUESTION], [picture()])
        logits = np.concatenate(
            [fresh._state.logits[None], fresh._context.read_all([*spoken[:count], *ids])]
        )
        odds = log_softmax(logits[count : count + len(ids)])
        wanted = float(odds[np.arange(len(ids)), ids].sum())
        assert generated.choices[option] == pytest.approx(wanted, abs=NEAR)
        fresh.close()
    # what was tried out is forgotten
    conversation.append([Turn("user", "Why?")], [])
    assert equals_fresh_reading(
        conversation, engine, [QUESTION, Turn("assistant", said), Turn("user", "Why?")], [picture()]
    )


def test_no_box_no_choices(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, "no box here")
    assert conversation.generate(SamplingSettings()).choices is None


def test_a_call_cannot_be_misspelt(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nearly uniform chance after `<tool_call>` still gives a call the tool understands."""
    vocabulary = engine._shared.vocabulary
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    choose, asked = generate_turn.choose, iter(())

    def call_third(logits, sampling, randomness):
        return next(asked, None) or choose(logits, sampling, randomness)

    monkeypatch.setattr(generate_turn, "choose", call_third)
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
