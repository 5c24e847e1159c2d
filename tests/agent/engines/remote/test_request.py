"""What is asked of a server, and what is left out when it says no."""

from __future__ import annotations

import json

import pytest

from agent.engines.base import VERDICT, SamplingSettings
from agent.engines.remote.errors import Refusal, read_refusal, refusal_in_stream
from agent.engines.remote.request import Dialect, request_body, simpler

GREEDY = SamplingSettings(max_new_tokens=64)


def body_of(dialect: Dialect, sampling: SamplingSettings = GREEDY, choice_point=VERDICT) -> dict:
    return request_body(dialect, "m", [], sampling, 2**40 + 5, choice_point, {"extra": 1})


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
    assert body["temperature"] == 0.7
    assert body["top_p"] == 0.9
    assert body["max_tokens"] == 5
    assert body["seed"] == 5
    assert body["stream"] is True
    assert body["logprobs"] is True
    assert (body["top_k"], body["min_p"], body["repeat_penalty"]) == (0, 0.0, 1.0)
    assert body["extra"] == 1
    assert "tools" not in body
    assert "logprobs" not in body_of(Dialect(), choice_point=None)


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
    assert (
        simpler(Dialect(), body, Refusal(500, "no stream, temperature"), may_fall_back_to_text=True)
        is None
    )
    changed = simpler(
        Dialect(), body, Refusal(500, "logprobs need logits_all"), may_fall_back_to_text=True
    )
    assert "logprobs" in changed.dropped


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, {"code": "context_length_exceeded", "message": "x"}),
        (400, {"code": 400, "type": "exceed_context_size_error", "message": "x"}),
        (400, {"message": "This model's maximum context length is 8192 tokens."}),
        (500, {"message": "Requested tokens (9000) exceed context window of 8192"}),
        (500, {"message": "Prompt exceeds n_ctx: 20013 > 8192"}),
        (400, {"message": "the request exceeds the available context size"}),
    ],
)
def test_a_full_context_is_known_in_every_dialect(status, error):
    refusal = read_refusal(status, {}, _json({"error": error}))
    assert refusal.is_context_full
    assert not refusal.is_transient
    assert simpler(Dialect(), body_of(Dialect()), refusal, may_fall_back_to_text=True) is None


@pytest.mark.parametrize(
    ("status", "code", "passing"),
    [
        (408, "", True), (409, "", True), (425, "", True), (429, "", True), (500, "", True),
        (502, "", True), (503, "", True), (529, "", True), (501, "", False), (400, "", False),
        (401, "", False), (403, "", False), (404, "", False), (429, "insufficient_quota", False),
    ],
)  # fmt: skip
def test_which_refusals_pass(status, code, passing):
    assert Refusal(status, "x", code=code).is_transient is passing


def test_words_are_one_short_printable_line():
    hostile = "a\x1b[31m\n\u202eb" + "x" * 5000
    words = read_refusal(400, {}, _json({"error": {"message": hostile}})).message
    assert words.isprintable()
    assert len(words) <= 300
    page = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    assert read_refusal(502, {}, page).message == "502 Bad Gateway nginx"


@pytest.mark.parametrize(
    "body",
    [
        b"", b"\xff\xfe", b"null", b"[]", b"[" * 100_000, b'{"error": null}', b'{"error": [1]}',
        b'{"error": {"message": 7, "code": [], "param": {}}}', b'{"detail": [{"loc": ["body"]}]}',
        b'{"error": {"message": ' + b"[" * 500 + b"]" * 500 + b"}}",
    ],
)  # fmt: skip
def test_no_body_raises(body):
    refusal = read_refusal(400, {"retry-after": "x"}, body)
    assert refusal.names(["seed"]) in ([], ["seed"])
    assert str(refusal)


def test_where_a_server_points_at_the_field():
    body = _json({"detail": [{"loc": ["body", "top_k"], "msg": "too small"}]})
    assert read_refusal(422, {}, body).names(["top_k", "seed"]) == ["top_k"]
    body = _json({"error": {"message": "x", "param": "stream_options.include_usage"}})
    assert read_refusal(400, {}, body).names(["stream", "stream_options"]) == ["stream_options"]


def test_errors_in_a_stream_are_found():
    assert refusal_in_stream({"choices": []}) is None
    assert refusal_in_stream({"error": {"message": "busy", "code": 503}}).status == 503
    assert refusal_in_stream({"error": "busy"}).message == "busy"
    assert refusal_in_stream({"code": 500, "message": "busy", "type": "x"}).status == 500
    full = {"error": {"code": 400, "message": "x", "type": "exceed_context_size_error"}}
    assert refusal_in_stream(full).is_context_full
    for odd in (True, 7, [], [[]], {}, {"code": True}, {"code": 10**400}):
        assert refusal_in_stream({"error": odd}).status == 500


def _json(value: object) -> bytes:
    return json.dumps(value).encode()
