"""A conversation with a server: kept here, sent whole, turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
from agent.engines.remote.request import RequestTurn, picture_url
from agent.engines.remote.stream import UNKNOWN, Preview, ReplyBuilder
from agent.engines.remote.turn import Attempt, TurnRequest
from agent.errors import EngineError
from agent.protocol.protocol import Turn
from agent.rendering.model_image import token_grid


@dataclass(frozen=True)
class _Mark:
    turns: int
    length: int


class RemoteConversation:
    """See `agent.engines.base.Conversation`."""

    def __init__(self, server: ServerSession) -> None:
        self._server = server
        self._said: list[RequestTurn] = []
        self._length = 0
        """Tokens of the conversation as the server last counted them; -1: not known."""
        self._length_at: dict[int, int] = {}
        """The same by the number of turns, where the model was asked to speak."""
        self._usage = Usage()

    @property
    def usage(self) -> Usage:
        return self._usage

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Nothing is sent before `generate`."""
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"{shown} turns show a picture, {len(pictures)} were given")
        left = iter(pictures)
        new = []
        for turn in turns:
            if should_stop is not None and should_stop():
                raise Cancelled
            new.append(RequestTurn(turn, "" if turn.picture is None else picture_url(next(left))))
        self._said += new
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
        preview = Preview(on_text)
        wish = TurnRequest(sampling, seed, stop, choice_point, should_stop)
        attempt = Attempt(self._server, self._said, wish, preview)
        try:
            heard = self._server.retry_policy.run(attempt, self._server.name, should_stop)
        except Cancelled:
            preview.start()
            preview.end()
            return Generated("", 0, "cancelled")
        preview.end()
        self._count(heard.reply, wasted=attempt.wasted)
        if heard.text:
            self._said.append(RequestTurn(Turn("assistant", heard.text)))
        found = None if choice_point is None else choices(heard.reply.tokens, choice_point)
        return Generated(heard.text, _tokens(heard.reply), heard.finish, found)

    def mark(self) -> object:
        return _Mark(len(self._said), self._length)

    def rewind(self, mark: object) -> None:
        if not isinstance(mark, _Mark) or mark.turns > len(self._said):
            raise EngineError("that is no mark of this conversation")
        del self._said[mark.turns :]
        known = {at: length for at, length in self._length_at.items() if at <= mark.turns}
        self._length_at = known
        self._length = known.get(mark.turns, mark.length)

    def close(self) -> None:
        self._said.clear()

    def _image_tokens(self, pictures: Sequence[Image.Image]) -> int:
        """Known for models of the family that `sizing` describes, which call in text."""
        if pictures and self._server.dialect.native:
            return UNKNOWN
        grids = (token_grid(*picture.size, self._server.sizing) for picture in pictures)
        return sum(across * down for across, down in grids)

    def _count(self, reply: ReplyBuilder, *, wasted: bool) -> None:
        """`wasted`: attempts broke off, and nobody told us what they cost the server."""
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
        self._length_at[len(self._said)] = counts.prompt
        self._length = counts.prompt + counts.generated


def _plus(count: int, more: int) -> int:
    return UNKNOWN if count < 0 or more < 0 else count + more


def _tokens(reply: ReplyBuilder) -> int:
    """As the server counts, else as many as came."""
    said = reply.counts.generated
    return said if said >= 0 else len(reply.tokens) or reply.pieces
