"""Turns that no model should write: nothing raises, and every inspection ends."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.checked_toml import unprintable
from agent.engines.base import SamplingSettings
from agent.inspection.inspector import run
from agent.inspection.model_inspector import ModelInspector
from agent.protocol.protocol import Turn
from agent.protocol.reply import is_well_formed, parse_reply
from agent.rendering.render import COMPACT
from agent.tasks.catalogue import find_task
from agent.trajectory.trajectory import STOPS, ModelRef
from agent.trajectory.trajectory_file import from_line, to_line
from agent.trajectory.turns import turns_of
from app.cli.inspection_text import inspection_json, step_lines, verdict_lines
from tests.agent.protocol.chat_text import chat_text
from tests.agent.protocol.malformed import FRAGMENTS, malformed
from tests.agent.scenes import star
from tests.night import seeds
from tests.scripted_engine import ScriptedEngine

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
