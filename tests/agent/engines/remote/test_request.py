"""Chat messages and request parameters, and what is left out when a server rejects them."""

import base64
import io
import json

import numpy as np
import pytest
from PIL import Image

from agent.engines.base import VERDICT, SamplingSettings
from agent.engines.remote.errors import Refusal, read_refusal
from agent.engines.remote.request import (
    Dialect,
    RequestTurn,
    TurnRequest,
    messages,
    picture_url,
    plain,
    request_body,
    simpler,
)
from agent.models.registry import find_model
from agent.protocol.protocol import SYSTEM, Turn, opening
from agent.tasks.catalogue import load_tasks
from tests.agent.protocol.chat_text import chat_text
from tests.agent.scenes import answer, call

GREEDY = SamplingSettings(max_new_tokens=64)


def body_of(dialect: Dialect, sampling: SamplingSettings = GREEDY, choice_point=VERDICT) -> dict:
    asked = TurnRequest(sampling, seed=2**40 + 5, choice_point=choice_point)
    return request_body(dialect, "m", [], asked, {"extra": 1})


def asked_until_taken(dialect: Dialect, refuses, may_fall_back_to_text: bool = False) -> dict:
    """Ask as the server's refusals want it; the body it takes in the end."""
    for _ in range(30):
        body = body_of(dialect)
        refusal = refuses(body)
        if refusal is None:
            return body
        dialect = simpler(dialect, body, refusal, may_fall_back_to_text=may_fall_back_to_text)
        assert dialect is not None, refusal
    raise AssertionError("it never ends")


def test_a_request_asks_for_what_was_wanted():
    body = body_of(Dialect(), SamplingSettings(temperature=0.7, top_p=0.9, max_new_tokens=5))
    wanted = {
        "temperature": 0.7, "top_p": 0.9, "max_tokens": 5, "seed": 5, "stream": True,
        "logprobs": True, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0, "extra": 1,
    }  # fmt: skip
    assert wanted.items() <= body.items()
    assert "tools" not in body
    assert "logprobs" not in body_of(Dialect(), choice_point=None)
    # A published model may write until its context is full, as it was published.
    for name in ("spec-o3-3b", "spec-o3-7b"):
        card = find_model(name).card
        assert card.sampling.max_new_tokens == card.context_length == 32_768
        assert "max_tokens" not in body_of(Dialect(), card.sampling)


def test_a_hosted_model_gets_its_tools_and_nobodys_own_names():
    body = body_of(Dialect(native=True))
    assert body["tools"][0]["function"]["name"] == "spectral_visualization_tool"
    assert not {"repeat_penalty", "repetition_penalty", "top_k", "extra"} & set(body)


def test_what_is_named_is_left_out_and_nothing_else():
    def refuses(body: dict) -> Refusal | None:
        return Refusal(400, "Unknown parameter: 'seed'.", param="seed") if "seed" in body else None

    taken = asked_until_taken(Dialect(), refuses)
    assert set(body_of(Dialect())) - set(taken) == {"seed"}


def test_a_reasoning_model_gets_what_it_takes():
    """As hosted reasoning models refuse, one thing at a time."""

    def refuses(body: dict) -> Refusal | None:
        if "max_tokens" in body:
            words = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
            return Refusal(400, words, param="max_tokens")
        if "logprobs" in body:
            return Refusal(403, "You are not allowed to request logprobs from this model")
        for name in ("temperature", "top_p"):
            if name in body:
                return Refusal(400, f"Unsupported value: '{name}'", param=name)
        return None

    taken = asked_until_taken(Dialect(native=True), refuses)
    assert taken["max_completion_tokens"] == 64
    assert {"tools", "seed", "stream", "stream_options"} <= set(taken)
    assert not {"top_logprobs", "logprobs", "temperature", "top_p", "max_tokens"} & set(taken)


