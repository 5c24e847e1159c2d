"""A conversation with a GGUF model: every token is read once.

The end token of a generated turn is not read at once but at the start of the next turns. So a turn
that was cut off and one that ended leave the conversation in the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
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
)
from agent.engines.gguf.context import (
    BATCH,
    CachePosition,
    GgufContext,
    picture_positions,
    picture_tokens,
)
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.vocabulary import GgufVocabulary, Piece
from agent.engines.sampling import Logits, choose, log_softmax, seeded
from agent.engines.turn_text import TurnText, decode_if_complete
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing


@dataclass(frozen=True, kw_only=True)
class SharedState:
    """What the conversations of one engine share.

    `exclusive` is held while one of them uses the model. `max_positions` is the number of positions
    that the model was trained with; `has_vision` is False without a vision part.
    """

    vocabulary: GgufVocabulary
    sizing: Sizing
    has_vision: bool
    context_length: int
    max_positions: int
    exclusive: Callable[[], AbstractContextManager[None]]
    new_grammar: Callable[[Rules], CallGrammar]


@dataclass(frozen=True, eq=False)
class _State:
    """The state of the conversation besides the cache.

    While the model's turn is open but not generated, `logits` are those of its first token and
    `opened_at` is the position before the control tokens that open it. `needs_end`: the model's
    turn still lacks its end token. `unread` are its last tokens if they have not been read.
    """

    opened_at: CachePosition | None = None
    logits: Logits | None = None
    needs_end: bool = False
    unread: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _Mark:
    position: CachePosition
    state: _State


class GgufConversation:
    """Used by one thread at a time, as is its engine."""

    def __init__(self, context: GgufContext, shared: SharedState, rules: Rules = OURS) -> None:
        self._context: GgufContext | None = context
        self._shared = shared
        self._rules = rules
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
        """The length of the conversation: cache cells in use."""
        return 0 if self._context is None else self._context.end.cells

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one; a failure leaves none of them read."""
        with self._shared.exclusive():
            context, state = self._open_context(), self._state
            start = state.opened_at or context.end
            parts = [
                *self._closing(),
                *chat_parts(turns, reply_end=self._rules.reply_end),
            ]
            pieces = self._pieces(parts, turns, pictures, start)
            context.rewind_to(start)  # drops an opened turn that was never generated
            self._state = replace(state, opened_at=None, logits=None)
            logits = context.read(pieces, should_stop)
            self._state = _State(context.end.shifted(-len(self._header)), logits)
            self._count_prompt(pieces, len(state.unread) + _opening_length(state, self._header))

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
        """Generate the model's turn; a full context ends it as the token limit does."""
        with self._shared.exclusive():
            context, state = self._open_context(), self._state
            if state.logits is None or state.opened_at is None:
                raise EngineError(
                    "the last turn is the model's own; append a turn before generating"
                )
            generator = TurnGenerator(
                context=context,
                vocabulary=self._shared.vocabulary,
                new_grammar=partial(self._shared.new_grammar, self._rules),
                opened_at=state.opened_at,
                header=self._header,
                room=self._room(context.end),
                text=TurnText(stop, on_text),
                sampling=sampling,
                choice_point=choice_point,
            )
            try:
                generator.run(state.logits, seed, should_stop)
            finally:
                self._state = _State(needs_end=True, unread=generator.unread)
                generated = self._usage.generated + len(generator.tokens)
                self._usage = replace(self._usage, generated=generated)
            return generator.result()

    def mark(self) -> object:
        """Return a mark to `rewind` to; it keeps the logits of one token."""
        with self._shared.exclusive():
            mark = _Mark(self._open_context().end, self._state)
            self._marks.append(mark)
        return mark

    def rewind(self, mark: object) -> None:
        """Forget everything after the mark; later marks become invalid."""
        with self._shared.exclusive():
            context = self._open_context()
            index = next((n for n, known in enumerate(self._marks) if known is mark), None)
            if not isinstance(mark, _Mark) or index is None:
                raise EngineError("the mark is no longer valid or belongs to another conversation")
            del self._marks[index + 1 :]
            context.rewind_to(mark.position)
            self._state = mark.state

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
            parts = [*self._closing(), *chat_parts(turns, model_speaks_next=False)]
            pieces = self._pieces(parts, turns, pictures, context.end)
            rows = []
            for piece in pieces:
                if isinstance(piece, list):
                    starts = range(0, len(piece), BATCH)
                    rows += [keep(context.read_all(piece[at : at + BATCH])) for at in starts]
                else:
                    context.read_picture(piece)
            self._count_prompt(pieces, len(self._state.unread))
            self._state = _State()
            return [token for piece in pieces for token in _text(piece)], np.concatenate(rows)

    def close(self) -> None:
        """Free the cache; a second time does nothing."""
        with self._shared.exclusive():
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
        return [Part(self._rules.reply_end, markup=True)] if self._state.needs_end else []

    def _pieces(
        self,
        parts: Sequence[Part],
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        start: CachePosition,
    ) -> list[Piece]:
        """Encode what is to be read after `start`; the last piece is always text."""
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"the turns have {shown} pictures, but {len(pictures)} were given")
        for picture in pictures:
            self._check_size(picture)
        first, *rest = self._shared.vocabulary.pieces(parts, pictures) or [[]]
        pieces = [[*self._state.unread, *_text(first)], *rest]
        self._refuse_overflow(start, pieces)
        return pieces

    def _check_size(self, picture: Image.Image) -> None:
        # llama.cpp would resize other pictures, and the model would see another one
        if not self._shared.has_vision:
            raise EngineError("the model was loaded without its vision part: give the mmproj file")
        sizing, (width, height) = self._shared.sizing, picture.size
        fits = width % sizing.factor == 0 == height % sizing.factor
        inside = sizing.min_pixels <= width * height <= sizing.max_pixels
        if picture.mode != "RGB" or not (fits and inside):
            raise EngineError(
                f"a {picture.mode} picture of {width} x {height} pixels does not fit this model: "
                f"it takes RGB with sides that are multiples of {sizing.factor}"
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
                f"the conversation needs {end.cells} tokens, but the model's context has "
                f"{self._shared.context_length}; use a longer context or smaller pictures"
            )

    def _room(self, position: CachePosition) -> int:
        """Return how many text tokens fit after a position; negative if it exceeds the context."""
        cells = self._shared.context_length - position.cells
        return min(cells, self._shared.max_positions - position.position)

    def _count_prompt(self, pieces: Sequence[Piece], counted: int) -> None:
        """Add what was read to the usage, except the tokens counted before."""
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


