"""Replies in either form become one text that the protocol's parser reads."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.remote.stream import Counts, ReplyBuilder, call_text
from agent.protocol.reply import parse_reply
from tests.agent.engines.remote.fake_server import Pieces

RANGE = {"wavelength_range": [6500, 6600], "label": "Hα"}
NAME = "spectral_visualization_tool"


def built(*events: dict) -> ReplyBuilder:
    reply = ReplyBuilder(max_text=10_000)
    for event in events:
        reply.add(event)
    reply.close_thought()
    reply.add_calls()
    return reply


def call(index: int = 0, name: str | None = None, arguments: object = None) -> dict:
    return {"index": index, "function": {"name": name, "arguments": arguments}}


def said(**delta: object) -> dict:
    return Pieces().delta(**delta).events[0]


def test_words_come_in_order():
    reply = ReplyBuilder(max_text=100)
    assert reply.add(said(role="assistant", content=None)) == ""
    assert reply.add(said(content="<think>a")) == "<think>a"
    assert reply.add(said(content="</think>")) == "</think>"
    assert reply.text == "<think>a</think>"
    assert reply.pieces == 2


def test_a_thought_of_its_own_gets_its_tags():
    for name in ("reasoning_content", "reasoning"):
        reply = built(said(**{name: "Look "}), said(**{name: "closer."}), said(content="Words."))
        assert reply.text == "<think>Look closer.</think>\nWords."
    assert built(said(reasoning="Look")).text == "<think>Look</think>\n"


def test_a_native_call_is_written_out():
    text = json.dumps(RANGE)
    reply = built(
        said(content="<think>Look.</think>"),
        said(tool_calls=[call(name=NAME, arguments="")]),
        said(tool_calls=[call(arguments=text[:9])]),
        said(tool_calls=[call(arguments=text[9:])]),
    )
    read = parse_reply(reply.text)
    assert (read.kind, read.thought, read.arguments) == ("call", "Look.", RANGE)


def test_a_whole_message_is_read_like_its_pieces():
    message = {
        "content": None,
        "reasoning_content": "Look.",
        "tool_calls": [{"id": "x", "function": {"name": NAME, "arguments": json.dumps(RANGE)}}],
    }
    reply = built({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    read = parse_reply(reply.text)
    assert (read.kind, read.thought, read.arguments) == ("call", "Look.", RANGE)
    assert reply.finish_reason == "tool_calls"


def test_arguments_may_come_as_an_object():
    assert parse_reply(built(said(tool_calls=[call(0, NAME, RANGE)])).text).arguments == RANGE


def test_a_call_that_came_in_both_forms_counts_once():
    text = call_text(NAME, json.dumps(RANGE))
    reply = built(said(content=text, tool_calls=[call(0, NAME, json.dumps(RANGE))]))
    assert parse_reply(reply.text).arguments == RANGE


def test_two_native_calls_are_the_models_error():
    calls = [call(0, NAME, "{}"), call(1, NAME, "{}")]
    assert "you sent 2" in parse_reply(built(said(tool_calls=calls)).text).error
    whole = [{"function": {"name": NAME, "arguments": "{}"}}] * 2
    assert "you sent 2" in parse_reply(built(said(tool_calls=whole)).text).error


@pytest.mark.parametrize("arguments", ['{"wavelength_range": [1, 2', "[" * 50_000, "nul", "}{"])
def test_arguments_that_are_no_json_are_the_models_error(arguments):
    assert parse_reply(call_text(NAME, arguments)).kind == "error"


def test_no_arguments_are_an_empty_object():
    assert parse_reply(call_text(NAME, "")).arguments == {}


def test_halves_of_characters_do_not_travel_on():
    reply = built(said(content="a\ud800b"), said(tool_calls=[call(0, NAME, '{"a": "\\ud800"}')]))
    reply.text.encode("utf-8")
    assert reply.text.startswith("a?b")


def test_text_in_parts_is_joined():
    parts = [{"type": "text", "text": "a"}, {"type": "image"}, None, {"text": "b"}, {"text": 1}]
    assert built(said(content=parts)).text == "ab"


def test_a_refusal_is_what_the_model_says():
    assert built(said(refusal="I will not.")).text == "I will not."


def test_counts_from_all_places():
    assert built().counts == Counts(-1, -1, -1)
    usage = {"prompt_tokens": 10, "completion_tokens": 3}
    assert built({"usage": usage}).counts == Counts(10, 3, -1)
    usage["prompt_tokens_details"] = {"cached_tokens": 4}
    assert built({"usage": usage}).counts == Counts(10, 3, 4)
    timings = {"cache_n": 7, "prompt_n": 3, "predicted_n": 2}
    assert built(
        {"timings": timings}, {"usage": usage | {"prompt_tokens_details": None}}
    ).counts == (Counts(10, 3, 7))
    for odd in (None, [], {"prompt_tokens": "x", "completion_tokens": -1}, {"prompt_tokens": True}):
        assert built({"usage": odd, "timings": odd}).counts == Counts(-1, -1, -1)


def test_too_long_is_noticed_in_words_and_in_calls():
    reply = ReplyBuilder(max_text=100)
    reply.add(said(content="x" * 60))
    assert not reply.is_too_long
    reply.add(said(tool_calls=[call(0, NAME, "y" * 60)]))
    assert reply.is_too_long


odd_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "content",
                    "delta",
                    "message",
                    "tool_calls",
                    "function",
                    "name",
                    "arguments",
                    "index",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)
odd_deltas = st.dictionaries(
    st.sampled_from(["content", "reasoning", "reasoning_content", "refusal", "tool_calls"]),
    odd_values | st.lists(st.fixed_dictionaries({"function": odd_values, "index": odd_values})),
)
odd_choices = st.fixed_dictionaries(
    {}, optional={"delta": odd_deltas, "finish_reason": odd_values, "logprobs": odd_values}
)
odd_events = st.fixed_dictionaries(
    {},
    optional={
        "choices": odd_values | st.lists(odd_choices, max_size=2),
        "usage": odd_values,
        "timings": odd_values,
    },
)


@given(st.lists(odd_events, max_size=4))
def test_no_reply_raises(events):
    reply = built(*events)
    parse_reply(reply.text)
    assert json.loads(json.dumps(reply.text)) == reply.text