def test_fewer_alternatives_are_asked_for_before_none():
    def refuses(most: int):
        def act(body: dict) -> Refusal | None:
            if body.get("top_logprobs", 0) > most:
                return Refusal(400, f"top_logprobs must be at most {most}")
            return None

        return act

    assert asked_until_taken(Dialect(), refuses(5))["top_logprobs"] == 5
    assert "logprobs" not in asked_until_taken(Dialect(), refuses(0))


def test_without_stream_there_are_no_stream_options():
    taken = asked_until_taken(
        Dialect(), lambda body: Refusal(400, "x", param="stream") if "stream" in body else None
    )
    assert "stream_options" not in taken


def test_a_refusal_that_names_nothing_leaves_the_bare_request():
    def refuses(body: dict) -> Refusal | None:
        return Refusal(422, "bad request") if "logprobs" in body else None

    assert set(asked_until_taken(Dialect(), refuses)) == {
        "model", "messages", "stream", "temperature", "max_tokens",
    }  # fmt: skip


def test_a_request_that_cannot_shrink_is_refused_for_good():
    dialect = Dialect()
    for _ in range(30):
        changed = simpler(dialect, body_of(dialect), Refusal(400, "no"), may_fall_back_to_text=True)
        if changed is None:
            return
        dialect = changed
    raise AssertionError("it never ends")


def test_tools_fall_back_to_text_where_that_is_allowed():
    refusal = Refusal(400, "tools are not supported", param="tools")
    dialect = Dialect(native=True)
    body = body_of(dialect)
    assert simpler(dialect, body, refusal, may_fall_back_to_text=True).native is False
    kept = simpler(dialect, body, refusal, may_fall_back_to_text=False)
    assert kept is None or kept.native


@pytest.mark.parametrize("status", [401, 404, 429, 503])
def test_other_refusals_are_not_about_the_form(status):
    refusal = Refusal(status, "seed logprobs", param="seed")
    assert simpler(Dialect(), body_of(Dialect()), refusal, may_fall_back_to_text=True) is None


def test_a_fault_of_the_server_costs_extras_at_most():
    body = body_of(Dialect())
    refusal = Refusal(500, "no stream, temperature")
    assert simpler(Dialect(), body, refusal, may_fall_back_to_text=True) is None
    refusal = Refusal(500, "logprobs need logits_all")
    changed = simpler(Dialect(), body, refusal, may_fall_back_to_text=True)
    assert "logprobs" in changed.dropped


@pytest.mark.parametrize(("status", "error"), [
    (400, {"code": "context_length_exceeded", "message": "x"}),
    (400, {"code": 400, "type": "exceed_context_size_error", "message": "x"}),
    (400, {"message": "This model's maximum context length is 8192 tokens."}),
    (500, {"message": "Requested tokens (9000) exceed context window of 8192"}),
    (500, {"message": "Prompt exceeds n_ctx: 20013 > 8192"}),
    (400, {"message": "the request exceeds the available context size"}),
])  # fmt: skip
def test_a_full_context_is_known_in_every_dialect(status, error):
    refusal = read_refusal(status, {}, json.dumps({"error": error}).encode())
    assert refusal.is_context_full
    assert not refusal.is_transient
    assert simpler(Dialect(), body_of(Dialect()), refusal, may_fall_back_to_text=True) is None


PICTURE = "data:image/png;base64,AAAA"


def request_turns(*turns: Turn) -> list[RequestTurn]:
    return [RequestTurn(turn, "" if turn.picture is None else PICTURE) for turn in turns]


def inspection() -> list[Turn]:
    return [
        *opening(load_tasks()[0]),
        Turn("assistant", call(6500, 6600)),
        Turn("tool", "Generated.", picture=1),
        Turn("assistant", call(9500, 9600)),
        Turn("tool", "It does not overlap."),
        Turn("assistant", answer()),
    ]


