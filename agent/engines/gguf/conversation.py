"""One chat with a GGUF model: turns are read once, the model's words as they come.

The end token that the model says is not read at once: the next turns begin with it. So a turn that
was cut off and one that ended leave the same kind of state.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace

import numpy as np
from PIL import Image

from agent.engines.base import (
    VERDICT,
    ChoicePoint,
    Generated,
    OnText,
    SamplingSettings,
    ShouldStop,
    Usage,
)
from agent.engines.gguf.context import CachePosition, GgufContext, picture_positions, picture_tokens
from agent.engines.gguf.generate_turn import TurnGenerator
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.vocabulary import END_OF_TURN, GgufVocabulary, Piece
from agent.engines.sampling import Logits
from agent.engines.turn_text import TurnText
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.rendering.model_image import Sizing

CLOSING = Part(f"{END_OF_TURN}\n", markup=True)


@dataclass(frozen=True, kw_only=True)
class SharedState:
    """What the conversations of one engine have in common.

    `busy` is held while one of them uses the model. `longest` is the number of positions the model
    was trained to know; `sees` is False without a picture part.
    """

    vocabulary: GgufVocabulary
    sizing: Sizing
    sees: bool
    context_length: int
    longest: int
    busy: Callable[[], AbstractContextManager[None]]
    new_grammar: Callable[[], CallGrammar]


@dataclass(frozen=True, eq=False)
class _State:
    """What is true besides the cache.

    While the model's turn is open and nothing is said in it, `logits` are those for its first token
    and `opened_at` the place before the control tokens that open it. `is_said`: the turn is said
    and lacks its end token; `unread` are the last tokens of it where they were not read.
    """

    opened_at: CachePosition | None = None
    logits: Logits | None = None
    is_said: bool = False
    unread: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _Mark:
    place: CachePosition
    state: _State


class GgufConversation:
    """Used by one thread at a time, like its engine."""

    def __init__(self, context: GgufContext, shared: SharedState) -> None:
        self._context: GgufContext | None = context
        self._shared = shared
        self._header = shared.vocabulary.text_ids(chat_parts(()))
        self._state = _State()
        self._usage = Usage()
        self._marks: list[_Mark] = []

    @property
    def usage(self) -> Usage:
        context = self._context
        return self._usage if context is None else replace(self._usage, evaluated=context.evaluated)

    @property
    def is_closed(self) -> bool:
        return self._context is None

    @property
    def context_tokens(self) -> int:
        """Cells of the cache in use: what the conversation is long."""
        return 0 if self._context is None else self._context.place.cells

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one; where it fails, none of them was read."""
        with self._shared.busy():
            context, state = self._open_context(), self._state
            start = state.opened_at or context.place
            parts = [*self._closing(), *chat_parts(turns)]
            pieces = self._pieces(parts, turns, pictures, start)
            context.go_back(start)  # a turn opened in vain
            self._state = replace(state, opened_at=None, logits=None)
            logits = context.read(pieces, should_stop)
            self._state = _State(context.place.moved(-len(self._header)), logits)
            self._count_prompt(pieces, len(state.unread) + _length(state, self._header))

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
        """Let the model say its turn. A full context ends it like the limit does."""
        with self._shared.busy():
            context, state = self._open_context(), self._state
            if state.logits is None or state.opened_at is None:
                raise EngineError("the model spoke last; append a turn before it speaks again")
            saying = TurnGenerator(
                context=context,
                vocabulary=self._shared.vocabulary,
                new_grammar=self._shared.new_grammar,
                opened_at=state.opened_at,
                header=self._header,
                room=self._room(context.place),
                speech=TurnText(stop, on_text),
                sampling=sampling,
                choice_point=choice_point,
            )
            try:
                saying.say(state.logits, seed, should_stop)
            finally:
                self._state = _State(is_said=True, unread=saying.unread)
                generated = self._usage.generated + len(saying.said)
                self._usage = replace(self._usage, generated=generated)
            return saying.result()

    def mark(self) -> object:
        """A place to `rewind` to. It holds the logits of one token."""
        with self._shared.busy():
            mark = _Mark(self._open_context().place, self._state)
            self._marks.append(mark)
        return mark

    def rewind(self, mark: object) -> None:
        """Forget all that was said since the mark. Marks made after it are void."""
        with self._shared.busy():
            context = self._open_context()
            place = next((n for n, known in enumerate(self._marks) if known is mark), None)
            if not isinstance(mark, _Mark) or place is None:
                raise EngineError("that place in the conversation is forgotten or not of this one")
            del self._marks[place + 1 :]
            context.go_back(mark.place)
            self._state = mark.state

    def read_scored(
        self, turns: Sequence[Turn], pictures: Sequence[Image.Image]
    ) -> tuple[list[int], Logits]:
        """Read whole turns, opening none, and return their text tokens with the logits after each.

        For comparing engines: the cache is used as `append` uses it. All logits are in memory.
        """
        with self._shared.busy():
            context = self._open_context()
            parts = [*self._closing(), *chat_parts(turns, model_speaks_next=False)]
            pieces = self._pieces(parts, turns, pictures, context.place)
            rows = []
            for piece in pieces:
                if isinstance(piece, list):
                    rows.append(context.read_all(piece))
                else:
                    context.read_picture(piece)
            self._count_prompt(pieces, len(self._state.unread))
            self._state = _State()
            return [token for piece in pieces for token in _text(piece)], np.concatenate(rows)

    def close(self) -> None:
        """Free the cache; a second time does nothing."""
        with self._shared.busy():
            self._usage = self.usage
            context, self._context = self._context, None
            self._state, self._marks = _State(), []
            if context is not None:
                context.close()

    def _open_context(self) -> GgufContext:
        if self._context is None:
            raise EngineError("the conversation was closed")
        return self._context

    def _closing(self) -> list[Part]:
        return [CLOSING] if self._state.is_said else []

    def _pieces(
        self,
        parts: Sequence[Part],
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        start: CachePosition,
    ) -> list[Piece]:
        """What is to be read from `start` on; the last piece is text, for every turn ends in it."""
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"the turns show {shown} pictures, but {len(pictures)} were given")
        for picture in pictures:
            self._refuse_missized(picture)
        first, *rest = self._shared.vocabulary.pieces(parts, pictures) or [[]]
        pieces = [[*self._state.unread, *_text(first)], *rest]
        self._refuse_overflow(start, pieces)
        return pieces

    def _refuse_missized(self, picture: Image.Image) -> None:
        """llama.cpp would resize such a picture its own way, and the model see another one."""
        if not self._shared.sees:
            raise EngineError("the model was loaded without its picture part: name the mmproj file")
        sizing, (width, height) = self._shared.sizing, picture.size
        fits = width % sizing.factor == 0 == height % sizing.factor
        inside = sizing.min_pixels <= width * height <= sizing.max_pixels
        if picture.mode != "RGB" or not (fits and inside):
            raise EngineError(
                f"a {picture.mode} picture of {width} x {height} pixels is not sized for this "
                f"model: RGB with sides that are multiples of {sizing.factor}"
            )

    def _refuse_overflow(self, start: CachePosition, pieces: Sequence[Piece]) -> None:
        factor = self._shared.sizing.factor
        text = sum(len(_text(piece)) for piece in pieces)
        pictures = [piece for piece in pieces if not isinstance(piece, list)]
        end = CachePosition(
            start.cells + text + sum(picture_tokens(each, factor) for each in pictures),
            start.position + text + sum(picture_positions(each, factor) for each in pictures),
        )
        if self._room(end) < 0:
            raise ContextFullError(
                f"the conversation would hold {end.cells} tokens, and the model reads "
                f"{self._shared.context_length}; load it with a longer context or smaller pictures"
            )

    def _room(self, place: CachePosition) -> int:
        """Text tokens that fit after a place; below 0 where too much was read."""
        cells = self._shared.context_length - place.cells
        return min(cells, self._shared.longest - place.position)

    def _count_prompt(self, pieces: Sequence[Piece], counted: int) -> None:
        """Add what was read to the usage, less what had been counted before."""
        factor = self._shared.sizing.factor
        text = sum(len(_text(piece)) for piece in pieces)
        images = sum(picture_tokens(p, factor) for p in pieces if not isinstance(p, list))
        self._usage = replace(
            self._usage,
            prompt=self._usage.prompt + text + images - counted,
            images=self._usage.images + images,
        )


def _text(piece: Piece) -> list[int]:
    return piece if isinstance(piece, list) else []


def _length(state: _State, header: Sequence[int]) -> int:
    """Tokens that had opened a turn in vain."""
    return 0 if state.opened_at is None else len(header)
