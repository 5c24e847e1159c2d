"""Replies that repeat the API key, wherever a server may put it."""

from __future__ import annotations

import json

from tests.attacks.servers.replies import (
    ANSWER,
    CHUNKED,
    Kind,
    calling,
    delta,
    end,
    event,
    head,
    raw,
    redirect,
    said,
    stream,
    whole,
)
from tests.attacks.servers.server import KEY


def echoes() -> dict[str, Kind]:
    """The key, wherever a server may put it."""
    shown = f"Bearer {KEY}"
    halves = [KEY[:9], KEY[9:13], KEY[13:]]
    pieces = [delta(half) for half in halves]
    look = {"wavelength_range": [6500, 6600], "label": KEY}
    call = json.dumps({"name": "spectral_visualization_tool", "arguments": look})
    call = f"<tool_call>{call}</tool_call>"
    return {
        "key_in_an_error": Kind(
            whole({"error": {"message": shown, "code": KEY, "param": KEY, "type": KEY}}, "401 No"),
            "key",
        ),
        "key_in_a_server_fault": Kind(
            whole(f"<html>{shown}</html>".encode(), "500 Bad", content_type="text/html")
        ),
        "key_in_a_context_error": Kind(
            whole({"error": {"message": f"context length {shown}"}}, "400 No")
        ),
        "key_in_the_reason": Kind(raw(head(f"400 {shown}", content_length="0"))),
        "key_in_the_headers": Kind(whole(b"{}", x_key=shown, set_cookie=f"k={KEY}", server=KEY)),
        "key_in_the_content_type": Kind(whole(b"{}", content_type=KEY)),
        "key_in_the_wait": Kind(whole(b"{}", "503 Busy", retry_after=KEY)),
        "key_in_the_redirect": Kind(redirect("{elsewhere}/" + KEY), "has moved"),
        "key_in_a_redirect_host": Kind(redirect(f"http://{KEY}.example/"), "has moved"),
        "key_in_a_bad_header": Kind(
            raw(b"HTTP/1.1 200 OK\r\n" + KEY.encode() + b"\r\n\r\n"), "broke"
        ),
        "key_in_a_bad_status": Kind(raw(KEY.encode() + b" 200 OK\r\n\r\n"), "broke"),
        "key_in_a_chunk_size": Kind(raw(CHUNKED, KEY.encode() + b"\r\n"), "broke"),
        "key_in_the_events": Kind(stream(b"data: " + KEY.encode() + b"\n\n"), "chat"),
        "key_in_an_error_event": Kind(stream(event(error={"message": shown, "code": KEY}))),
        "key_in_the_text": Kind(
            said(f"<think>{shown}</think>{KEY}<answer>{KEY} \\boxed{{YES}}</answer>"), answers=True
        ),
        "key_in_pieces": Kind(stream(*pieces, delta(ANSWER), end()), answers=True),
        "key_at_the_end": Kind(stream(delta(ANSWER), delta(halves[0]), delta(halves[1]), end())),
        "key_cut_off": Kind(stream(*[delta("word ") for _ in range(9)], delta(KEY), end("length"))),
        "key_in_the_thought": Kind(
            stream(event({"delta": {"reasoning_content": shown}}), delta(ANSWER), end()),
            answers=True,
        ),
        "key_in_a_call": Kind(said(call)),
        "key_in_a_native_call": Kind(
            calling(KEY, json.dumps({"wavelength_range": [6500, 6600], "label": KEY}))
        ),
        "key_in_the_pieces_of_a_call": Kind(
            stream(
                *[
                    event(
                        {
                            "delta": {
                                "tool_calls": [
                                    {"index": 0, "function": {"name": half, "arguments": half}}
                                ]
                            }
                        }
                    )
                    for half in halves
                ],
                end(),
            )
        ),
        "key_in_the_finish": Kind(stream(delta(ANSWER), end(KEY)), answers=True),
        "key_as_the_only_model": Kind(whole({"data": [{"id": KEY}]}), lists_models=True),
        "key_among_the_models": Kind(
            whole({"data": [{"id": KEY}, {"id": f"{KEY}-2"}]}), "2 models", lists_models=True
        ),
        "key_in_an_error_of_models": Kind(
            whole({"error": {"message": shown}}, "404 No"), "list its models", lists_models=True
        ),
    }
