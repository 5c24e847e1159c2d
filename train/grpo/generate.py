"""Generates the next turn of many conversations at once, one token of each in every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

import torch
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor

from agent.engines.chat_tokens import TokenBytes, load_tokenizer, never_said, token_ids
from agent.engines.patches import ImagePatches
from agent.engines.turn_text import TurnText
from agent.protocol.protocol import END_OF_TURN, Part, chat_parts
from agent.protocol.rules import OURS, Rules
from train.grpo.kv_cache import CacheBatch, KVCache

# `invented`: the model began to write a tool's answer itself.
TurnEnd = Literal["end", "length", "invented"]


@dataclass(eq=False)
class ConversationTokens:
    """One conversation: its tokens and pictures, and the KV cache of those the model has read."""

    ids: list[int]
    pictures: list[Image.Image] = field(default_factory=list)
    cache: KVCache = field(default_factory=KVCache)
    pictures_read: int = 0

    @property
    def unread(self) -> list[int]:
        return self.ids[self.cache.length :]

    def set_cache(self, cache: KVCache) -> None:
        """Store the cache of the tokens read so far; they include all pictures."""
        self.cache, self.pictures_read = cache, len(self.pictures)


@dataclass(frozen=True)
class GeneratedTurn:
    """One generated turn. `ids` include the end token if it was sampled; `text` does not.

    `log_probs` are those of the tokens at the sampling temperature.
    """

    ids: list[int]
    text: str
    end: TurnEnd
    log_probs: list[float]


class Generator(Protocol):
    """Generates a turn of at most `limits` tokens for each conversation; may fill their caches."""

    def __call__(
        self, conversations: Sequence[ConversationTokens], limits: Sequence[int]
    ) -> list[GeneratedTurn]: ...


class OpenTurn:
    """A turn that is being generated, token by token."""

    def __init__(self, tokens: TurnTokens, limit: int) -> None:
        self.ids: list[int] = []
        self.end: TurnEnd | None = None
        self._log_probs: list[float] = []
        self._tokens = tokens
        self._limit = limit
        self._text = TurnText(tokens.stop)

    def add(self, token: int, log_prob: float = 0.0) -> None:
        self.ids.append(token)
        self._log_probs.append(log_prob)
        if token == self._tokens.end:
            self.end = "end"
        elif self._text.add(self._tokens.token_bytes[token]):
            self.end = "invented"
        elif len(self.ids) >= self._limit:
            self.end = "length"

    def finish(self) -> GeneratedTurn:
        return GeneratedTurn(self.ids, self._text.finish(), self.end or "length", self._log_probs)


@dataclass(frozen=True, eq=False)
class CachedGenerator:
    """Reads only the tokens since the last turn, and a prompt that conversations share only once.

    `temperature` 0 takes the likeliest token.
    """

    model: Any
    tokens: TurnTokens
    patches: Callable[[Image.Image], ImagePatches]
    randomness: torch.Generator
    temperature: float = 1.0

    @cached_property
    def _forbidden(self) -> Tensor:
        """Tokens that are never sampled."""
        return torch.tensor(self.tokens.forbidden, device=self.model.device)

    @torch.no_grad()
    def __call__(
        self, conversations: Sequence[ConversationTokens], limits: Sequence[int]
    ) -> list[GeneratedTurn]:
        self._read_prompts(conversations)
        turns = [OpenTurn(self.tokens, limit) for limit in limits]
        batch = CacheBatch(self.model, [one.cache for one in conversations])
        logits = batch.read([one.unread for one in conversations], self._patches_of(conversations))
        live = list(range(len(conversations)))
        while True:
            tokens, log_probs = self._sample(logits)
            for number, token, log_prob in zip(live, tokens, log_probs, strict=True):
                if turns[number].end is None:
                    turns[number].add(token, log_prob)
            is_open = [turns[number].end is None for number in live]
            # Rows of finished turns cost as much as open ones: drop them once they are half.
            if 2 * sum(is_open) <= len(live):
                for row, number in enumerate(live):
                    if not is_open[row]:
                        conversations[number].set_cache(batch.extract(row))
                kept = [row for row, on in enumerate(is_open) if on]
                if not kept:
                    return [turn.finish() for turn in turns]
                batch.keep(kept)
                live, tokens = [live[row] for row in kept], [tokens[row] for row in kept]
                is_open = [True] * len(kept)
            logits = batch.read_next(tokens, is_open)

    def _read_prompts(self, conversations: Sequence[ConversationTokens]) -> None:
        """Read all but the last token of new conversations, equal ones once.

        The last one is left, as the model says what comes next only where it reads a token.
        """
        groups: dict[tuple[Any, ...], list[ConversationTokens]] = {}
        for one in conversations:
            if one.cache.length == 0 and len(one.ids) > 1:
                groups.setdefault((*one.ids, *map(id, one.pictures)), []).append(one)
        if not groups:
            return
        firsts = [group[0] for group in groups.values()]
        batch = CacheBatch(self.model, [KVCache()] * len(firsts))
        batch.read([one.ids[:-1] for one in firsts], self._patches_of(firsts))
        for row, group in enumerate(groups.values()):
            cache = batch.extract(row)
            for one in group:
                one.set_cache(cache)

    def _patches_of(self, conversations: Sequence[ConversationTokens]) -> list[list[ImagePatches]]:
        unread = (one.pictures[one.pictures_read :] for one in conversations)
        return [[self.patches(each) for each in pictures] for pictures in unread]

    def _sample(self, logits: Tensor) -> tuple[list[int], list[float]]:
        """A token for each row, and its log-probability among all tokens, forbidden ones too."""
        log_probs = (logits.float() / (self.temperature or 1.0)).log_softmax(dim=1)
        usable = log_probs.index_fill(1, self._forbidden, -torch.inf)
        if self.temperature == 0.0:
            chosen = usable.argmax(dim=1, keepdim=True)
        else:
            chosen = torch.multinomial(usable.exp(), 1, generator=self.randomness)
        return chosen[:, 0].tolist(), log_probs.gather(1, chosen)[:, 0].tolist()


# The tokenizer of a model, with the tokens that rollouts treat specially.
@dataclass(frozen=True, eq=False, kw_only=True)
class TurnTokens:
    """A tokenizer, the token that ends a turn (`end`) and those that open one (`header`).

    `forbidden` tokens are never sampled: all other control tokens, and rows of the vocabulary
    that have no token.
    """

    tokenizer: Tokenizer
    token_bytes: TokenBytes
    end: int
    header: tuple[int, ...]
    forbidden: tuple[int, ...]
    stop: tuple[str, ...] = OURS.stop  # texts that end a turn as well


def turn_tokens(folder: Path, config: Any, rules: Rules = OURS) -> TurnTokens:
    """Read them from a model's folder and its transformers config."""
    tokenizer = load_tokenizer(folder)
    (end,) = token_ids(tokenizer, [Part(END_OF_TURN, markup=True)])
    rows = int(config.get_text_config().vocab_size)
    return TurnTokens(
        tokenizer=tokenizer,
        token_bytes=TokenBytes(tokenizer),
        end=end,
        header=tuple(token_ids(tokenizer, chat_parts(()))),
        forbidden=tuple(never_said(tokenizer, {end}, rows)),
        stop=rules.stop,
    )
