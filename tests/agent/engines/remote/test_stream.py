"""Streamed replies become one text that the protocol's parser reads."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.engines.base import RESTARTED
from agent.engines.remote import stream
from agent.engines.remote.stream import (
    Counts,
    Preview,
    ReplyBuilder,
    TooLong,
    call_text,
    events,
    lines,
    read_all,
    read_json,
)
from agent.protocol.reply import parse_reply
from tests.agent.engines.remote.fake_server import Pieces

RANGE = {"wavelength_range": [6500, 6600], "label": "Hα"}
NAME = "spectral_visualization_tool"


def built(*events: dict) -> ReplyBuilder:
    reply = ReplyBuilder(max_text=10_000)
    for event in events:
        reply.add(event)
    reply.end()
    return reply


def call(index: int = 0, name: str | None = None, arguments: object = None) -> dict:
    return {"index": index, "function": {"name": name, "arguments": arguments}}


def delta(**delta: object) -> dict:
    return Pieces().delta(**delta).events[0]


def test_words_come_in_order():
    reply = ReplyBuilder(max_text=100)
    assert reply.add(delta(role="assistant", content=None)) == ""
    assert reply.add(delta(content="<think>a")) == "<think>a"
    assert reply.add(delta(content="</think>")) == "</think>"
    assert reply.text == "<think>a</think>"
    assert reply.pieces == 2


PARTS = [{"type": "text", "text": "a"}, {"type": "image"}, None, {"text": "b"}, {"text": 1}]
WORDS, THOUGHT = delta(content="Words."), "<think>Look closer.</think>\nWords."


@pytest.mark.parametrize(("events", "text"), [
    ([delta(reasoning="Look "), delta(reasoning="closer."), WORDS], THOUGHT),
    ([delta(reasoning_content="Look "), delta(reasoning_content="closer."), WORDS], THOUGHT),
    ([delta(reasoning="Look")], "<think>Look</think>\n"),
    ([delta(content=PARTS)], "ab"),
    ([delta(refusal="I will not.")], "I will not."),
], ids=["a thought", "a thought of vLLM", "a thought alone", "parts", "a refusal"])  # fmt: skip
def test_thoughts_parts_and_refusals_become_one_text(events, text):
    assert built(*events).text == text


def test_a_native_call_is_written_out():
    text = json.dumps(RANGE)
    reply = built(
        delta(content="<think>Look.</think>"),
        delta(tool_calls=[call(name=NAME, arguments="")]),
        delta(tool_calls=[call(arguments=text[:9])]),
        delta(tool_calls=[call(arguments=text[9:])]),
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
    assert parse_reply(built(delta(tool_calls=[call(0, NAME, RANGE)])).text).arguments == RANGE


def test_a_call_that_came_in_both_forms_counts_once():
    text = call_text(NAME, json.dumps(RANGE))
    reply = built(delta(content=text, tool_calls=[call(0, NAME, json.dumps(RANGE))]))
    assert parse_reply(reply.text).arguments == RANGE


def test_two_native_calls_are_the_models_error():
    calls = [call(0, NAME, "{}"), call(1, NAME, "{}")]
    assert "you sent 2" in parse_reply(built(delta(tool_calls=calls)).text).error
    whole = [{"function": {"name": NAME, "arguments": "{}"}}] * 2
    assert "you sent 2" in parse_reply(built(delta(tool_calls=whole)).text).error


@pytest.mark.parametrize("arguments", ['{"wavelength_range": [1, 2', "[" * 50_000, "nul", "}{"])
def test_arguments_that_are_no_json_are_the_models_error(arguments):
    assert parse_reply(call_text(NAME, arguments)).kind == "error"


def test_no_arguments_are_an_empty_object():
    assert parse_reply(call_text(NAME, "")).arguments == {}


def test_halves_of_characters_do_not_travel_on():
    reply = built(delta(content="a\ud800b"), delta(tool_calls=[call(0, NAME, '{"a": "\\ud800"}')]))
    reply.text.encode("utf-8")
    assert reply.text.startswith("a?b")


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
    reply.add(delta(content="x" * 60))
    assert not reply.is_too_long
    reply.add(delta(tool_calls=[call(0, NAME, "y" * 60)]))
    assert reply.is_too_long


NAMES = (
    "content", "delta", "message", "tool_calls", "function", "name", "arguments", "index",
)  # fmt: skip
odd_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4)
    ),
    max_leaves=8,
)
odd_deltas = st.dictionaries(
    st.sampled_from(["content", "reasoning", "reasoning_content", "refusal", "tool_calls"]),
    odd_values | st.lists(st.fixed_dictionaries({"function": odd_values, "index": odd_values})),
)
in_choices = {"delta": odd_deltas, "finish_reason": odd_values, "logprobs": odd_values}
odd_choices = st.fixed_dictionaries({}, optional=in_choices)
some_choices = odd_values | st.lists(odd_choices, max_size=2)
in_events = {"choices": some_choices, "usage": odd_values, "timings": odd_values}
odd_events = st.fixed_dictionaries({}, optional=in_events)


@given(st.lists(odd_events, max_size=4))
def test_no_reply_raises(events):
    reply = built(*events)
    parse_reply(reply.text)
    assert json.loads(json.dumps(reply.text)) == reply.text


LIMIT = 10_000


def data(*pieces: bytes) -> list[str]:
    return [event for event in events(pieces, LIMIT) if event is not None]


@given(st.lists(st.integers(0, 60), max_size=8))
def test_where_the_bytes_are_cut_does_not_matter(cuts):
    whole = 'data: {"a": "é"}\r\n\r\ndata: x\ndata: y\n\n: ping\n\ndata:z\n\n'.encode()
    edges = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    pieces = [whole[start:end] for start, end in pairwise(edges)]
    assert data(*pieces) == ['{"a": "é"}', "x\ny", "z"]


@pytest.mark.parametrize(("piece", "found"), [
    (b"data: a\n\ndata: b\n", ["a"]),
    (b"data: a\n\ndata: b", ["a"]),
    (b": ping\n\nevent: message\nid: 7\nretry: 1\ndata: a\n\n", [None, None, None, None, "a"]),
    (b'error: {"code": 500}\n\n', ['{"code": 500}']),
], ids=["cut off", "cut off in a line", "other lines are silence", "an error"])  # fmt: skip
def test_lines_that_are_no_whole_event(piece, found):
    assert list(events([piece], LIMIT)) == found


def test_a_reply_without_end_is_cut(monkeypatch):
    def forever(piece: bytes):
        while True:
            yield piece

    with pytest.raises(TooLong):
        list(lines(forever(b"data: x\n\n"), LIMIT))
    with pytest.raises(TooLong):
        read_all(forever(b"x"), LIMIT)
    monkeypatch.setattr(stream, "MAX_LINE", 1000)
    with pytest.raises(TooLong, match="line"):
        list(lines(forever(b"x"), 10**9))
    with pytest.raises(TooLong, match="event"):
        list(events(forever(b"data: xxxxxxxxxx\n"), 10**9))


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_no_bytes_raise(pieces):
    list(events(pieces, LIMIT))


@pytest.mark.parametrize(
    "text", ["", "nul", "[]", "1", '"a"', "[" * 100_000, "{" * 50, '{"a":' + "9" * 10_000 + "}"]
)
def test_only_objects_are_read(text):
    with pytest.raises(ValueError):
        read_json(text)


def test_an_object_is_read():
    assert read_json(b'{"a": 1}') == {"a": 1}


def shown(*attempts: list[str]) -> list[str]:
    pieces: list[str] = []
    preview = Preview(pieces.append)
    for attempt in attempts:
        preview.start()
        for piece in attempt:
            preview.add(piece)
    preview.end()
    return pieces


@pytest.mark.parametrize(("attempts", "seen"), [
    pytest.param([["a", "b", "", "c"]], ["a", "b", "c"], id="as they come"),
    pytest.param([["a", "bc"], ["ab", "c", "d"]], ["a", "bc", "d"], id="the same words once"),
    pytest.param([["a", "bc"], ["abcd"]], ["a", "bc", "d"], id="the same words in one piece"),
    pytest.param([["a", "b"], ["a", "x", "y"]], ["a", "b", RESTARTED, "ax", "y"], id="others"),
    pytest.param([["a", "b"], ["a"]], ["a", "b", RESTARTED, "a"], id="fewer words"),
    pytest.param([["a", "b"], []], ["a", "b", RESTARTED], id="no words"),
    pytest.param([["ab"], ["ax"], ["axy"]], ["ab", RESTARTED, "ax", "y"], id="a third attempt"),
    pytest.param([["a", "\r", "b\r\n"]], ["a", "b\n"], id="a model cannot announce"),
])  # fmt: skip
def test_attempts_are_shown_as_one_turn(attempts, seen):
    assert shown(*attempts) == seen


def test_nobody_may_listen():
    preview = Preview(None)
    preview.start()
    preview.add("a")
    preview.end()
