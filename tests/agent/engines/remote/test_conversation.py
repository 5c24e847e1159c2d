"""A conversation with a server: what is sent and counted."""

import json
import math
import threading
from pathlib import Path
from typing import Any

import pytest

from agent.engines.base import RESTARTED
from agent.engines.remote.engine import RemoteEngine
from agent.errors import Cancelled, ContextFullError, EngineError
from agent.protocol.protocol import Turn
from agent.protocol.reply import parse_reply
from agent.protocol.wording_file import write_wording
from tests.agent.engines.remote.fake_server import (
    FakeClock,
    Pieces,
    answered,
    dropped,
    event_bytes,
    listed,
    refused,
    serving,
    spoken,
    stalled,
    stream,
)
from tests.agent.engines.remote.remote_scenes import (
    GREEDY,
    OPENING,
    PICTURE,
    only_servers_take_time,
    opened,
    talking,
    usage,
)
from tests.agent.engines.wording_scenes import TURNS, inspect, render, rendered
from tests.agent.protocol.wordings import wording
from tests.agent.scenes import call
from tests.processes import LONG_S


def test_a_turn_is_streamed_and_counted():
    act = spoken("<think>", "Blue.", "</think>", usage=usage(100, 3, 40))
    with talking(act) as (server, engine):
        conversation = opened(engine)
        pieces: list[str] = []
        generated = conversation.generate(GREEDY, seed=7, on_text=pieces.append)
        assert pieces == ["<think>", "Blue.", "</think>"]
        assert (generated.text, generated.tokens, generated.finish, generated.choices) == (
            "<think>Blue.</think>", 3, "stop", None,
        )  # fmt: skip
        used = conversation.usage
        assert (used.prompt, used.generated, used.evaluated, used.images) == (100, 3, 63, 8)
        request = server.requests[0]
        assert request.path == "/v1/chat/completions"
        assert request.body["model"] == "m"
        assert request.body["seed"] == 7
        assert "authorization" not in request.headers


def test_the_conversation_is_sent_whole_and_rewound():
    acts = [spoken(word, usage=usage(prompt, 1, 1)) for word, prompt in
            [("a", 100), ("b", 120), ("c", 120)]]  # fmt: skip
    with talking(*acts) as (server, engine):
        conversation = opened(engine)
        conversation.generate(GREEDY)
        mark = conversation.mark()
        for _ in range(2):
            conversation.rewind(mark)
            conversation.append([Turn("tool", "Generated.", picture=1)], [PICTURE])
            conversation.generate(GREEDY)
        roles = [[message["role"] for message in body["messages"]] for body in server.bodies]
        assert roles[0] == ["system", "user"]
        assert roles[1] == roles[2] == ["system", "user", "assistant", "user"]
        assert server.bodies[1]["messages"] == server.bodies[2]["messages"]
        assert conversation.usage.prompt == 100 + 19 + 19
        assert conversation.usage.generated == 3
        with pytest.raises(EngineError, match="no longer valid"):
            conversation.rewind(7)


def test_what_was_counted_once_is_not_counted_after_a_rewind():
    acts = [spoken(word, usage=usage(prompt, 2, 1)) for word, prompt in
            [("a", 100), ("b", 130), ("c", 100), ("d", 150)]]  # fmt: skip
    with talking(*acts) as (_, engine):
        conversation = opened(engine)
        start = conversation.mark()
        prompts = []
        for _ in range(2):
            conversation.rewind(start)
            for _ in range(2):
                conversation.generate(GREEDY)
                prompts.append(conversation.usage.prompt)
                conversation.append([Turn("user", "Go on.")], [])
        assert prompts == [100, 128, 128, 128 + 48]


def test_the_choice_in_the_box_is_found():
    pieces = Pieces().delta(content="\\boxed{", logprobs=[listed("\\boxed{", -0.1)])
    pieces.delta(content="YES", logprobs=[listed("YES", math.log(0.8), NO=math.log(0.1))])
    pieces.delta(content="}", logprobs=[listed("}", -0.1)])
    with talking(stream(pieces.end())) as (_, engine):
        generated = opened(engine).generate(GREEDY)
        assert math.exp(generated.choices["YES"]) == pytest.approx(0.8)
        assert math.exp(generated.choices["NO"]) == pytest.approx(0.1)
        assert generated.tokens == 3  # counted by their log-probabilities


def test_unknown_counts_say_so():
    with talking(spoken("a", "b")) as (_, engine):
        conversation = opened(engine)
        assert conversation.generate(GREEDY).tokens == 2
        used = conversation.usage
        assert (used.prompt, used.generated, used.evaluated, used.images) == (-1, -1, -1, 8)


