"""Turns as messages that servers accept, in both forms."""

from __future__ import annotations

import base64
import io
import json

import numpy as np
from PIL import Image

from agent.engines.remote.request import RequestTurn, messages, picture_url, plain
from agent.protocol.protocol import SYSTEM, Turn, opening
from agent.tasks.catalogue import load_tasks
from tests.agent.protocol.chat_text import chat_text
from tests.agent.scenes import answer, call

PICTURE = "data:image/png;base64,AAAA"


def said(*turns: Turn) -> list[RequestTurn]:
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
    sent = messages(said(*turns), native=False)
    assert as_qwens_template_writes(sent) == chat_text(turns)


def test_pictures_are_in_user_messages_and_content_is_never_none():
    for native in (False, True):
        for message in messages(said(*inspection()), native=native):
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
        assert "<|im_end|>" not in json.dumps(messages(said(*turns), native=native))


def test_in_native_form_the_server_describes_the_tool():
    system, user, *_ = messages(said(*inspection()), native=True)
    assert system == {"role": "system", "content": SYSTEM}
    assert [part["type"] for part in user["content"]] == ["image_url", "text"]


def test_in_native_form_calls_and_answers_belong_together():
    sent = messages(said(*inspection()), native=True)
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
    _, calls, one, other, user = messages(said(*turns), native=True)
    ids = [each["id"] for each in calls["tool_calls"]]
    assert len(set(ids)) == 2
    assert [one["tool_call_id"], other["tool_call_id"]] == ids
    assert user == {"role": "user", "content": "One call a turn."}


def test_a_call_that_is_no_call_stays_text():
    for body in ("nonsense", "[]", "{}", '{"name": 7}', '{"name": "a b"}', "[" * 50_000):
        text = f"<tool_call>{body}</tool_call>"
        turns = [Turn("assistant", text), Turn("tool", "Not valid.")]
        assistant, user = messages(said(*turns), native=True)
        assert assistant == {"role": "assistant", "content": text}
        assert user == {"role": "user", "content": "Not valid."}
