"""Error responses from servers, and when a request is tried again."""

import json
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from unittest.mock import Mock

import pytest

from agent.child_process.turn_taking import computing
from agent.engines.base import SamplingSettings
from agent.engines.remote import conversation
from agent.engines.remote import stream as reply_stream
from agent.engines.remote.errors import (
    LONGEST_WAIT_S,
    MAX_RETRY_AFTER_S,
    Clock,
    Refusal,
    RetryPolicy,
    TransientError,
    read_refusal,
    read_retry_after,
    refusal_in_stream,
)
from agent.errors import Cancelled, EngineError
from tests.agent.engines.remote.fake_server import (
    FakeClock,
    Pieces,
    answered,
    dropped,
    endless,
    event_bytes,
    spoken,
    stream,
)
from tests.agent.engines.remote.remote_scenes import GREEDY, opened, refusal_of, talking
from tests.processes import LONG_S

NOON = datetime(2026, 6, 1, 12, 0, 0, tzinfo=UTC)


def failing(times: int, retry_after_s: float | None = None):
    """Fails that often, then says how many calls it took."""
    calls = []

    def attempt() -> int:
        calls.append(None)
        if len(calls) <= times:
            raise TransientError("it coughed", retry_after_s)
        return len(calls)

    return attempt


def retrying(retries: int = 4, seed: int = 1) -> tuple[RetryPolicy, FakeClock]:
    clock = FakeClock()
    return RetryPolicy(retries, clock=clock, rng=random.Random(seed)), clock


def test_faults_that_pass_are_waited_out():
    policy, clock = retrying()
    assert policy.run(failing(3), "host") == 4
    assert 0.25 + 0.5 + 1.0 <= clock.waited <= 0.5 + 1.0 + 2.0


def test_others_compute_while_one_waits_to_try_again():
    class Busy(FakeClock):
        def wait(self, seconds: float) -> None:
            with ThreadPoolExecutor(1) as other:
                other.submit(compute).result(30)
            super().wait(seconds)

    def compute() -> None:
        with computing():
            pass

    clock = Busy()
    with computing():
        assert RetryPolicy(1, clock=clock, rng=random.Random(1)).run(failing(1), "host") == 2
    assert clock.asked > 0


def test_without_a_fault_nobody_waits():
    policy, clock = retrying()
    assert policy.run(failing(0), "host") == 1
    assert clock.asked == 0


def test_the_last_fault_is_an_error_in_words():
    policy, _ = retrying(2)
    with pytest.raises(EngineError, match=r"^host: it coughed; gave up after 3 attempts$"):
        policy.run(failing(3), "host")
    with pytest.raises(EngineError, match=r"^host: it coughed$"):
        retrying(0)[0].run(failing(1), "host")


def test_waits_double_jitter_and_end_somewhere():
    policy, _ = retrying()
    waits = [[policy.wait_s(number) for _ in range(200)] for number in range(12)]
    for number, some in enumerate(waits):
        longest = min(LONGEST_WAIT_S, 0.5 * 2**number)
        assert longest / 2 <= min(some) < 0.55 * longest
        assert 0.95 * longest < max(some) <= longest
    much_later = policy.wait_s(10**9)
    assert much_later <= LONGEST_WAIT_S


def test_the_jitter_follows_its_seed():
    def waits(seed: int) -> list[float | None]:
        policy, _ = retrying(seed=seed)
        return [policy.wait_s(number) for number in range(5)]

    assert waits(7) == waits(7)
    assert waits(7) != waits(8)


def test_the_servers_wish_is_followed():
    policy, clock = retrying()
    assert policy.run(failing(2, retry_after_s=3.0), "host") == 3
    assert clock.waited == pytest.approx(6.0)


def test_a_server_that_asks_for_too_long_is_not_waited_for():
    policy, clock = retrying()
    with pytest.raises(EngineError, match="asks us to wait 3600 s"):
        policy.run(failing(1, retry_after_s=3600.0), "host")
    assert clock.waited == 0
    assert policy.wait_s(0, MAX_RETRY_AFTER_S) == MAX_RETRY_AFTER_S


def test_a_stop_is_heard_while_waiting():
    policy, clock = retrying()
    with pytest.raises(Cancelled):
        policy.run(failing(9, retry_after_s=100.0), "host", lambda: clock.waited > 1.0)
    assert clock.waited < 1.2


def test_other_errors_are_not_tried_again():
    policy, clock = retrying()

    with pytest.raises(EngineError, match=r"^no$"):
        policy.run(Mock(side_effect=EngineError("no")), "host")
    assert clock.asked == 0


@pytest.mark.parametrize("retries", [-1, 101])
def test_absurd_counts_are_refused(retries):
    with pytest.raises(EngineError):
        RetryPolicy(retries)


@pytest.mark.parametrize(("text", "seconds"), [
    (None, None),
    ("7", 7.0),
    ("0.5", 0.5),
    ("-3", 0.0),
    ("nan", None),
    ("inf", None),
    ("1e999", None),
    ("soon", None),
    ("Mon, 01 Jun 2026 12:00:30 GMT", 30.0),
    ("Mon, 01 Jun 2026 11:00:00 GMT", 0.0),
    ("Mon, 01 Jun 2026 12:00:30", 30.0),
    ("Mon, 99 Jun 99999 12:00:30 GMT", None),
    ("9" * 200, None),
])  # fmt: skip
def test_retry_after_in_all_its_forms(text, seconds):
    assert read_retry_after(text, NOON) == seconds


