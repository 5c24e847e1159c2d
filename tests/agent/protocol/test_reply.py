"""Reading what models write: well, badly, and with malice."""

import json
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.checked_toml import unprintable
from agent.engines.base import SamplingSettings
from agent.errors import ToolError
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol import reply
from agent.protocol.protocol import Turn
from agent.protocol.reply import (
    boxed_verdict,
    first_call,
    is_published_form,
    is_well_formed,
    parse_published,
    parse_reply,
    published_verdict,
    solution,
)
from agent.protocol.tool import LONGEST, TOOL_NAME, WHOLE, reply_text, run_published_tool, run_tool
from agent.rendering.render import AS_PUBLISHED, COMPACT, render_spectrum
from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import STOPS, ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from agent.trajectory.turns import turns_of
from app.cli.inspection_text import inspection_json, step_lines, verdict_lines
from tests.agent.protocol.chat_text import chat_text
from tests.agent.protocol.malformed import FRAGMENTS, malformed
from tests.agent.protocol.wordings import call as call_with
from tests.agent.scenes import star
from tests.night import BY_NIGHT, examples, seeds
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
BATCHES, TURNS = seeds(by_day=2, by_night=10), 2000 if BY_NIGHT else 700


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
        steps = (line for step in trajectory.steps for line in step_lines(step))
        for line in [*verdict_lines(trajectory), *steps]:
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


# Answers read as the published scorer reads them.
T = "<think>t</think>"


@pytest.mark.parametrize(("said", "verdict", "form"), [
    (T + r"<answer>\boxed{YES}</answer>", "YES", True),
    (T + r"<answer>\boxed{yes} it is</answer>", "YES", True),
    (T + r"<answer>\boxed{ NO }</answer>", "NO", True),
    (T + r"<answer>\boxed{YES} and \boxed{NO}</answer>", "YES", True),
    (T + r"<answer>YES</answer>", "YES", False),
    (T + r"<answer>not a yes, or no</answer>", "YES", False),
    (T + r"<answer>plainly no</answer>", "NO", False),
    (T + r"\boxed{NO}", "NO", False),
    (T + r"\boxed{NO}<answer>hm</answer>", "NO", False),
    (T + "it is a YES, I say", "YES", False),
    (T + r"<answer>\boxed{maybe}</answer>", None, False),
    (T + r"<answer>\boxed{}</answer> yes", "YES", False),
    (T + r"<answer>\boxed{NO}</answer><answer>\boxed{YES}</answer>", "YES", False),
    (T + r"<answer>\boxed{NO}", "NO", False),
    (r"<answer>\boxed{NO}</answer>", "NO", False),
    ("<think>" + T + r"</think><answer>\boxed{NO}</answer>", "NO", True),
    ("</think>" + r"<answer>\boxed{NO}</answer>" + "<think>", "NO", True),
    ("<think>" + r"<answer>\boxed{NO}</answer>", "NO", False),
    ("nothing at all", None, False),
    ("", None, False),
    ("noon, yesterday", None, False),
    (T + r"<answer>\boxed{YES</answer>", "YES", False),
])  # fmt: skip
def test_verdict_and_form(said: str, verdict: str | None, form: bool) -> None:
    assert published_verdict(said) == verdict
    assert is_published_form(said) is form


def test_calls_come_before_answers_and_the_last_turn_has_none() -> None:
    two = call_with('{"label": "a"}') + call_with('{"label": "b"}')
    assert parse_published(two).arguments == {"label": "a"}
    thinking = f"<think>{call_with('{}')}</think>"
    assert parse_published(thinking).kind == "call"
    broken = "<tool_call>{</tool_call><tool_call>[1]</tool_call><tool_call>{}</tool_call>"
    assert first_call(broken) is None
    assert first_call(broken + call_with('{"label": "c"}')).arguments == {"label": "c"}
    assert first_call("<tool_call>" + "[" * 5000 + "</tool_call>") is None
    renamed = call_with("{}").replace("spectral_visualization_tool", "other")
    assert first_call(renamed).name == "other"
    both = call_with("{}") + r"<answer>\boxed{YES} so</answer>"
    assert parse_published(both).kind == "call"
    last = parse_published(both, may_call=False)
    assert (last.kind, last.verdict, last.answer) == ("answer", "YES", r"\boxed{YES} so")


