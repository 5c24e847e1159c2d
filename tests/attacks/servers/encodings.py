"""Bodies in odd encodings and shapes."""

from __future__ import annotations

import json

from tests.attacks.servers.replies import (
    ANSWER,
    JSON_CHUNKED,
    SSE,
    UNKNOWN,
    Kind,
    calling,
    chunk,
    delta,
    end,
    flood,
    head,
    raw,
    said,
    stream,
    whole,
)
from tests.attacks.servers.server import Call, Play


def encodings() -> dict[str, Kind]:
    reply = {"choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}]}
    text = json.dumps(reply)
    deep = b"[" * 200_000
    pairs = ', "content": "b"' * 3
    return {
        "nul_in_the_body": Kind(whole(text.replace("Broad", "\\u0000").encode()), answers=True),
        "nuls_alone": Kind(whole(bytes(5000)), "chat"),
        "invalid_utf_8": Kind(whole(text.replace("Broad", "\xff").encode("latin-1")), answers=True),
        "overlong_utf_8": Kind(whole(text.encode().replace(b"Broad", b"\xc0\xaf\xed\xa0\x80"))),
        "utf_7": Kind(whole(b"+AHs-choices+AH0-", content_type="application/json; charset=utf-7")),
        "utf_16": Kind(whole(text.encode("utf-16"), content_type="application/json")),
        "utf_32": Kind(whole(text.encode("utf-32"))),
        "byte_order_mark": Kind(whole(b"\xef\xbb\xbf" + text.encode())),
        "charset_of_a_codec": Kind(whole(text.encode(), content_type="a/b; charset=zlib_codec")),
        "deep_lists": Kind(whole(deep), "chat"),
        "deep_lists_as_events": Kind(stream(b"data: " + deep + b"\n\n"), "chat"),
        "deep_choice": Kind(whole(b'{"choices": [{"message": ' + deep), "chat"),
        "deep_objects": Kind(whole(b'{"a":' * 100_000), "chat"),
        "number_1e999": Kind(whole(b'{"choices": 1e999}'), "chat"),
        "nan_and_infinity": Kind(whole(b'{"choices": [NaN, Infinity, -Infinity]}'), "chat"),
        "number_of_a_million_digits": Kind(whole(b'{"usage": ' + b"9" * 10**6 + b"}"), "chat"),
        "exponent_of_many_digits": Kind(whole(b'{"usage": 1e' + b"9" * 10**5 + b"}"), "chat"),
        "keys_twice": Kind(
            whole(
                f'{{"choices": 7, "choices": [{{"message": {{"content": "a"{pairs}}}, '
                '"finish_reason": "stop"}]}'.encode()
            )
        ),
        "many_empty_objects": Kind(
            flood(JSON_CHUNKED + chunk(b'{"choices": ['), chunk(b"{}," * 20000)), "longer"
        ),
        "many_small_objects": Kind(_almost(b'{"":0},'), "chat"),
        "many_small_lists": Kind(_almost(b"[[0]],"), "chat"),
        "many_choices": Kind(whole({"choices": [reply["choices"][0]] * 10_000}), answers=True),
        "no_choices": Kind(whole({"choices": []}), "chat"),
        "html_of_100_mb": Kind(
            flood(head("502 Bad", content_type="text/html"), b"<html>" + b"<b>x</b>" * 8000),
            "status 502",
        ),
        "web_page": Kind(
            whole(b"<html><script>alert(1)</script>", content_type="text/html"), "chat"
        ),
        "picture_instead": Kind(whole(b"\x89PNG\r\n\x1a\n" + bytes(999), content_type="image/png")),
        "no_content_type": Kind(raw(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}"), "chat"),
        "content_type_of_50_kb": Kind(
            whole(text.encode(), content_type="a" * 50_000), answers=True
        ),
        "json_as_events": Kind(whole(text.encode(), content_type=SSE)),
        "events_as_json": Kind(
            whole(delta(ANSWER) + end(), content_type="application/json"), answers=True
        ),
        "returns_alone": Kind(stream((delta(ANSWER) + end()).replace(b"\n", b"\r"))),
        "done_first": Kind(stream(b"data: [DONE]\n\n", delta(ANSWER)), "cut off"),
        "done_never": Kind(stream(delta(ANSWER)), "cut off"),
        "error_in_the_stream": Kind(
            stream(b'error: {"code": 9e99, "message": "\\u001b[31mno"}\n\n')
        ),
    }


def _almost(piece: bytes) -> Play:
    """The longest JSON that is still read, of many small values."""
    from agent.engines.remote.conversation import MAX_WHOLE

    def play(call: Call) -> None:
        opened, closed = b'{"choices": 0, "a": [', b"0]}"
        count = (MAX_WHOLE - 1000) // len(piece)
        length = len(opened) + count * len(piece) + len(closed)
        call.send(head(content_type="application/json", content_length=str(length)), opened)
        for _ in range(count // 1000):
            call.send(piece * 1000)
        call.send(piece * (count % 1000), closed)

    return play


def wrong_types() -> dict[str, Kind]:
    """Types that are not those of the protocol, one reply each."""
    values: list[object] = [None, True, 7, -1.5, "text", [], {}, [[]], [None], {"a": 1}, [{}], [7]]
    kinds = {}
    for number, value in enumerate(values):
        message = {"choices": [{"index": 0, "message": value, "finish_reason": "stop"}]}
        kinds[f"message_of_type_{number}"] = Kind(whole(message))
        kinds[f"choices_of_type_{number}"] = Kind(whole({"choices": value}))
        kinds[f"content_of_type_{number}"] = Kind(
            whole({"choices": [{"message": {"content": value}, "finish_reason": "stop"}]})
        )
        kinds[f"logprobs_of_type_{number}"] = Kind(
            said(ANSWER, logprobs=value), p_yes=UNKNOWN, answers=True
        )
        kinds[f"usage_of_type_{number}"] = Kind(
            whole(
                {
                    "choices": [{"message": {"content": ANSWER}, "finish_reason": "stop"}],
                    "usage": {
                        "prompt_tokens": value,
                        "completion_tokens": value,
                        "prompt_tokens_details": value,
                    },
                    "timings": {"cache_n": value, "prompt_n": value},
                }
            ),
            answers=True,
        )
        kinds[f"call_of_type_{number}"] = Kind(calling(value, value))
        kinds[f"model_id_of_type_{number}"] = Kind(
            whole({"data": [{"id": value}]}), lists_models=True
        )
        kinds[f"error_of_type_{number}"] = Kind(
            whole({"error": value, "message": value, "code": value}, "400 Bad Request")
        )
    return kinds