def _opening_length(state: _State, header: Sequence[int]) -> int:
    """Return the number of control tokens of a turn that was opened but not generated."""
    return 0 if state.opened_at is None else len(header)


@dataclass(kw_only=True)
class TurnGenerator:
    """Generates one turn token by token.

    `opened_at` is the position before `header`, the control tokens that open the turn. `room` is
    how many tokens still fit. `unread` are the last tokens if they have not been read.
    """

    context: GgufContext
    vocabulary: GgufVocabulary
    new_grammar: Callable[[], CallGrammar]
    opened_at: CachePosition
    header: Sequence[int]
    room: int
    text: TurnText
    sampling: SamplingSettings
    choice_point: ChoicePoint | None
    tokens: list[int] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    finish: Finish = "length"

    def __post_init__(self) -> None:
        self._grammar: CallGrammar | None = None
        self._choices: Mapping[str, float] | None = None
        self._choices_at = -1

    def run(self, logits: Logits, seed: int, should_stop: ShouldStop | None) -> None:
        """Generate the turn; `logits` are those of its first token."""
        try:
            self._generate(logits, seeded(seed), should_stop)
            if self.finish != "cancelled":
                self._score_choices()
        finally:
            if self._grammar is not None:
                self._grammar.close()

    def result(self) -> Generated:
        return Generated(self.text.finish(), len(self.tokens), self.finish, self._choices)

    def _generate(
        self, logits: Logits, randomness: np.random.Generator, should_stop: ShouldStop | None
    ) -> None:
        firsts = self._first_tokens()
        most = min(self.sampling.max_new_tokens, self.room)
        while True:
            if should_stop is not None and should_stop():
                self.finish = "cancelled"
                return
            if len(self.tokens) >= most:
                return
            if self.unread:
                logits = self.context.read([list(self.unread)])
                self.unread = ()
            if firsts and self.choice_point and self.text.ends_with(self.choice_point.after):
                scores = log_softmax(logits)
                self._choices_at = len(self.text)
                self._choices = {option: float(scores[first]) for option, first in firsts.items()}
            token = self._next_token(logits, randomness)
            if token in self.vocabulary.end_tokens or self._add(token):
                self.finish = "stop"
                return

    def _next_token(self, logits: Logits, randomness: np.random.Generator) -> int:
        """Choose a token; inside a tool call, one that the grammar allows.

        A token that the grammar rejects is drawn again among the allowed ones: this samples from
        the same distribution as masking first, at less cost.
        """
        logits = logits.copy()
        logits[self.vocabulary.suppressed] = -np.inf
        token = choose(logits, self.sampling, randomness)
        if self._grammar is None and token == self.vocabulary.call_token:
            self._grammar = self.new_grammar()
        if self._grammar is not None:
            if not self._grammar.allows(token):
                logits = self._grammar.keep_allowed(logits)
                token = choose(logits, self.sampling, randomness)
            self._grammar.accept(token)
        return token

    def _add(self, token: int) -> bool:
        """Add a token to the turn; True if it completes a stop string."""
        self.tokens.append(token)
        is_stopped = self.text.add(self.vocabulary.bytes_of(token))
        self.unread = self._kept_tokens(token) if is_stopped else (token,)
        return is_stopped

    def _kept_tokens(self, token: int) -> tuple[int, ...]:
        """Return the last token, encoded anew if a stop string ends inside it."""
        kept = self.text.last_token()
        text = decode_if_complete(kept)
        if text is None or kept == self.vocabulary.bytes_of(token):
            return (token,)
        return tuple(self.vocabulary.plain_ids(text))

    def _first_tokens(self) -> dict[str, int]:
        """Return the first token of each option, or nothing if two options share it."""
        if self.choice_point is None:
            return {}
        ids = {option: self.vocabulary.plain_ids(option) for option in self.choice_point.options}
        firsts = {option: numbers[0] for option, numbers in ids.items() if numbers}
        is_clear = len(firsts) == len(self.choice_point.options) == len(set(firsts.values()))
        return firsts if is_clear else {}

    def _score_choices(self) -> None:
        """Score the options at the last choice point by reading each one after it.

        Needed if it ends inside a token or two options start with the same token; otherwise the
        scores were already taken while generating.
        """
        end = None if self.choice_point is None else self.text.end_of_last(self.choice_point.after)
        if self.choice_point is None or end is None or end == self._choices_at:
            return
        self._choices = None
        count, rest = self.text.tokens_before(end)
        options = {
            option: self.vocabulary.plain_ids(rest + option) for option in self.choice_point.options
        }
        lengths = [len(ids) for ids in options.values()]
        if min(lengths, default=0) > 0 and len(self.tokens) + max(lengths) <= self.room:
            self._choices = self._scores(count, options)

    def _scores(self, count: int, options: Mapping[str, list[int]]) -> dict[str, float]:
        """Return the log-probability of each option after `count` tokens of the turn.

        The context is as before afterwards.
        """
        body = [*self.tokens[:-1], *self.unread] if self.unread else self.tokens
        before = [*self.header, *(self.tokens[:count] if count < len(self.tokens) else body)]
        whole = [*self.header, *body]
        read = self.context.end.cells - self.opened_at.cells
        position = self.opened_at.shifted(len(before) - 1)
        scores = {}
        try:
            for option, ids in options.items():
                self.context.rewind_to(position)
                rows = log_softmax(self.context.read_all([before[-1], *ids[:-1]]))
                scores[option] = float(rows[np.arange(len(ids)), ids].sum())
        finally:
            self.context.rewind_to(position)
            if tail := whole[len(before) - 1 : read]:
                self.context.read([tail])
        return scores
