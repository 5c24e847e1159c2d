"""A conversation with a server: kept here and sent whole for every turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import uuid4

from PIL import Image

from agent.engines.base import (
    VERDICT,
    Cancelled,
    ChoicePoint,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
)
from agent.engines.remote.choices import choices
from agent.engines.remote.client import ServerSession
from agent.engines.remote.errors import ServerFailed, TransientError
from agent.engines.remote.request import RequestTurn, picture_url
from agent.engines.remote.servers import Server, Servers
from agent.engines.remote.stream import UNKNOWN, Preview, ReplyBuilder
from agent.engines.remote.turn import Attempt, TurnReply, TurnRequest
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Turn
from agent.rendering.model_image import token_grid

# More than any model reads. A record of all turns must stay readable.
MAX_CHARACTERS = 1_000_000


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
        self._at: Server | None = servers.take()
        self._turns: list[RequestTurn] = []
        self._length = 0
        """Tokens of the conversation as the server last counted them; -1 means unknown."""
        self._length_at: dict[int, int] = {}
        """Prompt tokens by the number of turns sent."""
        self._usage = Usage()

    @property
    def _server(self) -> ServerSession:
        if self._at is None:
            raise EngineError("the conversation is closed")
        return self._at.session

    @property
    def usage(self) -> Usage:
        return self._usage

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Add turns; nothing is sent before `generate`."""
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"the turns have {shown} pictures, but {len(pictures)} were given")
        remaining = iter(pictures)
        new = []
        for turn in turns:
            if should_stop is not None and should_stop():
                raise Cancelled
            new.append(
                RequestTurn(turn, "" if turn.picture is None else picture_url(next(remaining)))
            )
        self._turns += new
        images = _plus(self._usage.images, self._image_tokens(pictures))
        self._usage = replace(self._usage, images=images)

    def generate(
        self,
        sampling: SamplingSettings,
        seed: int = 0,
        *,
        stop: Sequence[str] = (),
        choice_point: ChoicePoint | None = VERDICT,
        on_text: OnText | None = None,
        should_stop: ShouldStop | None = None,
    ) -> Generated:
        if sum(len(sent.turn.text) for sent in self._turns) > MAX_CHARACTERS:
            raise ContextFullError(
                f"{self._server.name}: the conversation is longer than {MAX_CHARACTERS} characters"
            )
        preview = Preview(on_text)
        request = TurnRequest(sampling, self.session, seed, stop, choice_point, should_stop)
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
        tokens = received.reply.tokens
        found = None if choice_point is None else choices(tokens, choice_point, received.text)
        return Generated(received.text, _tokens(received.reply), received.finish, found)

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
        tried: list[Server] = []
        while True:
            attempt = Attempt(self._server, self._turns, request, preview)
            try:
                received = self._server.retry_policy.run(
                    partial(self._try, attempt), self._server.name, request.should_stop
                )
            except ServerFailed:
                assert self._at is not None
                tried.append(self._at)
                if self._servers.count == len(tried):
                    raise
                following = self._servers.take(tried)
                self._servers.leave(self._at)
                self._at = following
                continue
            return received, attempt.wasted or bool(tried)

    def _try(self, attempt: Attempt) -> TurnReply:
        assert self._at is not None
        try:
            received = attempt()
        except TransientError as fault:
            self._servers.failed(self._at, fault)
            raise
        self._servers.answered(self._at)
        return received

    def _image_tokens(self, pictures: Sequence[Image.Image]) -> int:
        """Count picture tokens; unknown for models with native calls, whose sizing may differ."""
        if pictures and self._server.dialect.native:
            return UNKNOWN
        grids = (token_grid(*picture.size, self._server.sizing) for picture in pictures)
        return sum(across * down for across, down in grids)

    def _count(self, reply: ReplyBuilder, *, wasted: bool) -> None:
        """Add the server's counts to the usage; after a broken attempt the total is unknown."""
        counts, usage = reply.counts, self._usage
        if counts.prompt < 0 or counts.generated < 0:
            self._usage = Usage(UNKNOWN, UNKNOWN, UNKNOWN, usage.images)
            self._length = UNKNOWN
            return
        new = UNKNOWN if self._length < 0 else max(0, counts.prompt - self._length)
        known = counts.cached >= 0 and not wasted
        evaluated = counts.prompt - counts.cached + counts.generated if known else UNKNOWN
        self._usage = Usage(
            _plus(usage.prompt, new),
            _plus(usage.generated, counts.generated),
            _plus(usage.evaluated, evaluated),
            usage.images,
        )
        self._length_at[len(self._turns)] = counts.prompt
        self._length = counts.prompt + counts.generated


def _plus(count: int, more: int) -> int:
    return UNKNOWN if count < 0 or more < 0 else count + more


def _tokens(reply: ReplyBuilder) -> int:
    """Return the server's count of generated tokens, else the tokens or pieces received."""
    counted = reply.counts.generated
    return counted if counted >= 0 else len(reply.tokens) or reply.pieces
