"""A conversation with a transformers model: every token is read once.

The end token of a generated turn is not read at once but at the start of the next turns. So a turn
that was cut off and one that ended leave the conversation in the same state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from PIL import Image
from tokenizers import Tokenizer

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
from agent.engines.chat_tokens import TokenBytes, plain_ids, token_ids
from agent.engines.families import Vision
from agent.engines.hf.context import Context, TokenPosition
from agent.engines.patches import patches, picture_tokens
from agent.engines.sampling import Logits, choose, log_softmax, seeded
from agent.engines.turn_text import TurnText, decode_if_complete
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.rules import OURS, Rules


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedModel:
    """A loaded model and what its conversations share.

    `end_tokens` end a turn; `suppressed` are tokens that a turn may not contain.
    """

    model: Any
    tokenizer: Tokenizer
    token_bytes: TokenBytes
    vision: Vision
    image_token: int
    end_tokens: frozenset[int]
    suppressed: np.ndarray[Any, np.dtype[np.int64]]
    context_length: int


@dataclass(frozen=True, eq=False)
class _State:
    """The state of the conversation besides the cache.

    `opened_at` is the position before the control tokens that open the model's turn, until that
    turn is generated. `needs_end`: the model's turn still lacks its end token. `unread` are its
    last tokens if they have not been read.
    """

    opened_at: TokenPosition | None = None
    needs_end: bool = False
    unread: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _Mark:
    position: TokenPosition
    state: _State


@dataclass
class _Turn:
    """A turn while it is generated."""

    start: TokenPosition
    text: TurnText
    tokens: list[int] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    finish: Finish = "length"
    choices_at: int = -1
    choices: Mapping[str, float] | None = None


class TransformersConversation:
    """Used by one thread at a time."""

    def __init__(self, loaded: LoadedModel, rules: Rules = OURS) -> None:
        self._loaded = loaded
        self._reply_end = rules.reply_end
        self._context = Context(loaded.model, loaded.image_token, loaded.vision.merge)
        self._header = token_ids(loaded.tokenizer, chat_parts(()))
        self._state = _State()
        self._logits: Logits | None = None
        self._usage = Usage()
        self._marks: list[_Mark] = []
        self._is_closed = False

    @property
    def usage(self) -> Usage:
        return replace(self._usage, evaluated=self._context.evaluated)

    @property
    def ids(self) -> tuple[int, ...]:
        """The tokens read so far."""
        return tuple(self._context.ids)

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one; a failure leaves none of them read."""
        self._refuse_closed()
        loaded, state = self._loaded, self._state
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"the turns have {shown} pictures, but {len(pictures)} were given")
        closing = [Part(self._reply_end, markup=True)] if state.needs_end else []
        counts = [picture_tokens(picture, loaded.vision) for picture in pictures]
        parts = chat_parts(turns, reply_end=self._reply_end)
        new = token_ids(loaded.tokenizer, [*closing, *parts], counts)
        start = state.opened_at or self._context.end
        self._refuse_overflow(start.length + len(state.unread) + len(new))
        rows = [patches(picture, loaded.vision) for picture in pictures]

        self._context.rewind_to(start)  # drops an opened turn that was never generated
        self._state = replace(state, opened_at=None)
        self._logits = self._context.read([*state.unread, *new], rows, should_stop)
        self._state = _State(opened_at=self._position_before(len(self._header)))
        dropped = len(self._header) if state.opened_at else 0
        self._usage = replace(
            self._usage,
            prompt=self._usage.prompt + len(new) - dropped,
            images=self._usage.images + sum(counts),
        )

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
        """Generate the model's turn; see `agent.engines.base.Conversation`."""
        self._refuse_closed()
        if self._logits is None or self._state.opened_at is None:
            raise EngineError("the last turn is the model's own; append a turn before generating")
        if choice_point is not None and not (choice_point.after and all(choice_point.options)):
            choice_point = None
        turn = _Turn(self._context.end, TurnText(stop, on_text))
        try:
            self._generate(turn, self._logits, sampling, seed, choice_point, should_stop)
            if choice_point is not None and turn.finish != "cancelled":
                self._score_choices(turn, choice_point)
        finally:
            self._state = _State(needs_end=True, unread=turn.unread)
            self._logits = None
            self._usage = replace(self._usage, generated=self._usage.generated + len(turn.tokens))
        return Generated(turn.text.finish(), len(turn.tokens), turn.finish, turn.choices)

    def mark(self) -> object:
        """Return a mark to `rewind` to."""
        self._refuse_closed()
        state = self._state
        mark = _Mark(state.opened_at or self._context.end, state)
        self._marks.append(mark)
        return mark

    def rewind(self, mark: object) -> None:
        """Forget everything after the mark; later marks become invalid."""
        self._refuse_closed()
        index = next((n for n, known in enumerate(self._marks) if known is mark), None)
        if not isinstance(mark, _Mark) or index is None:
            raise EngineError("the mark is no longer valid or belongs to another conversation")
        del self._marks[index + 1 :]
        self._context.rewind_to(mark.position)
        self._state, self._logits = replace(mark.state, opened_at=None), None
        if mark.state.opened_at is not None:
            self._logits = self._context.read(self._header)
            self._state = mark.state

    def close(self) -> None:
        """Free the cache."""
        self._is_closed = True
        self._context.clear()
        self._logits = None
        self._marks.clear()

    def _generate(
        self,
        turn: _Turn,
        logits: Logits,
        sampling: SamplingSettings,
        seed: int,
        choice_point: ChoicePoint | None,
        should_stop: ShouldStop | None,
    ) -> None:
        loaded = self._loaded
        firsts = self._first_tokens(choice_point)
        randomness = seeded(seed)
        most = min(sampling.max_new_tokens, loaded.context_length - turn.start.length)
        while True:
            if should_stop is not None and should_stop():
                turn.finish = "cancelled"
                return
            if len(turn.tokens) >= most:
                return
            if turn.unread:
                logits = self._context.read(turn.unread)
                turn.unread = ()
            if choice_point is not None and firsts and turn.text.ends_with(choice_point.after):
                scores = log_softmax(logits)
                turn.choices_at = len(turn.text)
                turn.choices = {option: float(scores[first]) for option, first in firsts.items()}
            logits[loaded.suppressed] = -np.inf
            token = choose(logits, sampling, randomness)
            if token in loaded.end_tokens:
                turn.finish = "stop"
                return
            turn.tokens.append(token)
            is_stopped = turn.text.add(loaded.token_bytes[token])
            turn.unread = self._kept_tokens(token, turn.text) if is_stopped else (token,)
            if is_stopped:
                turn.finish = "stop"
                return

    def _kept_tokens(self, token: int, turn_text: TurnText) -> tuple[int, ...]:
        """Return the last token, encoded anew if a stop string ends inside it."""
        kept = turn_text.last_token()
        text = decode_if_complete(kept)
        if text is None or kept == self._loaded.token_bytes[token]:
            return (token,)
        return tuple(plain_ids(self._loaded.tokenizer, text))

    def _first_tokens(self, choice_point: ChoicePoint | None) -> dict[str, int]:
        """Return the first token of each option, or nothing if two options share it."""
        if choice_point is None:
            return {}
        ids = {option: plain_ids(self._loaded.tokenizer, option) for option in choice_point.options}
        firsts = {option: numbers[0] for option, numbers in ids.items()}
        return firsts if len(set(firsts.values())) == len(choice_point.options) else {}

    def _score_choices(self, turn: _Turn, choice_point: ChoicePoint) -> None:
        """Score the options at the last choice point by reading each one after it.

        Needed if it ends inside a token or two options start with the same token; otherwise the
        scores were already taken while generating.
        """
        end = turn.text.end_of_last(choice_point.after)
        if end is None or end == turn.choices_at:
            return
        count, rest = turn.text.tokens_before(end)
        options = {
            option: plain_ids(self._loaded.tokenizer, rest + option)
            for option in choice_point.options
        }
        if turn.unread:
            self._context.read(turn.unread)
            turn.unread = ()
        read = self._context.end.length - turn.start.length
        back = read - count if count < len(turn.tokens) else 0
        turn.choices = self._scores(self._position_before(back + 1), options)

    def _scores(
        self, position: TokenPosition, options: Mapping[str, list[int]]
    ) -> dict[str, float]:
        """Return the log-probability of each option after the token at `position`.

        The context is as before afterwards.
        """
        tail = self._context.ids[position.length :]
        scores = {}
        try:
            for option, ids in options.items():
                self._context.rewind_to(position)
                rows = log_softmax(self._context.read_all([tail[0], *ids[:-1]]))
                scores[option] = float(rows[np.arange(len(ids)), ids].sum())
        finally:
            self._context.rewind_to(position)
            self._context.read(tail)
        return scores

    def _position_before(self, count: int) -> TokenPosition:
        """Return the position `count` text tokens before the end."""
        end = self._context.end
        return TokenPosition(end.length - count, end.position - count)

    def _refuse_overflow(self, tokens: int) -> None:
        if tokens > self._loaded.context_length:
            raise ContextFullError(
                f"the conversation needs {tokens} tokens, but the model's context has "
                f"{self._loaded.context_length}; use a longer context or smaller pictures"
            )

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise EngineError("the conversation was closed")
