"""A conversation with a server: kept here and sent whole for every turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from PIL import Image

from agent.engines.base import (
    VERDICT,
    ChoicePoint,
    Finish,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
    check_pictures,
)
from agent.engines.remote.address import OUR_VARIABLE, KeyFilter
from agent.engines.remote.choices import choices
from agent.engines.remote.client import HttpError, ServerSession
from agent.engines.remote.errors import Refusal, ServerFailed, TransientError, refusal_in_stream
from agent.engines.remote.request import (
    Body,
    Dialect,
    RequestTurn,
    TurnRequest,
    bare,
    messages,
    picture_url,
    request_body,
    simpler,
)
from agent.engines.remote.servers import Servers
from agent.engines.remote.stream import (
    DONE,
    UNKNOWN,
    Preview,
    ReplyBuilder,
    TooLong,
    events,
    read_all,
    read_json,
)
from agent.engines.turn_text import stop_end
from agent.errors import Cancelled, ContextFullError, EngineError
from agent.protocol.protocol import Turn
from agent.protocol.turn_form import TurnForm
from agent.rendering.model_image import token_grid

# More than any model reads. A record of all turns must stay readable.
MAX_CHARACTERS = 1_000_000

MAX_REPLY = 128 * 2**20
# One that is not streamed is parsed in one piece, which takes up to 30 times its size
MAX_WHOLE = 4 * 2**20
# Some 4,000 tokens, each with its alternatives
MAX_ASKED_WHOLE = 16 * 2**20
# In characters; a record of many turns must stay readable
MAX_TEXT = 200_000
CHARACTERS_PER_TOKEN = 64
# An event with 20 alternatives has about 3 kB
BYTES_PER_TOKEN = 16 * 1024
SPARE_TEXT = 16 * 1024
# Pieces of white space that may follow a stop string before we close the connection
AFTER_STOP = 8


@dataclass(frozen=True)
class _Mark:
    turns: int
    length: int


class RemoteConversation:
    """See `agent.engines.base.Conversation`."""

    def __init__(self, servers: Servers) -> None:
        self.session = uuid4().hex
        """Names the conversation in all its requests, so that a router keeps it on one server."""
        self._servers = servers
        self._at: ServerSession | None = servers.take()
        self._turns: list[RequestTurn] = []
        self._length = 0
        """Tokens of the conversation as the server last counted them; -1 means unknown."""
        self._length_at: dict[int, int] = {}  # prompt tokens by the number of turns sent
        self.usage = Usage()

    @property
    def _server(self) -> ServerSession:
        if self._at is None:
            raise EngineError("the conversation is closed")
        return self._at

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Add turns; nothing is sent before `generate`."""
        check_pictures(turns, pictures)
        remaining = iter(pictures)
        new = []
        for turn in turns:
            if should_stop is not None and should_stop():
                raise Cancelled
            url = "" if turn.picture is None else picture_url(next(remaining))
            new.append(RequestTurn(turn, url))
        self._turns += new
        images = _plus(self.usage.images, self._image_tokens(pictures))
        self.usage = replace(self.usage, images=images)

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        form: TurnForm | None = None,
        choice_point: ChoicePoint | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        if sum(len(sent.turn.text) for sent in self._turns) > MAX_CHARACTERS:
            raise ContextFullError(
                f"{self._server.name}: the conversation is longer than {MAX_CHARACTERS} characters"
            )
        preview = Preview(on_text)
        request = TurnRequest(sampling, self.session, seed, stop, choice_point, should_stop, form)
        try:
            received, wasted = self._ask(request, preview)
        except Cancelled:
            preview.start()
            preview.end()
            return Generated("", 0, "cancelled")
        preview.end()
        self._count(received.reply, wasted=wasted)
        if received.text:
            self._turns.append(RequestTurn(Turn("assistant", received.text)))
        reply, counted = received.reply, received.reply.counts.generated
        said = counted if counted >= 0 else len(reply.tokens) or reply.pieces
        found = None if choice_point is None else choices(reply.tokens, choice_point, received.text)
        return Generated(received.text, said, received.finish, found)

    def mark(self) -> object:
        return _Mark(len(self._turns), self._length)

    def rewind(self, mark: object) -> None:
        if not isinstance(mark, _Mark) or mark.turns > len(self._turns):
            raise EngineError("the mark is no longer valid or belongs to another conversation")
        del self._turns[mark.turns :]
        known = {at: length for at, length in self._length_at.items() if at <= mark.turns}
        self._length_at = known
        self._length = known.get(mark.turns, mark.length)

    def close(self) -> None:
        self._turns.clear()
        at, self._at = self._at, None
        if at is not None:
            self._servers.leave(at)

    def _ask(self, request: TurnRequest, preview: Preview) -> tuple[TurnReply, bool]:
        """Request the turn, from another server if this one fails; also return what was wasted."""
        tried: list[ServerSession] = []
        while True:
            attempt = Attempt(self._server, self._turns, request, preview)
            try:
                received = self._server.retry_policy.run(
                    partial(self._try, attempt), self._server.name, request.should_stop
                )
                return received, attempt.wasted or bool(tried)
            except ServerFailed:
                failed = self._server
                tried.append(failed)
                if self._servers.count == len(tried):
                    raise
                self._at = self._servers.take(tried)
                self._servers.leave(failed)

    def _try(self, attempt: Attempt) -> TurnReply:
        server = self._server
        try:
            received = attempt()
        except TransientError as fault:
            self._servers.failed(server, fault)
            raise
        server.faults = 0
        return received

    def _image_tokens(self, pictures: Sequence[Image.Image]) -> int:
        """Count picture tokens; unknown for models with native calls, whose sizing may differ."""
        if pictures and self._server.dialect.native:
            return UNKNOWN
        grids = (token_grid(*picture.size, self._server.sizing) for picture in pictures)
        return sum(across * down for across, down in grids)

    def _count(self, reply: ReplyBuilder, *, wasted: bool) -> None:
        """Add the server's counts to the usage; after a broken attempt the total is unknown."""
        counts, usage = reply.counts, self.usage
        if counts.prompt < 0 or counts.generated < 0:
            self.usage = Usage(UNKNOWN, UNKNOWN, UNKNOWN, usage.images)
            self._length = UNKNOWN
            return
        new = UNKNOWN if self._length < 0 else max(0, counts.prompt - self._length)
        known = counts.cached >= 0 and not wasted
        evaluated = counts.prompt - counts.cached + counts.generated if known else UNKNOWN
        prompt, generated = _plus(usage.prompt, new), _plus(usage.generated, counts.generated)
        self.usage = Usage(prompt, generated, _plus(usage.evaluated, evaluated), usage.images)
        self._length_at[len(self._turns)] = counts.prompt
        self._length = counts.prompt + counts.generated