def test_the_systems_clock_goes_on():
    clock = Clock()
    before = clock.now()
    clock.wait(0.001)
    assert clock.now() > before


@pytest.mark.parametrize(("status", "code", "passing"), [
    (408, "", True), (409, "", True), (425, "", True), (429, "", True), (500, "", True),
    (502, "", True), (503, "", True), (529, "", True), (501, "", False), (400, "", False),
    (401, "", False), (403, "", False), (404, "", False), (429, "insufficient_quota", False),
])  # fmt: skip
def test_which_refusals_pass(status, code, passing):
    assert Refusal(status, "x", code=code).is_transient is passing


def test_words_are_one_short_printable_line():
    hostile = "a\x1b[31m\n\u202eb" + "x" * 5000
    words = read_refusal(400, {}, _json({"error": {"message": hostile}})).message
    assert words.isprintable()
    assert len(words) <= 300
    page = b"<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
    assert read_refusal(502, {}, page).message == "502 Bad Gateway nginx"


@pytest.mark.parametrize("body", [
    b"", b"\xff\xfe", b"null", b"[]", b"[" * 100_000, b'{"error": null}', b'{"error": [1]}',
    b'{"error": {"message": 7, "code": [], "param": {}}}', b'{"detail": [{"loc": ["body"]}]}',
    b'{"error": {"message": ' + b"[" * 500 + b"]" * 500 + b"}}",
])  # fmt: skip
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


# Malformed, endless and interrupted replies give an error message, never another exception.
@pytest.mark.parametrize("act", [
    stream(Pieces(["{"])),
    stream(Pieces(["[]"])),
    stream(Pieces(["[" * 100_000])),
    stream(Pieces(['{"usage": ' + "9" * 10_000 + "}"])),
    answered(200, b"<html>hello</html>", content_type="text/html"),
    answered(200, b"\xff\xfe\x00"),
    answered(200, []),
    answered(200, {"choices": []}),
    answered(200, {"choices": [{"message": {"content": "a"}}]}),
])  # fmt: skip
def test_what_is_no_chat_reply_is_refused(act):
    assert "chat" in refusal_of(act)


@pytest.mark.parametrize("piece", [b"x" * 4096, b"data: " + b"x" * 4096, b": ping\n", b"\n\n"])
def test_a_reply_without_end_is_left(monkeypatch, piece):
    monkeypatch.setattr(conversation, "MAX_REPLY", 2**16)
    monkeypatch.setattr(reply_stream, "MAX_LINE", 2**14)
    assert "longer than" in refusal_of(endless(piece))


def test_a_body_without_end_is_left(monkeypatch):
    monkeypatch.setattr(conversation, "MAX_REPLY", 2**18)
    assert "longer than" in refusal_of(endless(b"{" * 4096, "application/json"))


def test_a_model_without_end_is_cut():
    piece = event_bytes(Pieces().words("word " * 100).events[0])
    with talking(endless(piece)) as (server, engine):
        generated = opened(engine).generate(SamplingSettings(max_new_tokens=4))
        assert generated.finish == "length"
        assert len(generated.text) < 20_000
        assert server.hung_up.wait(LONG_S)


def test_pings_alone_are_no_answer():
    words = refusal_of(endless(b": ping\n\n"), timeout_s=5.0, clock=_Hasty())
    assert "no text within 5 s" in words


class _Hasty:
    """A clock on which a second passes with each look."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        self.time += 1.0
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds


def test_withheld_replies_are_told():
    assert "withheld" in refusal_of(stream(Pieces().words("a").end("content_filter")))


def test_random_streams_raise_nothing_else(rng):
    """Valid replies with bytes flipped, cut and doubled."""
    pieces = Pieces().words("<think>a</think>", "\\boxed{YES}").end(usage={"prompt_tokens": 3})
    whole = b"".join(event_bytes(event) for event in pieces.events)
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(int(rng.integers(1, 6))):
            index = int(rng.integers(0, len(data)))
            kind = int(rng.integers(0, 3))
            if kind == 0:
                data[index] = int(rng.integers(0, 256))
            elif kind == 1:
                del data[index : index + int(rng.integers(1, 40))]
            else:
                data[index:index] = data[index : index + int(rng.integers(1, 40))]
        acts = [answered(200, bytes(data), content_type="text/event-stream"), spoken("again")]
        with talking(*acts) as (_, engine):
            try:
                generated = opened(engine).generate(GREEDY)
            except EngineError as refusal:
                assert str(refusal).isprintable()
            else:
                assert generated.finish in ("stop", "length")


def test_a_drop_in_every_place_is_survived():
    """Cut after each byte of a reply: the next attempt brings the turn."""
    pieces = Pieces().words("a", "b").end(usage={"prompt_tokens": 3, "completion_tokens": 2})
    whole = [event_bytes(event) for event in pieces.events]
    for kept in range(len(whole)):
        acts = [dropped(Pieces(pieces.events[:kept])), stream(pieces)]
        with talking(*acts) as (_, engine):
            assert opened(engine).generate(GREEDY).text == "ab"
    assert json.loads(whole[0][6:])
