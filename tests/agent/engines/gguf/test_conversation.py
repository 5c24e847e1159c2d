"""What a conversation with a GGUF model reads, forgets and refuses."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("llama_cpp")
pytest.importorskip("gguf")
pytest.importorskip("torch")

from agent.engines.base import ChoicePoint, SamplingSettings
from agent.engines.gguf.context import GgufContext
from agent.engines.gguf.engine import GgufConversation, GgufEngine
from agent.engines.sampling import log_softmax
from agent.errors import Cancelled, ContextFullError, EngineError
from agent.protocol.protocol import Turn
from agent.protocol.wording_file import write_wording
from tests.agent.engines.gguf.gguf_scenes import (
    LOOK,
    NEAR,
    QUESTION,
    conversation,
    engine,
    equals_fresh_reading,
    logits_after,
    picture,
    script_reply,
)
from tests.agent.engines.wording_scenes import TURNS, as_rolled_out, inspect, rendered
from tests.agent.protocol.wordings import wording
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


@pytest.mark.parametrize("wrong", [
    Image.new("RGB", (30, 28)),
    Image.new("RGB", (28, 28)),
    Image.new("L", (168, 112)),
    Image.new("RGB", (28 * 40, 28 * 40)),
])  # fmt: skip
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


# Turns generated by a tiny Qwen2.5-VL through llama.cpp.
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


def test_control_tokens_are_never_said(conversation: GgufConversation) -> None:
    conversation.append([QUESTION], [picture()])
    mark = conversation.mark()
    for seed in range(10):
        conversation.rewind(mark)
        wild = SamplingSettings(temperature=10.0, max_new_tokens=100)
        text = conversation.generate(wild, seed).text
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


@pytest.mark.parametrize(("said", "choice_point"), [
    ("so \\boxed{NO} and \\boxed{YES} it is", ChoicePoint()),
    ("so \\boxed{NO}", ChoicePoint("so ", ("\\boxed{YES", "\\boxed{NO"))),
    ("so \\box", ChoicePoint("\\box", ("ed{YES}", "ed{NO}"))),
    ("the end: ", ChoicePoint(": ", ("Yes indeed", "Yes perhaps"))),
    ("wavelength", ChoicePoint("wave", ("length", "form"))),
])  # fmt: skip
def test_choices_are_the_models_odds(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch, said: str,
    choice_point: ChoicePoint,
) -> None:  # fmt: skip
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
        rest = fresh._context.read_all([*spoken[:count], *ids])
        logits = np.concatenate([fresh._state.logits[None], rest])
        odds = log_softmax(logits[count : count + len(ids)])
        wanted = float(odds[np.arange(len(ids)), ids].sum())
        assert generated.choices[option] == pytest.approx(wanted, abs=NEAR)
        fresh.close()
    # what was tried out is forgotten
    conversation.append([Turn("user", "Why?")], [])
    turns = [QUESTION, Turn("assistant", said), Turn("user", "Why?")]
    assert equals_fresh_reading(conversation, engine, turns, [picture()])


def test_no_box_no_choices(
    engine: GgufEngine, conversation: GgufConversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.append([QUESTION], [picture()])
    script_reply(monkeypatch, engine, "no box here")
    assert conversation.generate(SamplingSettings()).choices is None


# Reading that is cancelled leaves the context as it was.
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
    turns = [Turn("system", "Be brief."), QUESTION]
    assert equals_fresh_reading(conversation, engine, turns, [picture()])


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


# What llama.cpp reads in a wording is what the template renders from its files.
def test_the_model_reads_what_the_template_renders(
    engine_qwen25: GgufEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    script_reply(monkeypatch, engine_qwen25, *TURNS)
    vocabulary = engine_qwen25._shared.vocabulary
    read = bytearray()
    before: list[str] = []
    read_text, read_picture = GgufContext._read_text, GgufContext.read_picture
    generate = GgufConversation.generate

    def noting_text(context: GgufContext, ids: Sequence[int], **options):
        read.extend(b"".join(map(vocabulary.bytes_of, ids)))
        return read_text(context, ids, **options)

    def noting_picture(context: GgufContext, picture: Image.Image) -> None:
        read.extend(b"<|image_pad|>")
        read_picture(context, picture)

    def noting(conversation: GgufConversation, *args, **options):
        before.append(read.decode())
        return generate(conversation, *args, **options)

    monkeypatch.setattr(GgufContext, "_read_text", noting_text)
    monkeypatch.setattr(GgufContext, "read_picture", noting_picture)
    monkeypatch.setattr(GgufConversation, "generate", noting)
    inspect(engine_qwen25, folder)
    assert len(before) == 3
    assert before[-1] == as_rolled_out(rendered(folder))
