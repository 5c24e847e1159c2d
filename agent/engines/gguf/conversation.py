"""A conversation with a GGUF model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

import numpy as np
from PIL import Image

from agent.engines.base import check_pictures
from agent.engines.gguf.context import BATCH, GgufContext, picture_positions, picture_tokens
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.vocabulary import GgufVocabulary, Piece
from agent.engines.local_conversation import (
    CachePosition,
    ConversationState,
    EncodedTurns,
    LocalConversation,
)
from agent.engines.sampling import Logits
from agent.errors import EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing


@dataclass(frozen=True, kw_only=True)
class SharedState:
    """What the conversations of one engine share.

    `exclusive` is held while one of them uses the model. `max_positions` is the number of positions
    that the model was trained with.
    """

    vocabulary: GgufVocabulary
    sizing: Sizing
    context_length: int
    max_positions: int
    exclusive: Callable[[], AbstractContextManager[None]]
    new_grammar: Callable[[Rules], CallGrammar]


class GgufConversation(LocalConversation[GgufContext]):
    """Used by one thread at a time, as is its engine."""

    def __init__(self, context: GgufContext, shared: SharedState, rules: Rules = OURS) -> None:
        header = shared.vocabulary.text_ids(chat_parts(()))
        length, exclusive = shared.context_length, shared.exclusive
        super().__init__(context, shared.vocabulary, header, rules, length, exclusive)
        self._shared = shared

    @property
    def is_closed(self) -> bool:
        return self._context is None

    @property
    def context_tokens(self) -> int:
        """The length of the conversation: cache cells in use."""
        return 0 if self._context is None else self._context.end.tokens

    def read_scored(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        keep: Callable[[Logits], Logits] = lambda logits: logits,
    ) -> tuple[list[int], Logits]:
        """Read whole turns and return their text tokens with the logits after each one.

        Used to compare engines: fills the cache as `append` does, but opens no turn. `keep` is
        called with some rows of logits at a time: all those of a large vocabulary take gigabytes.
        """
        with self._shared.exclusive():
            context = self._open_context()
            check_pictures(turns, pictures)
            parts = [*self._closing(), *chat_parts(turns, model_speaks_next=False)]
            pieces = self._pieces(parts, pictures)
            new = self._measured(pieces, context.end)
            rows = []
            for piece in pieces:
                if isinstance(piece, list):
                    starts = range(0, len(piece), BATCH)
                    rows += [keep(context.read_all(piece[at : at + BATCH])) for at in starts]
                else:
                    context.read_picture(piece)
            self._count_prompt(new, len(self._state.unread))
            self._state = ConversationState()
            return [token for piece in pieces for token in _text(piece)], np.concatenate(rows)

    def _encoded(
        self, parts: Sequence[Part], pictures: Sequence[Image.Image], start: CachePosition
    ) -> EncodedTurns:
        return self._measured(self._pieces(parts, pictures), start)

    def _pieces(self, parts: Sequence[Part], pictures: Sequence[Image.Image]) -> list[Piece]:
        """Encode the unread tokens and the parts; the last piece is always text."""
        for picture in pictures:
            self._check_size(picture)
        first, *rest = self._shared.vocabulary.pieces(parts, pictures) or [[]]
        return [[*self._state.unread, *_text(first)], *rest]

    def _measured(self, pieces: Sequence[Piece], start: CachePosition) -> EncodedTurns:
        """Count the tokens to be read after `start`, which must fit."""
        factor = self._shared.sizing.factor
        text = sum(len(_text(piece)) for piece in pieces)
        pictures = [piece for piece in pieces if not isinstance(piece, list)]
        images = sum(picture_tokens(each, factor) for each in pictures)
        positions = text + sum(picture_positions(each, factor) for each in pictures)
        self._refuse_overflow(
            CachePosition(start.tokens + text + images, start.position + positions)
        )
        return EncodedTurns(text + images, images, partial(self._open_context().read, pieces))

    def _check_size(self, picture: Image.Image) -> None:
        # llama.cpp would resize other pictures, and the model would see another one
        sizing, (width, height) = self._shared.sizing, picture.size
        fits = width % sizing.factor == 0 == height % sizing.factor
        inside = sizing.min_pixels <= width * height <= sizing.max_pixels
        if picture.mode != "RGB" or not (fits and inside):
            raise EngineError(
                f"a {picture.mode} picture of {width} x {height} pixels does not fit this model: "
                f"it takes RGB with sides that are multiples of {sizing.factor}"
            )

    def _room(self, position: CachePosition) -> int:
        return min(super()._room(position), self._shared.max_positions - position.position)

    def _grammar_from(self, token: int) -> CallGrammar | None:
        is_call = token == self._shared.vocabulary.call_token
        return self._shared.new_grammar(self._rules) if is_call else None


def _text(piece: Piece) -> list[int]:
    return piece if isinstance(piece, list) else []
