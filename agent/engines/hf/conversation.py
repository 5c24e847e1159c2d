"""One chat with a model in this process: turns are read once, the model's words as they come.

The end token that the model says is not read at once: the next turns begin with it. So a turn that
was cut off and one that ended leave the same kind of state.
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
from agent.engines.chat_tokens import END_OF_TURN, TokenBytes, plain_ids, token_ids
from agent.engines.families import Vision
from agent.engines.hf.context import Context, TokenPosition
from agent.engines.patches import patches, picture_tokens
from agent.engines.sampling import Logits, choose, log_softmax, seeded
from agent.engines.turn_text import TurnText, decode_if_complete
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Part, Turn, chat_parts


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedModel:
    """A model with all that its conversations share.

    `ends` are the tokens that end a turn, `never` those that no turn may hold.
    """

    model: Any
    tokenizer: Tokenizer
    token_bytes: TokenBytes
    vision: Vision
    image_token: int
    ends: frozenset[int]
    never: np.ndarray[Any, np.dtype[np.int64]]
    context_length: int


@dataclass(frozen=True, eq=False)
class _State:
    """What is true besides the cache.

    `opened_at` is the place before the control tokens that open the model's turn, while nothing is
    said in it. `is_said`: the model's turn is said and lacks its end token; `unread` are the last
    tokens of it where they were not read.
    """

    opened_at: TokenPosition | None = None
    is_said: bool = False
    unread: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class _Mark:
    place: TokenPosition
    state: _State


@dataclass
class _Turn:
    """A turn while the model says it."""

    start: TokenPosition
    speech: TurnText
    said: list[int] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    finish: Finish = "length"
    choices_at: int = -1
    choices: Mapping[str, float] | None = None


class TransformersConversation:
    """Used by one thread at a time."""

    def __init__(self, loaded: LoadedModel) -> None:
        self._loaded = loaded
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
        """Read turns and open the model's next one; where it fails, none of them was read."""
        self._refuse_closed()
        loaded, state = self._loaded, self._state
        shown = sum(turn.picture is not None for turn in turns)
        if shown != len(pictures):
            raise EngineError(f"the turns show {shown} pictures, but {len(pictures)} were given")
        closing = [Part(f"{END_OF_TURN}\n", markup=True)] if state.is_said else []
        counts = [picture_tokens(picture, loaded.vision) for picture in pictures]
        new = token_ids(loaded.tokenizer, [*closing, *chat_parts(turns)], counts)
        start = state.opened_at or self._context.place
        self._refuse_overflow(start.length + len(state.unread) + len(new))
        rows = [patches(picture, loaded.vision) for picture in pictures]

        self._context.go_back(start)  # a turn opened in vain
        self._state = replace(state, opened_at=None)
        self._logits = self._context.read([*state.unread, *new], rows, should_stop)
        self._state = _State(opened_at=self._place_before(len(self._header)))
        in_vain = len(self._header) if state.opened_at else 0
        self._usage = replace(
            self._usage,
            prompt=self._usage.prompt + len(new) - in_vain,
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
        """Let the model say its turn."""
        self._refuse_closed()
        if self._logits is None or self._state.opened_at is None:
            raise EngineError("the model spoke last; append a turn before it speaks again")
        if choice_point is not None and not (choice_point.after and all(choice_point.options)):
            choice_point = None  # nothing to wait for, or to choose from
        turn = _Turn(self._context.place, TurnText(stop, on_text))
        try:
            self._say(turn, self._logits, sampling, seed, choice_point, should_stop)
            if choice_point is not None and turn.finish != "cancelled":
                self._settle_choices(turn, choice_point)
        finally:
            self._state = _State(is_said=True, unread=turn.unread)
            self._logits = None
            self._usage = replace(self._usage, generated=self._usage.generated + len(turn.said))
        return Generated(turn.speech.finish(), len(turn.said), turn.finish, turn.choices)

    def mark(self) -> object:
        """A place to `rewind` to."""
        self._refuse_closed()
        state = self._state
        mark = _Mark(state.opened_at or self._context.place, state)
        self._marks.append(mark)
        return mark

    def rewind(self, mark: object) -> None:
        """Forget all that was said since the mark. Marks made after it are void."""
        self._refuse_closed()
        place = next((n for n, known in enumerate(self._marks) if known is mark), None)
        if not isinstance(mark, _Mark) or place is None:
            raise EngineError("that place in the conversation is forgotten or not of this one")
        del self._marks[place + 1 :]
        self._context.go_back(mark.place)
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

    def _say(
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
            if len(turn.said) >= most:
                return
            if turn.unread:
                logits = self._context.read(turn.unread)
                turn.unread = ()
            if choice_point is not None and firsts and turn.speech.ends_with(choice_point.after):
                odds = log_softmax(logits)
                turn.choices_at = len(turn.speech)
                turn.choices = {option: float(odds[first]) for option, first in firsts.items()}
            logits[loaded.never] = -np.inf
            token = choose(logits, sampling, randomness)
            if token in loaded.ends:
                turn.finish = "stop"
                return
            turn.said.append(token)
            is_stopped = turn.speech.add(loaded.token_bytes[token])
            turn.unread = self._kept(token, turn.speech) if is_stopped else (token,)
            if is_stopped:
                turn.finish = "stop"
                return

    def _kept(self, token: int, speech: TurnText) -> tuple[int, ...]:
        """The last token as far as it is kept: what follows a stop string is not remembered."""
        kept = speech.last_token()
        text = decode_if_complete(kept)
        if text is None or kept == self._loaded.token_bytes[token]:
            return (token,)
        return tuple(plain_ids(self._loaded.tokenizer, text))

    def _first_tokens(self, choice_point: ChoicePoint | None) -> dict[str, int]:
        """The first token of each option; empty where they cannot be told apart by it."""
        if choice_point is None:
            return {}
        ids = {option: plain_ids(self._loaded.tokenizer, option) for option in choice_point.options}
        firsts = {option: numbers[0] for option, numbers in ids.items()}
        return firsts if len(set(firsts.values())) == len(choice_point.options) else {}

    def _settle_choices(self, turn: _Turn, choice_point: ChoicePoint) -> None:
        """Judge the last place that was watched for by reading on from it, where that was not
        done on the way: its end lies inside a token, or the options begin with the same one."""
        end = turn.speech.end_of_last(choice_point.after)
        if end is None or end == turn.choices_at:
            return
        count, rest = turn.speech.tokens_before(end)
        options = {
            option: plain_ids(self._loaded.tokenizer, rest + option)
            for option in choice_point.options
        }
        if turn.unread:
            self._context.read(turn.unread)
            turn.unread = ()
        read = self._context.place.length - turn.start.length
        back = read - count if count < len(turn.said) else 0
        turn.choices = self._scores(self._place_before(back + 1), options)

    def _scores(self, place: TokenPosition, options: Mapping[str, list[int]]) -> dict[str, float]:
        """Log-probability of each option after the token at `place`; all are forgotten again."""
        tail = self._context.ids[place.length :]
        scores = {}
        try:
            for option, ids in options.items():
                self._context.go_back(place)
                odds = log_softmax(self._context.read_all([tail[0], *ids[:-1]]))
                scores[option] = float(odds[np.arange(len(ids)), ids].sum())
        finally:
            self._context.go_back(place)
            self._context.read(tail)
        return scores

    def _place_before(self, count: int) -> TokenPosition:
        """The place so many text tokens back."""
        here = self._context.place
        return TokenPosition(here.length - count, here.position - count)

    def _refuse_overflow(self, tokens: int) -> None:
        if tokens > self._loaded.context_length:
            raise ContextFullError(
                f"the conversation would hold {tokens} tokens, and the model reads "
                f"{self._loaded.context_length}; load it with a longer context or smaller pictures"
            )

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise EngineError("the conversation was closed")