def test_a_stop_before_the_request_sends_nothing():
    with talking(spoken("a")) as (server, engine):
        assert opened(engine).generate(GREEDY, should_stop=lambda: True).finish == "cancelled"
        assert server.requests == []
        with pytest.raises(Cancelled):
            engine.open().append(OPENING, [PICTURE], lambda: True)


def test_a_hosted_model_calls_in_its_own_way():
    arguments = json.dumps({"wavelength_range": [6500, 6600]})
    function = {"name": "spectral_visualization_tool", "arguments": arguments}
    pieces = Pieces().delta(reasoning_content="Look.")
    pieces.delta(tool_calls=[{"index": 0, "id": "x", "function": function}])
    with talking(stream(pieces.end("tool_calls")), spoken("b"), tool_calls="native") as (
        server,
        engine,
    ):
        conversation = opened(engine)
        shown: list[str] = []
        generated = conversation.generate(GREEDY, on_text=shown.append)
        assert "".join(shown) == generated.text
        reply = parse_reply(generated.text)
        assert (reply.kind, reply.thought) == ("call", "Look.")
        assert reply.arguments == {"wavelength_range": [6500, 6600]}
        conversation.append([Turn("tool", "Generated.", picture=1)], [PICTURE])
        conversation.generate(GREEDY)
        first, second = server.bodies
        assert "# Tools" not in json.dumps(first["messages"])
        roles = [message["role"] for message in second["messages"]]
        assert roles == ["system", "user", "assistant", "tool", "user"]
        assert conversation.usage.images == -1


