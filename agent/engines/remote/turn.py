"""One request for one turn: sent, and its answer read to the end or cut where it should end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agent.engines.base import Cancelled, ChoicePoint, Finish, SamplingSettings, ShouldStop
from agent.engines.remote.address import OUR_VARIABLE
from agent.engines.remote.client import HttpClient, HttpError, ServerSession
from agent.engines.remote.errors import Refusal, TransientError, refusal_in_stream
from agent.engines.remote.request import (
    Body,
    Dialect,
    RequestTurn,
    bare,
    messages,
    request_body,
    simpler,
)
from agent.engines.remote.stream import (
    DONE,
    Preview,
    ReplyBuilder,
    TooLong,
    events,
    read_all,
    read_json,
)
from agent.errors import ContextFullError, EngineError

MAX_REPLY = 256 * 2**20
LETTERS_PER_TOKEN = 64
BYTES_PER_TOKEN = 16 * 1024
"""An event with 20 alternatives takes about 3 kB."""
SPARE_TEXT = 16 * 1024
AFTER_STOP = 8
"""Pieces of nothing but space that may follow a stop string before the turn is cut."""


@dataclass(frozen=True)
class TurnReply:
    """A turn as it came. `broke_off`: we ended it, so the server never gave its counts."""

    reply: ReplyBuilder
    text: str
    finish: Finish
    broke_off: bool = False


def hear(
    line: HttpClient,
    body: Body,
    preview: Preview,
    *,
    stop: Sequence[str],
    should_stop: ShouldStop | None,
    max_tokens: int,
) -> TurnReply:
    """Say the conversation, hear the turn. Raises Refused, Passing, EngineError."""
    reply = ReplyBuilder(max_text=SPARE_TEXT + LETTERS_PER_TOKEN * max_tokens)
    preview.start()
    try:
        with line.request("POST", "/chat/completions", body, should_stop) as answer:
            limit = min(MAX_REPLY, 2**20 + BYTES_PER_TOKEN * max_tokens)
            if answer.is_stream:
                try:
                    pieces = events(answer.pieces, limit)
                    return _hear_events(line, pieces, reply, preview, stop, should_stop)
                except TransientError as fault:
                    fault.before_first_word = reply.pieces == 0
                    raise
            data = read_all(answer.pieces, limit)
            if data.lstrip().startswith(b"data:"):  # a stream under another name
                pieces = events([data], limit)
                return _hear_events(line, pieces, reply, preview, stop, should_stop)
            return _hear_whole(line, data, reply, preview, stop)
    except Cancelled:
        end = stop_end(reply.text, len(reply.text), stop)
        finish: Finish = "cancelled" if end is None else "stop"
        return TurnReply(reply, reply.text[:end], finish, broke_off=True)
    except TooLong as error:
        raise EngineError(f"{line.address.netloc}: {error}") from error


def _hear_events(
    line: HttpClient,
    pieces: Iterator[str | None],
    reply: ReplyBuilder,
    preview: Preview,
    stop: Sequence[str],
    should_stop: ShouldStop | None,
) -> TurnReply:
    silent_since = line.clock.now()
    end: int | None = None
    spaces = 0
    for data in pieces:
        if should_stop is not None and should_stop():
            raise Cancelled
        if data is None:
            if line.clock.now() - silent_since > line.timeout_s:
                raise TransientError(f"no word within {line.timeout_s:g} s")
            continue
        silent_since = line.clock.now()
        if data.strip() == DONE:
            break
        new = reply.add(_read_event(line, data))
        if end is not None:
            spaces += 1
            if new.strip() or spaces > AFTER_STOP:
                return _ended(reply, preview, end, broke_off=True)
            continue
        end = stop_end(reply.text, len(new), stop)
        preview.add(new if end is None else new[: len(new) - (len(reply.text) - end)])
        if reply.is_too_long:
            return TurnReply(reply, reply.text, "length", broke_off=True)
    if not reply.finish_reason and end is None:
        raise TransientError("the reply broke off")
    return _ended(reply, preview, end)


def _hear_whole(
    line: HttpClient, data: bytes, reply: ReplyBuilder, preview: Preview, stop: Sequence[str]
) -> TurnReply:
    """The server does not stream."""
    new = reply.add(_read_event(line, data.decode("utf-8", "replace")))
    if not reply.finish_reason:
        raise EngineError(f"{line.address.netloc} answered something that is no chat reply")
    end = stop_end(reply.text, len(new), stop)
    preview.add(reply.text[:end])
    return _ended(reply, preview, end)


def _read_event(line: HttpClient, data: str) -> dict[str, object]:
    try:
        event = read_json(data)
    except ValueError as error:
        raise EngineError(
            f"{line.address.netloc} does not answer in the chat protocol: is its address right?"
        ) from error
    refusal = refusal_in_stream(event, line.key)
    if refusal is not None:
        raise HttpError(refusal)
    return event


def _ended(
    reply: ReplyBuilder, preview: Preview, end: int | None, *, broke_off: bool = False
) -> TurnReply:
    """The turn is over; at `end` where a stop string said so."""
    if end is not None:
        return TurnReply(reply, reply.text[:end], "stop", broke_off)
    if reply.finish_reason == "content_filter":
        raise EngineError("the server withheld the reply (content_filter)")
    preview.add(reply.close_thought())
    preview.add(reply.add_calls())
    finish: Finish = "length" if reply.finish_reason == "length" else "stop"
    return TurnReply(reply, reply.text, finish, broke_off)


def stop_end(text: str, new: int, stop: Sequence[str]) -> int | None:
    """Where the first stop string ends that reaches into the last `new` letters."""
    begin = len(text) - new + 1
    found = ((word, text.find(word, max(0, begin - len(word)))) for word in stop if word)
    return min((at + len(word) for word, at in found if at >= 0), default=None)


FAULTS_BEFORE_BARE = 2
"""Answers of 500 after which all that a server may be choking on is left out."""
SILENCES_BEFORE_WHOLE = 2
"""Streams that ended before their first word, after which the turn is asked for in one piece:
llama_cpp.server can only say what is wrong that way."""


@dataclass(frozen=True)
class TurnRequest:
    """What the caller wants of the turn."""

    sampling: SamplingSettings
    seed: int = 0
    stop: Sequence[str] = ()
    choice_point: ChoicePoint | None = None
    should_stop: ShouldStop | None = None


class Attempt:
    """Called once, and again after each fault that passes."""

    def __init__(
        self,
        server: ServerSession,
        said: Sequence[RequestTurn],
        wish: TurnRequest,
        preview: Preview,
    ) -> None:
        self.wasted = False
        """An earlier call came far enough for the server to have computed something."""
        self._server = server
        self._said = said
        self._wish = wish
        self._preview = preview
        self._learnt = self._dialect = server.dialect
        self._faults = 0
        self._silences = 0

    def __call__(self) -> TurnReply:
        """Raises Passing, Cancelled, EngineError."""
        while True:
            if self._wish.should_stop is not None and self._wish.should_stop():
                raise Cancelled
            body = self._body()
            try:
                heard = self._hear(body)
            except HttpError as refused:
                self.wasted |= refused.refusal.status >= 500
                self._dialect = self._next_dialect(body, refused.refusal)
                continue
            except TransientError as fault:
                self.wasted = True
                self._silences += fault.before_first_word
                self._server.check_alive()
                raise
            self._server.learn(self._learnt, self._dialect)
            return heard

    def _hear(self, body: Body) -> TurnReply:
        wish = self._wish
        return hear(
            self._server.line,
            body,
            self._preview,
            stop=wish.stop,
            should_stop=wish.should_stop,
            max_tokens=wish.sampling.max_new_tokens,
        )

    def _body(self) -> Body:
        wish = self._wish
        dialect = self._dialect
        if self._silences >= SILENCES_BEFORE_WHOLE:
            dialect = replace(dialect, dropped=dialect.dropped | {"stream"})
        return request_body(
            dialect,
            self._server.model,
            messages(self._said, native=self._dialect.native),
            wish.sampling,
            wish.seed,
            wish.choice_point,
            self._server.extras,
        )

    def _next_dialect(self, body: Body, refusal: Refusal) -> Dialect:
        """A simpler form to ask in at once, or the error that it is."""
        if refusal.is_context_full:
            raise ContextFullError(
                f"{self._server.name}: the conversation is longer than the model can read"
                + (f" ({refusal.words})" if refusal.words else "")
            )
        may_fall_back_to_text = self._server.may_fall_back_to_text
        changed = simpler(self._dialect, body, refusal, may_fall_back_to_text=may_fall_back_to_text)
        if changed is not None:
            return changed
        if not refusal.is_transient:
            raise EngineError(f"{self._server.name}: {refusal}{self._help(refusal)}")
        self._server.check_alive()
        self._faults += refusal.status == 500
        if self._faults >= FAULTS_BEFORE_BARE:
            self._dialect = bare(self._dialect, body) or self._dialect
        raise TransientError(str(refusal), refusal.retry_after_s)

    def _help(self, refusal: Refusal) -> str:
        """What to try, where we know."""
        line = self._server.line
        if refusal.status != 401 or line.key is not None:
            return ""
        if not line.address.may_receive_key:
            return "; keys are sent over https alone"
        return f"; set {OUR_VARIABLE} to your key"
