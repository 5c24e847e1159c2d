"""One turn while a GGUF model says it: token by token, with the odds where a verdict is given."""

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
    """A turn of the model.

    `opened_at` is the place before `header`, the control tokens that open the turn. `room` is how
    many tokens still fit. `unread` are the last tokens said where they were not read.
    """

    context: GgufContext
    vocabulary: GgufVocabulary
    new_grammar: Callable[[], CallGrammar]
    opened_at: CachePosition
    header: Sequence[int]
    room: int
    speech: TurnText
    sampling: SamplingSettings
    choice_point: ChoicePoint | None
    said: list[int] = field(default_factory=list)
    unread: tuple[int, ...] = ()
    finish: Finish = "length"

    def __post_init__(self) -> None:
        self._grammar: CallGrammar | None = None
        self._choices: Mapping[str, float] | None = None
        self._choices_at = -1

    def say(self, logits: Logits, seed: int, should_stop: ShouldStop | None) -> None:
        """Speak until the end of the turn; `logits` are those for its first token."""
        try:
            self._say(logits, seeded(seed), should_stop)
            if self.finish != "cancelled":
                self._settle_choices()
        finally:
            if self._grammar is not None:
                self._grammar.close()

    def result(self) -> Generated:
        return Generated(self.speech.finish(), len(self.said), self.finish, self._choices)

    def _say(
        self, logits: Logits, randomness: np.random.Generator, should_stop: ShouldStop | None
    ) -> None:
        firsts = self._first_tokens()
        most = min(self.sampling.max_new_tokens, self.room)
        while True:
            if should_stop is not None and should_stop():
                self.finish = "cancelled"
                return
            if len(self.said) >= most:
                return
            if self.unread:
                logits = self.context.read([list(self.unread)])
                self.unread = ()
            if firsts and self.choice_point and self.speech.ends_with(self.choice_point.after):
                odds = log_softmax(logits)
                self._choices_at = len(self.speech)
                self._choices = {option: float(odds[first]) for option, first in firsts.items()}
            token = self._next_token(logits, randomness)
            if token in self.vocabulary.ends or self._is_stopped_by(token):
                self.finish = "stop"
                return

    def _next_token(self, logits: Logits, randomness: np.random.Generator) -> int:
        """Choose a token; once a call has begun, one that continues it.

        A choice the grammar rules out is made again among what it allows: that draws from the same
        distribution as ruling out first, and costs less.
        """
        logits = logits.copy()
        logits[self.vocabulary.never] = -np.inf
        token = choose(logits, self.sampling, randomness)
        if self._grammar is None and token == self.vocabulary.call_token:
            self._grammar = self.new_grammar()
        if self._grammar is not None:
            if not self._grammar.allows(token):
                logits = self._grammar.keep_allowed(logits)
                token = choose(logits, self.sampling, randomness)
            self._grammar.accept(token)
        return token

    def _is_stopped_by(self, token: int) -> bool:
        """Say a token. True where it completes a stop string."""
        self.said.append(token)
        is_stopped = self.speech.add(self.vocabulary.bytes_of(token))
        self.unread = self._kept(token) if is_stopped else (token,)
        return is_stopped

    def _kept(self, token: int) -> tuple[int, ...]:
        """The last token as far as it is kept: what follows a stop string is not remembered."""
        kept = self.speech.last_token()
        text = decode_if_complete(kept)
        if text is None or kept == self.vocabulary.bytes_of(token):
            return (token,)
        return tuple(self.vocabulary.plain_ids(text))

    def _first_tokens(self) -> dict[str, int]:
        """The first token of each option; empty where they cannot be told apart by it."""
        if self.choice_point is None:
            return {}
        ids = {option: self.vocabulary.plain_ids(option) for option in self.choice_point.options}
        firsts = {option: numbers[0] for option, numbers in ids.items() if numbers}
        is_clear = len(firsts) == len(self.choice_point.options) == len(set(firsts.values()))
        return firsts if is_clear else {}

    def _settle_choices(self) -> None:
        """Judge the last place that was watched for by reading on from it, where that was not
        done on the way: its end lies inside a token, or the options begin with the same one."""
        end = (
            None if self.choice_point is None else self.speech.end_of_last(self.choice_point.after)
        )
        if self.choice_point is None or end is None or end == self._choices_at:
            return
        self._choices = None
        count, rest = self.speech.tokens_before(end)
        options = {
            option: self.vocabulary.plain_ids(rest + option) for option in self.choice_point.options
        }
        lengths = [len(ids) for ids in options.values()]
        if min(lengths, default=0) > 0 and len(self.said) + max(lengths) <= self.room:
            self._choices = self._scores(count, options)

    def _scores(self, count: int, options: Mapping[str, list[int]]) -> dict[str, float]:
        """Log-probability of each option after `count` tokens of the turn; all are forgotten."""
        body = [*self.said[:-1], *self.unread] if self.unread else self.said
        before = [*self.header, *(self.said[:count] if count < len(self.said) else body)]
        whole = [*self.header, *body]
        read = self.context.place.cells - self.opened_at.cells
        place = self.opened_at.moved(len(before) - 1)
        scores = {}
        try:
            for option, ids in options.items():
                self.context.go_back(place)
                odds = log_softmax(self.context.read_all([before[-1], *ids[:-1]]))
                scores[option] = float(odds[np.arange(len(ids)), ids].sum())
        finally:
            self.context.go_back(place)
            if tail := whole[len(before) - 1 : read]:
                self.context.read([tail])
        return scores