def test_several_conversations_at_once():
    with talking(spoken("a", "b", usage=usage(9, 2, 1))) as (server, engine):
        found: list[str] = []

        def talk() -> None:
            conversation = opened(engine)
            turns = (conversation.generate(GREEDY, should_stop=lambda: False) for _ in range(5))
            found.extend(generated.text for generated in turns)

        threads = [threading.Thread(target=talk) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == ["ab"] * 30
        assert len(server.requests) == 30


def test_the_stop_of_one_conversation_is_not_that_of_another():
    received = threading.Event()
    with talking(stalled(Pieces().words("a"))) as (_, engine):
        stop = threading.Event()
        results: list[str] = []

        def talk() -> None:
            generated = opened(engine).generate(
                GREEDY, on_text=lambda piece: received.set(), should_stop=stop.is_set
            )
            results.append(generated.finish)

        thread = threading.Thread(target=talk)
        thread.start()
        assert received.wait(LONG_S)
        other = opened(engine).generate(GREEDY, should_stop=lambda: True)
        assert other.finish == "cancelled"
        assert thread.is_alive()
        stop.set()
        thread.join()
        assert results == ["cancelled"]


def test_what_a_listener_raises_is_its_own():
    def listener(piece: str) -> None:
        raise BrokenPipeError("the window is gone")

    with talking(spoken("a")) as (server, engine):
        with pytest.raises(BrokenPipeError, match="window"):
            opened(engine).generate(GREEDY, on_text=listener)
        assert len(server.requests) == 1


def test_pictures_and_turns_must_agree():
    refusal = pytest.raises(EngineError, match="have 1 pictures, but 2 were given")
    with talking(spoken("a")) as (_, engine), refusal:
        engine.open().append(OPENING, [PICTURE, PICTURE])


@pytest.mark.parametrize("length", [1, 3, 50])
def test_a_stop_string_ends_the_turn_and_stays(length):
    text = "<think>a</think><tool_call>{}</tool_call>"
    words = [text[start : start + length] for start in range(0, len(text), length)]
    with talking(spoken(*words, "\n", usage=usage(9, 9))) as (server, engine):
        conversation = opened(engine)
        pieces: list[str] = []
        generated = conversation.generate(GREEDY, stop=("</tool_call>",), on_text=pieces.append)
        assert generated.text == "".join(pieces) == text
        assert generated.finish == "stop"
        assert conversation.usage.prompt == 9  # the server was heard to the end
        assert "stop" not in server.bodies[0]


def test_a_model_that_goes_on_after_a_stop_string_is_cut_off():
    pieces = Pieces().words("one STOP two", " three")
    with talking(stalled(pieces), spoken("next")) as (server, engine):
        conversation = opened(engine)
        generated = conversation.generate(GREEDY, stop=("nowhere", "STOP"))
        assert (generated.text, generated.finish) == ("one STOP", "stop")
        assert server.hung_up.wait(LONG_S)
        assert conversation.usage.prompt == -1
        conversation.append([Turn("user", "Go on.")], [])
        conversation.generate(GREEDY)
        assert server.bodies[1]["messages"][2] == {"role": "assistant", "content": "one STOP"}


def test_the_length_limit_is_told_from_the_end():
    with talking(stream(Pieces().words("a").end("length"))) as (_, engine):
        assert opened(engine).generate(GREEDY).finish == "length"


def test_a_stop_between_pieces_keeps_what_was_said():
    received: list[str] = []
    with talking(stalled(Pieces().words("a", "b", "c"))) as (server, engine):
        generated = opened(engine).generate(
            GREEDY, on_text=received.append, should_stop=lambda: received[-1:] == ["b"]
        )
        assert (generated.text, generated.finish) == ("ab", "cancelled")
        assert server.hung_up.wait(LONG_S)  # the server need not go on


def test_a_stop_is_heard_before_the_first_word():
    stop = threading.Event()
    with talking(stalled()) as (server, engine):
        conversation = opened(engine)
        asked = []

        def should_stop() -> bool:
            asked.append(None)
            if len(asked) > 3:
                stop.set()
            return stop.is_set()

        generated = conversation.generate(GREEDY, should_stop=should_stop)
        assert (generated.text, generated.finish) == ("", "cancelled")
        assert server.hung_up.wait(LONG_S)
        assert len(server.requests) == 1


def test_a_stop_while_waiting_to_try_again_is_heard():
    clock = FakeClock()
    with talking(refused(503, "busy"), clock=clock) as (server, engine):
        generated = opened(engine).generate(GREEDY, should_stop=lambda: clock.waited > 0.1)
        assert generated.finish == "cancelled"
        assert len(server.requests) == 1


def test_a_dropped_stream_is_asked_for_again():
    acts = [dropped(Pieces().words("a", "b")), spoken("a", "b", "c", usage=usage(9, 3, 2))]
    with talking(*acts) as (server, engine):
        conversation = opened(engine)
        pieces: list[str] = []
        generated = conversation.generate(GREEDY, on_text=pieces.append)
        assert generated.text == "".join(pieces) == "abc"
        assert server.bodies[0] == server.bodies[1]
        assert conversation.usage.prompt == 9
        assert conversation.usage.evaluated == -1  # nobody knows what the first one cost


def test_a_turn_that_comes_out_otherwise_is_announced():
    with talking(dropped(Pieces().words("a", "b")), spoken("x", "y")) as (_, engine):
        pieces: list[str] = []
        generated = opened(engine).generate(GREEDY, on_text=pieces.append)
        assert generated.text == "xy"
        assert pieces == ["a", "b", RESTARTED, "x", "y"]


def test_a_stream_that_ends_without_an_end_was_dropped():
    """llama_cpp.server ends one so when another client wants its turn."""
    interrupted = Pieces().words("a")
    interrupted.events.append("[DONE]")
    with talking(stream(interrupted), spoken("ab")) as (server, engine):
        assert opened(engine).generate(GREEDY).text == "ab"
        assert len(server.requests) == 2


def test_a_server_that_stalls_is_asked_again():
    acts = [stalled(), stalled(Pieces().words("a")), spoken("b")]
    with talking(*acts, timeout_s=5.0) as (server, engine), only_servers_take_time(server):
        assert opened(engine).generate(GREEDY).text == "b"
        assert opened(engine).generate(GREEDY, should_stop=lambda: False).text == "b"
        assert len(server.requests) == 4


def test_faults_that_pass_are_waited_out_as_the_server_asks():
    clock = FakeClock()
    busy = answered(429, {"error": {"message": "busy"}}, retry_after="7")
    with talking(busy, refused(500, "oops"), spoken("a"), clock=clock) as (_, engine):
        assert opened(engine).generate(GREEDY).text == "a"
        assert 7.5 <= clock.waited <= 8.0


def test_faults_that_do_not_pass_end_in_words():
    with talking(refused(503, "down\nfor repair"), retries=2) as (server, engine):
        refusal = r"503 \(down for repair\); gave up after 3 attempts$"
        with pytest.raises(EngineError, match=refusal):
            opened(engine).generate(GREEDY)
        assert len(server.requests) == 3


def test_nobody_at_home_ends_in_words():
    with serving(spoken("a")) as server:
        url = server.url
    engine = RemoteEngine.connect(url, "m", key=None, retries=1, clock=FakeClock())
    with pytest.raises(EngineError, match="cannot be reached; gave up after 2 attempts"):
        opened(engine).generate(GREEDY)
    engine.close()


def test_an_error_in_the_stream_is_one():
    busy = Pieces().words("a")
    busy.events.append({"error": {"message": "slot lost", "code": 503}})
    with talking(stream(busy), spoken("ab")) as (_, engine):
        assert opened(engine).generate(GREEDY).text == "ab"
    wrong = Pieces()
    wrong.events.append({"error": {"message": "no such model", "code": 404}})
    with talking(stream(wrong)) as (_, engine), pytest.raises(EngineError, match="no such model"):
        opened(engine).generate(GREEDY)


def test_a_full_context_is_told_apart():
    act = refused(400, "maximum context length is 10 tokens", code="context_length_exceeded")
    with talking(act) as (server, engine):
        with pytest.raises(ContextFullError, match="maximum context length is 10"):
            opened(engine).generate(GREEDY)
        assert len(server.requests) == 1


def test_what_a_server_does_not_take_is_left_out_and_remembered():
    act = refused(400, "logprobs are not supported", param="logprobs")
    with talking(act, spoken("a")) as (server, engine):
        conversation = opened(engine)
        assert conversation.generate(GREEDY).choices is None
        conversation.generate(GREEDY)
        assert ["logprobs" in body for body in server.bodies] == [True, False, False]
        assert "seed" in server.bodies[2]


def test_what_made_no_difference_is_not_remembered():
    acts = [refused(400, "no"), refused(400, "no"), spoken("a")]
    with talking(*acts) as (server, engine):
        with pytest.raises(EngineError, match=r"400 \(no\)$"):
            opened(engine).generate(GREEDY)
        opened(engine).generate(GREEDY)
        assert ["seed" in body for body in server.bodies] == [True, False, True]


def test_a_server_that_chokes_without_a_word_is_asked_for_less():
    with talking(refused(500, ""), refused(500, ""), spoken("a")) as (server, engine):
        assert opened(engine).generate(GREEDY).text == "a"
        assert ["logprobs" in body for body in server.bodies] == [True, True, False]


def test_a_server_that_cannot_say_what_is_wrong_in_a_stream_is_asked_without():
    silent = dropped(Pieces())
    full = refused(400, "x", code="context_length_exceeded")
    with talking(silent, silent, full) as (server, engine):
        with pytest.raises(ContextFullError):
            opened(engine).generate(GREEDY)
        assert [body.get("stream", False) for body in server.bodies] == [True, True, False]
        assert "stream_options" not in server.bodies[2]


def test_a_server_that_does_not_stream_is_heard_too():
    choice = {"message": {"content": "a STOP b"}, "finish_reason": "stop"}
    act = answered(200, {"choices": [choice], "usage": usage(9, 4, 2)})
    with talking(act) as (_, engine):
        conversation = opened(engine)
        pieces: list[str] = []
        generated = conversation.generate(GREEDY, stop=("STOP",), on_text=pieces.append)
        assert pieces == ["a STOP"]
        assert (generated.text, generated.tokens, generated.finish) == ("a STOP", 4, "stop")
        assert conversation.usage.evaluated == 11


def test_a_stream_under_another_name_is_heard():
    pieces = Pieces().words("a", "b").end(usage=usage(9, 2, 1))
    data = b"".join(event_bytes(event) for event in pieces.events)
    with talking(answered(200, data, content_type="text/plain")) as (_, engine):
        conversation = opened(engine)
        assert conversation.generate(GREEDY).text == "ab"
        assert conversation.usage.evaluated == 10


def test_text_is_tried_where_tools_are_not_known():
    """`auto` on a host that is taken for a hosted one."""
    act = refused(400, "tools are not supported by this model", param="tools")
    with talking(act, spoken(call(1, 2))) as (server, engine):
        server_side = engine._servers.first
        server_side.dialect = type(server_side.dialect)(native=True)
        assert parse_reply(opened(engine).generate(GREEDY).text).kind == "call"
        assert ["tools" in body for body in server.bodies] == [True, False]
        assert "# Tools" in json.dumps(server.bodies[1]["messages"])


# What a server is sent in a wording renders to what the template makes of its files.
def test_the_server_is_sent_what_the_template_renders(tmp_path: Path) -> None:
    folder = write_wording(wording(), tmp_path / "clerk")
    with talking(*map(spoken, TURNS), tool_calls="text") as (server, engine):
        inspect(engine, folder)
    assert len(server.bodies) == 3
    body = server.bodies[-1]
    assert "tools" not in body
    assert render([_as_template_input(message) for message in body["messages"]]) == rendered(folder)


def _as_template_input(message: dict[str, Any]) -> dict[str, Any]:
    """The message as a server hands it to its template, where a picture is one part."""
    content = message["content"]
    if isinstance(content, str):
        return message
    parts = [{"type": "image"} if part["type"] == "image_url" else part for part in content]
    return {"role": message["role"], "content": parts}
