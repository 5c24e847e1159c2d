"""Generate one turn of a GGUF model, with the scores of the options at its choice point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agent.engines.base import ChoicePoint, Finish, Generated, SamplingSettings, ShouldStop
from agent.engines.gguf.context import CachePosition, GgufContext
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.vocabulary import GgufVocabulary
from agent.engines.sampling import Logits, choose, log_softmax, seeded
from agent.engines.turn_text import TurnText, decode_if_complete


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