def _plus(count: int, more: int) -> int:
    return UNKNOWN if count < 0 or more < 0 else count + more


@dataclass(frozen=True)
class TurnReply:
    """A received turn; `text` ends where we ended it."""

    reply: ReplyBuilder
    text: str
    finish: Finish


# Number of 500 responses after which all optional parameters are left out
FAULTS_BEFORE_BARE = 2
# Number of empty streams after which the turn is requested without streaming: only then does
# llama_cpp.server report what is wrong
SILENCES_BEFORE_WHOLE = 2


@dataclass(eq=False)
class Attempt:
    """One attempt at a turn; called again after each transient fault."""

    server: ServerSession
    turns: Sequence[RequestTurn]
    request: TurnRequest
    preview: Preview
    wasted: bool = False  # whether the server may have computed tokens in an earlier, failed call

    def __post_init__(self) -> None:
        self._tried = self._dialect = self.server.dialect
        self._faults = self._silences = 0

    def __call__(self) -> TurnReply:
        """Raises TransientError, Cancelled, EngineError."""
        while True:
            if self.request.should_stop is not None and self.request.should_stop():
                raise Cancelled
            dialect = self._dialect
            if self._silences >= SILENCES_BEFORE_WHOLE:
                dialect = replace(dialect, dropped=dialect.dropped | {"stream"})
            said = messages(self.turns, native=self._dialect.native)
            body = request_body(dialect, self.server.model, said, self.request, self.server.extras)
            try:
                received = self._send(body)
            except HttpError as refused:
                self.wasted |= refused.refusal.status >= 500
                self._dialect = self._next_dialect(body, refused.refusal)
                continue
            except TransientError as fault:
                self.wasted = True
                self._silences += fault.before_first_word
                self.server.check_alive()
                raise
            self.server.learn(self._tried, self._dialect)
            return received

    def _send(self, body: Body) -> TurnReply:
        """Send the conversation and read the turn, up to a stop string or a limit.

        Raises HttpError, TransientError, EngineError.
        """
        request, client = self.request, self.server.client
        max_tokens, point = request.sampling.max_new_tokens, request.choice_point
        max_text = min(MAX_TEXT, SPARE_TEXT + CHARACTERS_PER_TOKEN * max_tokens)
        reply = ReplyBuilder(max_text, KeyFilter(client.key), "" if point is None else point.after)
        self.preview.start()
        try:
            with client.request(
                "POST", "/chat/completions", body, request.should_stop, session=request.session
            ) as response:
                limit = min(MAX_REPLY, 2**20 + BYTES_PER_TOKEN * max_tokens)
                if response.is_stream:
                    try:
                        return self._read_events(events(response.pieces, limit), reply)
                    except TransientError as fault:
                        fault.before_first_word = reply.pieces == 0
                        raise
                most = MAX_WHOLE if body.get("stream") else MAX_ASKED_WHOLE
                data = read_all(response.pieces, min(limit, most))
            if data.lstrip().startswith(b"data:"):  # a stream with another content type
                return self._read_events(events([data], limit), reply)
            return self._read_whole(data, reply)
        except Cancelled:
            end = stop_end(reply.text, len(reply.text), request.stop)
            return TurnReply(reply, reply.text[:end], "cancelled" if end is None else "stop")
        except TooLong as error:
            raise EngineError(f"{self.server.name}: {error}") from error

    def _read_events(self, pieces: Iterator[str | None], reply: ReplyBuilder) -> TurnReply:
        request, client = self.request, self.server.client
        silent_since = client.clock.now()
        end: int | None = None
        spaces = 0
        for data in pieces:
            if request.should_stop is not None and request.should_stop():
                raise Cancelled
            if data is None:
                if client.clock.now() - silent_since > client.timeout_s:
                    raise TransientError(f"no text within {client.timeout_s:g} s")
                continue
            silent_since = client.clock.now()
            if data.strip() == DONE:
                break
            new = reply.add(self._read_event(data))
            if end is not None:
                spaces += 1
                if new.strip() or spaces > AFTER_STOP:
                    break
                continue
            end = stop_end(reply.text, len(new), request.stop)
            self.preview.add(new if end is None else new[: len(new) - (len(reply.text) - end)])
            if reply.is_too_long:
                return TurnReply(reply, reply.text, "length")
        if not reply.finish_reason and end is None:
            raise TransientError("the reply was cut off")
        return self._ended(reply, end)

    def _read_whole(self, data: bytes, reply: ReplyBuilder) -> TurnReply:
        """Read a reply from a server that does not stream."""
        new = reply.add(self._read_event(data.decode("utf-8", "replace")))
        if reply.is_too_long:
            self.preview.add(reply.text)
            return TurnReply(reply, reply.text, "length")
        if not reply.finish_reason:
            raise EngineError(f"the reply of {self.server.name} is not a chat reply")
        end = stop_end(reply.text, len(new), self.request.stop)
        self.preview.add(reply.text[:end])
        return self._ended(reply, end)

    def _read_event(self, data: str) -> dict[str, object]:
        try:
            event = read_json(data)
        except ValueError as error:
            raise EngineError(
                f"{self.server.name} does not speak the OpenAI chat protocol: is its address right?"
            ) from error
        refusal = refusal_in_stream(event, self.server.client.key)
        if refusal is not None:
            raise HttpError(refusal)
        return event

    def _ended(self, reply: ReplyBuilder, end: int | None) -> TurnReply:
        """Finish the turn, at `end` if a stop string ended it."""
        if end is not None:
            return TurnReply(reply, reply.text[:end], "stop")
        if reply.finish_reason == "content_filter":
            raise EngineError("the server withheld the reply (content_filter)")
        self.preview.add(reply.end())
        finish: Finish = "length" if reply.finish_reason == "length" else "stop"
        return TurnReply(reply, reply.text, finish)

    def _next_dialect(self, body: Body, refusal: Refusal) -> Dialect:
        """Return a simpler dialect to try at once, or raise the error."""
        if refusal.is_context_full:
            raise ContextFullError(
                f"{self.server.name}: the conversation is longer than the model's context"
                + (f" ({refusal.message})" if refusal.message else "")
            )
        may_fall_back_to_text = self.server.may_fall_back_to_text
        changed = simpler(self._dialect, body, refusal, may_fall_back_to_text=may_fall_back_to_text)
        if changed is not None:
            return changed
        if not refusal.is_transient:
            raise EngineError(f"{self.server.name}: {refusal}{self._advice(refusal)}")
        self.server.check_alive()
        self._faults += refusal.status == 500
        if self._faults >= FAULTS_BEFORE_BARE:
            self._dialect = bare(self._dialect, body) or self._dialect
        raise TransientError(str(refusal), refusal.retry_after_s, status=refusal.status)

    def _advice(self, refusal: Refusal) -> str:
        client = self.server.client
        if refusal.status != 401 or client.key is not None:
            return ""
        if not client.address.may_receive_key:
            return "; keys are sent only over https"
        return f"; set {OUR_VARIABLE} to your key"
