"""Reading what models write: well, badly, and with malice."""

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.checked_toml import unprintable
from agent.engines.base import SamplingSettings
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.protocol import Turn
from agent.protocol.reply import boxed_verdict, is_well_formed, parse_reply
from agent.protocol.tool import TOOL_NAME
from agent.rendering.render import COMPACT
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import STOPS, ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from agent.trajectory.turns import turns_of
from app.cli.inspection_text import inspection_json, step_lines, verdict_lines
from tests.agent.protocol.chat_text import chat_text
from tests.agent.protocol.malformed import FRAGMENTS, malformed
from tests.agent.scenes import star
from tests.night import examples, seeds
from tests.scripted_engine import ScriptedEngine


def call(arguments: object, name: str = TOOL_NAME) -> str:
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"


ZOOM = call({"wavelength_range": [6500, 6600], "label": "Hα"})
YES = r"<answer>\boxed{YES} Hα is broad.</answer>"


def test_thoughts_calls_answers_and_words_are_told_apart():
    reply = parse_reply(f"<think>look at Hα</think>\n{ZOOM}")
    assert reply.kind == "call"
    assert reply.thought == "look at Hα"
    assert reply.arguments == {"wavelength_range": [6500, 6600], "label": "Hα"}
    reply = parse_reply(f"<think>clear</think>{YES}")
    assert (reply.kind, reply.verdict, reply.thought) == ("answer", "YES", "clear")
    assert reply.answer == r"\boxed{YES} Hα is broad."
    assert parse_reply("I see a blue continuum.").kind == "text"
    assert parse_reply(f"<think>a</think>{ZOOM}{YES}").kind == "call"
    reply = parse_reply(f"<think>maybe {ZOOM} or {YES}</think>then")
    assert reply.kind == "text"
    reply = parse_reply(f"<think>look closer {ZOOM}")
    assert (reply.kind, reply.thought) == ("call", "look closer")
    reply = parse_reply("<think>the lines are")
    assert (reply.kind, reply.thought) == ("text", "the lines are")


@pytest.mark.parametrize(("text", "told"), [
    (f"<think>a</think>{ZOOM}{ZOOM}", "you sent 2"),
    ('<think>a</think><tool_call>\n{"name": "spec', "ends before"),
    ("<tool_call>{not json}</tool_call>", "not valid JSON"),
    ("<tool_call>[1, 2]</tool_call>", "names no tool"),
    ("<tool_call>" + "[" * 100_000 + "</tool_call>", "longer than"),
    ("<tool_call>" + "[" * 15_000 + "</tool_call>", "not valid JSON"),
    ("<tool_call>" + "9" * 6000 + "</tool_call>", "not valid JSON"),
    (call({}, name="rm -rf"), "no tool named 'rm -rf'"),
    (call({}, name="x" * 500), "no tool named"),
    ("<think>a</think><answer>YES</answer>", r"no \boxed{YES}"),
    (r"<answer>\boxed{yes}</answer>", r"no \boxed{YES}"),
    (r"<answer>\boxed{YES} or \boxed{NO}</answer>", r"no \boxed{YES}"),
])  # fmt: skip
def test_mistakes_become_words_for_the_model(text, told):
    reply = parse_reply(text)
    assert reply.kind == "error"
    assert told in reply.error
    assert len(reply.error) < 300


@pytest.mark.parametrize(("answer", "verdict"), [
    (r"\boxed{YES}", "YES"), (r"\boxed{NO} because", "NO"),
    (r"\boxed{YES} ... \boxed{YES}", "YES"), (r"\boxed{ YES }", None), (r"\boxed{Yes}", None),
    (r"\boxed{}", None), ("YES", None),
])  # fmt: skip
def test_only_the_boxed_word_counts_by_exact_match(answer, verdict):
    assert boxed_verdict(answer) == verdict


@pytest.mark.parametrize(("turns", "well_formed"), [
    ([f"<think>a</think>{ZOOM}", f"<think>b</think>{YES}"], True),
    ([f"<think>a</think>{YES}"], True),
    ([YES], False),
    ([f"<think>a{YES}"], False),
    ([f"a</think>{YES}"], False),
    ([f"<think><think>a</think></think>{YES}"], False),
    ([f"<think>a</think>{YES}{YES}"], False),
    ([f"<think>a</think>{YES}", f"<think>a</think>{YES}"], False),
    ([r"<think>a</think><answer>\boxed{MAYBE}</answer>"], False),
    ([r"<think>a</think>\boxed{YES}"], False),
    ([r"<think>a</think></answer>\boxed{YES}<answer>"], False),
    ([], False),
])  # fmt: skip
def test_well_formed_is_about_the_whole_inspection(turns, well_formed):
    assert is_well_formed(turns) is well_formed


PIECES = st.sampled_from(
    ["<think>", "</think>", "<tool_call>", "</tool_call>", "<answer>", "</answer>", ZOOM, YES,
     r"\boxed{NO}", '{"name": ', "<|im_end|>", "<|image_pad|>", "\x00", "\ud800", "Hα", "{", "}"]
)  # fmt: skip


@settings(max_examples=examples(500))
@given(st.lists(st.one_of(PIECES, st.text(max_size=20)), max_size=30))
def test_nothing_a_model_writes_raises(pieces):
    reply = parse_reply("".join(pieces))
    assert (reply.kind == "error") == bool(reply.error)
    assert (reply.kind == "answer") == (reply.verdict is not None)
    is_well_formed(["".join(pieces)])


# Turns that no model should write: nothing raises, and every inspection ends.
BATCHES, TURNS = seeds(by_day=2, by_night=10), 2000


@pytest.mark.parametrize("batch", BATCHES)
def test_the_loop_survives(batch):
    chance = random.Random(f"malformed {batch}")
    spectrum, target = star(batch), find_task("CV")
    turns, stops = 0, set()
    while turns < TURNS:
        engine = ScriptedEngine(lambda number: malformed(chance), choices={"YES": -1.0})
        sampling = SamplingSettings(max_new_tokens=chance.choice([3, 30, 1000]))
        inspector = ModelInspector(engine, ModelRef(name="odd"), style=COMPACT, sampling=sampling)
        trajectory = run(inspector.inspect(spectrum, target, seed=batch))
        turns += len(trajectory.replies)
        stops.add(trajectory.stopped_by)
        assert trajectory.stopped_by in STOPS
        assert (trajectory.verdict is not None) == (trajectory.stopped_by == "answer")
        assert from_line(to_line(trajectory)) == trajectory
        json.dumps(inspection_json(trajectory), allow_nan=False)
        for line in [
            *verdict_lines(trajectory),
            *(x for s in trajectory.steps for x in step_lines(s)),
        ]:
            assert not any(unprintable(character) for character in line.plain)
        assert turns_of(target, trajectory)[: len(engine.conversations[0].turns)]
    assert stops >= {"answer", "turn_limit", "length"}


@given(st.one_of(st.text(), st.lists(st.sampled_from(FRAGMENTS)).map("".join)))
def test_the_parser_survives(text):
    reply = parse_reply(text)
    assert (reply.verdict is None) == (reply.kind != "answer")
    assert (reply.error == "") == (reply.kind != "error")
    is_well_formed([text])
    assert text in chat_text([Turn("assistant", text)])


def test_time_does_not_explode():
    """Patterns over what a model writes stay linear: a quarter of a million brackets is nothing."""
    for unit in ("<think>", "<tool_call>", "<answer>", "\\boxed{", "<", "{", "</think><think>"):
        reply = parse_reply(unit * (250_000 // len(unit)))
        assert reply.verdict is None
        assert not is_well_formed([reply.text])