def test_the_verdict_is_of_the_whole_conversation_joined_as_it_was_rolled_out() -> None:
    before = T + r"<answer>\boxed{NO}</answer>" + call_with("{}")
    assert parse_published("I am done.", before).verdict == "NO"
    assert parse_published("I am done.").kind == "text"
    assert parse_published("I am done.").answer == "I am done."
    assert solution(["a", "b"], ["x"]) == (
        "auser\n<tool_response>\nx\n</tool_response>\nassistant\nb"
    )


@pytest.mark.parametrize("piece", ["<answer>", "\\boxed{", "<tool_call>", "<think>", "yes"])
def test_a_runaway_reply_is_not_searched_again_from_every_piece(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That would take a regular expression hours, where reading it once takes half a second."""
    monkeypatch.setattr(reply, "MAX_TEXT", 10**9)
    runaway = piece * (4_000_000 // len(piece))
    assert parse_published(runaway).text == runaway


# The tool as the published models know it.


REPLIES = {"whole": "All.", "whole_for": "All: {label}.", "refused": "{low}|{high}|{start}|{end}"}


def test_a_window_is_drawn_as_ever() -> None:
    arguments = {"wavelength_range": [6400, 6700.5], "label": "Hα"}
    ours, published = run_tool(star(), arguments), run_published_tool(star(), arguments)
    assert np.array_equal(np.asarray(ours.picture), np.asarray(published.picture))
    assert (published.text, published.range, published.whole) == (ours.text, ours.range, False)


def test_without_a_range_the_whole_is_drawn() -> None:
    for arguments in ({}, {"wavelength_range": None, "label": None}):
        result = run_published_tool(star(), arguments, AS_PUBLISHED, title="Spectrum")
        whole = render_spectrum(star(), title="Spectrum", style=AS_PUBLISHED)
        assert np.array_equal(np.asarray(result.picture), np.asarray(whole))
        assert (result.text, result.whole, result.label) == (WHOLE, True, None)
    assert run_published_tool(star(), {"label": "x"}, replies=REPLIES).text == "All: x."
    assert run_published_tool(star(), {}, replies=REPLIES).text == "All."


@pytest.mark.parametrize(("asked", "told"), [
    ([9, 5], "9|5|3800.0|9000.0"), ([1, 2], "1|2|3800.0|9000.0"),
    ([1, None], "1|None|3800.0|9000.0"),
])  # fmt: skip
def test_a_faulty_range_is_refused_in_given_words(asked: list, told: str) -> None:
    with pytest.raises(ToolError) as caught:
        run_published_tool(star(), {"wavelength_range": asked}, replies=REPLIES)
    assert str(caught.value) == told


@pytest.mark.parametrize(
    "arguments", [None, [], "x", {"wavelength_range": 3}, {"wavelength_range": [1]}]
)
def test_what_no_sentence_fits_is_refused_in_ours(arguments: object) -> None:
    with pytest.raises(ToolError, match="must be"):
        run_published_tool(star(), arguments, replies=REPLIES)


def test_labels_are_printed_as_they_are_and_a_long_reply_loses_its_middle() -> None:
    two = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": "a  b\n"})
    assert two.text == reply_text((6400, 6700), "a  b\n")
    assert two.label == "a b"
    number = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": 7})
    assert number.text.endswith("for 7.")
    long = run_published_tool(star(), {"wavelength_range": [6400, 6700], "label": "x" * 10**6})
    assert long.text.startswith("Generated") and long.text.endswith("x.")
    assert LONGEST < len(long.text) < LONGEST + 30


def test_a_spectrum_without_pixels_is_a_tool_error() -> None:
    wavelength = np.linspace(4000.0, 5000.0, 100)
    nothing = Spectrum(wavelength=wavelength, flux=np.full(100, np.nan))
    for arguments in ({}, {"wavelength_range": [4100, 4200]}):
        with pytest.raises(ToolError, match="no finite"):
            run_published_tool(nothing, arguments)
