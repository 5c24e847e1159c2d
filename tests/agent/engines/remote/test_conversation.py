"""A conversation with a server: what is sent and counted."""

from __future__ import annotations

import json
import math
import threading

import pytest

from agent.engines.base import Cancelled
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.protocol.reply import parse_reply
from tests.agent.engines.remote.fake_server import Pieces, listed, spoken, stalled, stream
from tests.agent.engines.remote.remote_scenes import (
    GREEDY,
    OPENING,
    PICTURE,
    opened,
    talking,
    usage,
)
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