def as_qwens_template_writes(sent: list[dict]) -> str:
    """What the stock template of Qwen2.5-VL makes of messages."""
    text = ""
    for message in sent:
        content = message["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        text += f"<|im_start|>{message['role']}\n"
        for part in parts:
            picture = "<|vision_start|><|image_pad|><|vision_end|>"
            text += picture if part["type"] == "image_url" else part["text"]
        text += "<|im_end|>\n"
    return text + "<|im_start|>assistant\n"


def test_in_text_form_a_template_writes_the_protocol_byte_for_byte():
    turns = inspection()
    sent = messages(request_turns(*turns), native=False)
    assert as_qwens_template_writes(sent) == chat_text(turns)


def test_pictures_are_in_user_messages_and_content_is_never_none():
    for native in (False, True):
        for message in messages(request_turns(*inspection()), native=native):
            assert isinstance(message["content"], str) or message["role"] == "user"
            assert message["content"] is not None


def test_a_picture_travels_without_loss(rng):
    pixels = rng.integers(0, 256, (28, 56, 3), dtype=np.uint8)
    head, _, body = picture_url(Image.fromarray(pixels)).partition(",")
    assert head == "data:image/png;base64"
    with Image.open(io.BytesIO(base64.b64decode(body))) as back:
        assert np.array_equal(np.asarray(back), pixels)


def test_words_that_look_like_markup_are_broken_up():
    assert plain("<|im_end|> <|vision_start|>") == "<| im_end|> <| vision_start|>"
    assert plain("<__media__>") == "< __media__>"
    kept = "<think>a < b | c</think><tool_call>{}</tool_call> __a__ <| x |> \\boxed{YES}"
    assert plain(kept) == kept
    for native in (False, True):
        turns = [Turn(role, "a<|im_end|>b") for role in ("system", "user", "assistant", "tool")]
        assert "<|im_end|>" not in json.dumps(messages(request_turns(*turns), native=native))


def test_in_native_form_the_server_describes_the_tool():
    system, user, *_ = messages(request_turns(*inspection()), native=True)
    assert system == {"role": "system", "content": SYSTEM}
    assert [part["type"] for part in user["content"]] == ["image_url", "text"]


def test_in_native_form_calls_and_answers_belong_together():
    sent = messages(request_turns(*inspection()), native=True)
    assert [message["role"] for message in sent] == [
        "system", "user", "assistant", "tool", "user", "assistant", "tool", "assistant",
    ]  # fmt: skip
    first, result, picture, second, refusal, last = sent[2:]
    assert first["content"] == "<think>Look closer.</think>"
    function = first["tool_calls"][0]["function"]
    assert function["name"] == "spectral_visualization_tool"
    assert json.loads(function["arguments"]) == {"wavelength_range": [6500, 6600], "label": "Hα"}
    assert result["tool_call_id"] == first["tool_calls"][0]["id"]
    assert result["content"] == "Generated."
    assert picture["content"] == [{"type": "image_url", "image_url": {"url": PICTURE}}]
    assert refusal["tool_call_id"] == second["tool_calls"][0]["id"] != result["tool_call_id"]
    assert last["content"] == answer()
    assert "tool_calls" not in last


def test_every_native_call_is_answered():
    two = call(1, 2) + call(3, 4)
    turns = [Turn("user", "Q"), Turn("assistant", two), Turn("user", "One call a turn.")]
    _, calls, one, other, user = messages(request_turns(*turns), native=True)
    ids = [each["id"] for each in calls["tool_calls"]]
    assert len(set(ids)) == 2
    assert [one["tool_call_id"], other["tool_call_id"]] == ids
    assert user == {"role": "user", "content": "One call a turn."}


def test_a_call_that_is_no_call_stays_text():
    for body in ("nonsense", "[]", "{}", '{"name": 7}', '{"name": "a b"}', "[" * 50_000):
        text = f"<tool_call>{body}</tool_call>"
        turns = [Turn("assistant", text), Turn("tool", "Not valid.")]
        assistant, user = messages(request_turns(*turns), native=True)
        assert assistant == {"role": "assistant", "content": text}
        assert user == {"role": "user", "content": "Not valid."}
