"""A conversation with a model in this process: every token is read once.

The end token of a generated turn is not read at once but at the start of the next turns. So a turn
that was cut off and one that ended leave the conversation in the same state.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
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
from agent.engines.sampling import Logits, choose, log_softmax, seeded
from agent.engines.turn_text import TurnText, decode_if_complete
from agent.errors import ContextFullError, EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.rules import Rules
from agent.protocol.turn_form import TurnForm

MOST_REDRAWS = 50  # of one token, before every token of the vocabulary is looked at


@dataclass(frozen=True)
class CachePosition:
    """The number of tokens in the cache and the position of the next one."""

    tokens: int = 0
    position: int = 0

    def shifted(self, tokens: int) -> CachePosition:
        """Return the position a number of text tokens later, or earlier if negative."""
        return CachePosition(self.tokens + tokens, self.position + tokens)


class TokenVocabulary(Protocol):
    """`end_tokens` end a turn; `suppressed` are tokens that a turn may not contain."""

    @property
    def end_tokens(self) -> frozenset[int]: ...
    @property
    def suppressed(self) -> NDArray[np.int64]: ...
    def plain_ids(self, text: str) -> list[int]:
        """Encode text without control tokens; lone surrogates become U+FFFD."""

    def bytes_of(self, token: int) -> bytes:
        """Return the bytes of a token, which may be part of a character."""


class TokenCache(Protocol):
    """The cache of what was read."""

    evaluated: int  # tokens computed, repeats included

    @property
    def end(self) -> CachePosition: ...
    def read_text(self, ids: Sequence[int]) -> Logits:
        """Read text and return the logits after its last token."""

    def read_all(self, ids: Sequence[int]) -> Logits:
        """Read text and return the logits after each token: (tokens, vocabulary)."""

    def rewind_to(self, position: CachePosition) -> None:
        """Forget what was read after an earlier position."""

    def close(self) -> None: ...


class TokenGrammar(Protocol):
    """Follows a turn token by token."""

    def allows(self, token: int) -> bool: ...
    def keep_allowed(self, logits: Logits) -> Logits: ...
    def accept(self, token: int) -> None: ...
    def close(self) -> None: ...


AnyCache = TypeVar("AnyCache", bound=TokenCache)


@dataclass(frozen=True)
class EncodedTurns:
    """What is to be read, and how: `tokens` in all, of which `images` are pictures."""

    tokens: int
    images: int
    read: Callable[[ShouldStop | None], Logits]


@dataclass(frozen=True, eq=False)
class ConversationState:
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
    state: ConversationState


class LocalConversation(ABC, Generic[AnyCache]):
    """Used by one thread at a time. `header` are the control tokens that open the model's turn."""

    def __init__(
        self,
        context: AnyCache,
        vocabulary: TokenVocabulary,
        header: Sequence[int],
        rules: Rules,
        context_length: int,
        exclusive: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """`exclusive` is held while the conversation uses the model."""
        self._context: AnyCache | None = context
        self._vocabulary = vocabulary
        self._header = header
        self._rules = rules
        self._context_length = context_length
        self._exclusive = exclusive
        self._state = ConversationState()
        self._usage = Usage()
        self._marks: list[_Mark] = []

    @property
    def usage(self) -> Usage:
        context = self._context
        return self._usage if context is None else replace(self._usage, evaluated=context.evaluated)

    def append(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        should_stop: ShouldStop | None = None,
    ) -> None:
        """Read turns and open the model's next one; a failure leaves none of them read."""
        with self._exclusive():
            context, state = self._open_context(), self._state
            check_pictures(turns, pictures)
            start = state.opened_at or context.end
            parts = [*self._closing(), *chat_parts(turns, reply_end=self._rules.reply_end)]
            new = self._encoded(parts, pictures, start)
            context.rewind_to(start)  # drops an opened turn that was never generated
            self._state = replace(state, opened_at=None, logits=None)
            logits = new.read(should_stop)
            self._state = ConversationState(context.end.shifted(-len(self._header)), logits)
            dropped = 0 if state.opened_at is None else len(self._header)
            self._count_prompt(new, len(state.unread) + dropped)

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
        """Generate the model's turn; a full context ends it as the token limit does."""
        with self._exclusive():
            context, logits = self._open_context(), self._state.logits
            if logits is None:
                raise EngineError(
                    "the last turn is the model's own; append a turn before generating"
                )
            generator = TurnGenerator(
                context=context,
                vocabulary=self._vocabulary,
                grammar_from=self._grammar_from,
                form=form,
                header=self._header,
                room=self._room(context.end),
                text=TurnText(stop, on_text),
                sampling=sampling,
                choice_point=choice_point,
            )
            try:
                generator.run(logits, seed, should_stop)
            finally:
                self._state = ConversationState(needs_end=True, unread=generator.unread)
                generated = self._usage.generated + len(generator.tokens)
                self._usage = replace(self._usage, generated=generated)
            return generator.result()

    def mark(self) -> object:
        """Return a mark to `rewind` to; it keeps the logits of one token."""
        with self._exclusive():
            mark = _Mark(self._open_context().end, self._state)
            self._marks.append(mark)
        return mark

    def rewind(self, mark: object) -> None:
        """Forget everything after the mark; later marks become invalid."""
        with self._exclusive():
            context = self._open_context()
            index = next((n for n, known in enumerate(self._marks) if known is mark), None)
            if not isinstance(mark, _Mark) or index is None:
                raise EngineError("the mark is no longer valid or belongs to another conversation")
            del self._marks[index + 1 :]
            context.rewind_to(mark.position)
            self._state = mark.state

    def close(self) -> None:
        """Free the cache; a second time does nothing."""
        with self._exclusive():
            self._usage = self.usage
            context, self._context = self._context, None
            self._state, self._marks = ConversationState(), []
            if context is not None:
                context.close()

    @abstractmethod
    def _encoded(
        self, parts: Sequence[Part], pictures: Sequence[Image.Image], start: CachePosition
    ) -> EncodedTurns:
        """Encode the unread tokens and the parts, which are to be read after `start`."""

    def _grammar_from(self, token: int) -> TokenGrammar | None:
        """What constrains the turn from this token on; None: nothing does."""
        return None

    def _open_context(self) -> AnyCache:
        if self._context is None:
            raise EngineError("the conversation was closed")
        return self._context

    def _closing(self) -> list[Part]:
        return [Part(self._rules.reply_end, markup=True)] if self._state.needs_end else []

    def _refuse_overflow(self, end: CachePosition) -> None:
        if self._room(end) < 0:
            raise ContextFullError(
                f"the conversation needs {end.tokens} tokens, but the model's context has "
                f"{self._context_length}; use a longer context or smaller pictures"
            )

    def _room(self, position: CachePosition) -> int:
        """Return how many text tokens fit after a position; negative if it exceeds the context."""
        return self._context_length - position.tokens

    def _count_prompt(self, new: EncodedTurns, counted: int) -> None:
        """Add what was read to the usage, except the tokens counted before."""
        prompt = self._usage.prompt + new.tokens - counted
        self._usage = replace(self._usage, prompt=prompt, images=self._usage.images + new.images)


@dataclass(kw_only=True)
class TurnGenerator:
    """Generates one turn token by token.

    `header` are the control tokens that were read to open the turn. `room` is how many tokens still
    fit. `unread` are the last tokens if they have not been read.
    """

    context: TokenCache
    vocabulary: TokenVocabulary
    grammar_from: Callable[[int], TokenGrammar | None]
    form: TurnForm | None
    header: Sequence[int]
    room: int
    text: TurnText
    sampling: SamplingSettings
    choice_point: ChoicePoint | None
    tokens: list[int] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    finish: Finish = "length"

    def __post_init__(self) -> None:
        point = self.choice_point
        if point is not None and not (point.after and point.options and all(point.options)):
            self.choice_point = None
        self._read = list(self.header)
        self._grammar: TokenGrammar | None = None
        self._choices: Mapping[str, float] | None = None
        self._choices_at = -1

    def run(self, logits: Logits, seed: int, should_stop: ShouldStop | None) -> None:
        """Generate the turn; `logits` are those of its first token."""
        try:
            self._generate(logits, seeded(seed), should_stop)
            if self.choice_point is not None and self.finish != "cancelled":
                self._score_choices(self.choice_point)
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
                logits = self._read_on()
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
        if self.form is not None:
            return self._fitting(self.form, token, logits, randomness)
        if self._grammar is None:
            self._grammar = self.grammar_from(token)
        if self._grammar is not None:
            if not self._grammar.allows(token):
                token = choose(self._grammar.keep_allowed(logits), self.sampling, randomness)
            self._grammar.accept(token)
        return token

    def _fitting(
        self, form: TurnForm, token: int, logits: Logits, randomness: np.random.Generator
    ) -> int:
        """The token, or where the form rules it out one drawn among those that it allows.

        To draw again without what was ruled out is to draw among the allowed, and looks at few.
        """
        said, vocabulary = self.text.said, self.vocabulary

        def fits(one: int) -> bool:
            piece = b"" if one in vocabulary.end_tokens else vocabulary.bytes_of(one)
            return piece != b"" and form.allows(said + piece)

        for _ in range(MOST_REDRAWS):
            if fits(token):
                return token
            logits[token] = -np.inf
            token = choose(logits, self.sampling, randomness)
        ruled_out = [one for one in range(len(logits)) if not fits(one)]
        logits[ruled_out] = -np.inf
        return choose(logits, self.sampling, randomness)

    def _read_on(self) -> Logits:
        """Read the last tokens of the turn and return the logits of the next one."""
        logits = self.context.read_text(self.unread)
        self._read += self.unread
        self.unread = ()
        return logits

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
        options = self.choice_point.options
        firsts = {option: self.vocabulary.plain_ids(option)[0] for option in options}
        return firsts if len(set(firsts.values())) == len(options) else {}

    def _score_choices(self, choice_point: ChoicePoint) -> None:
        """Score the options at the last choice point by reading each one after it.

        Needed if it ends inside a token or two options start with the same token; otherwise the
        scores were already taken while generating.
        """
        end = self.text.end_of_last(choice_point.after)
        if end is None or end == self._choices_at:
            return
        self._choices = None
        count, rest = self.text.tokens_before(end)
        names = choice_point.options
        options = {option: self.vocabulary.plain_ids(rest + option) for option in names}
        if len(self.tokens) + max(map(len, options.values())) > self.room:
            return
        if self.unread:
            self._read_on()
        kept = len(self.header) + count if count < len(self.tokens) else len(self._read)
        self._choices = self._scores(self._read[kept - 1 :], options)

    def _scores(self, tail: Sequence[int], options: Mapping[str, list[int]]) -> dict[str, float]:
        """Return the log-probability of each option after the first token of `tail`.

        The tail is what was read last; the context is as before afterwards.
        """
        position = self.context.end.shifted(-len(tail))
        scores = {}
        try:
            for option, ids in options.items():
                self.context.rewind_to(position)
                rows = log_softmax(self.context.read_all([tail[0], *ids[:-1]]))
                scores[option] = float(rows[np.arange(len(ids)), ids].sum())
        finally:
            self.context.rewind_to(position)
            self.context.read_text(tail)
        return scores
