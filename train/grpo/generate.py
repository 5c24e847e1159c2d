"""Generates the next turn of many conversations at once, one token of each in every pass."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from PIL import Image
from tokenizers import Tokenizer
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from agent.engines import patches
from agent.engines.chat_tokens import TokenBytes, load_tokenizer, never_said, token_ids
from agent.engines.patches import ImagePatches
from agent.engines.turn_text import TurnText
from agent.protocol.protocol import END_OF_TURN, Part, chat_parts
from agent.protocol.rules import OURS, Rules
from train.sft.batches import pixels_of

# KV caches of single conversations, joined into a batch for each forward pass. Shorter caches are
# padded on the left. The padding is masked, and every token has its own position, so that a
# conversation's numbers do not depend on the others in the batch.
# Tokens that a buffer grows by beyond what is needed: each growth copies all that was read so far.
ROOM = 128


@dataclass(frozen=True, eq=False)
class KVCache:
    """Keys and values of one conversation, (layers, 2, heads, tokens, width).

    `position` is that of the next token. Caches are never modified, so conversations with the same
    prompt share one.
    """

    states: Tensor | None = None
    position: int = 0

    @property
    def length(self) -> int:
        return 0 if self.states is None else int(self.states.shape[-2])


class CacheBatch:
    """Caches as one batch, which grows as it reads."""

    def __init__(self, model: Any, caches: Sequence[KVCache]) -> None:
        self._model = model
        self._cache, self._mask = _joined(model, caches)
        self._positions = [cache.position for cache in caches]

    def read(
        self, ids: Sequence[Sequence[int]], pictures: Sequence[Sequence[ImagePatches]] = ()
    ) -> Tensor:
        """Logits (conversations, vocabulary) after the last token of each; none may be empty."""
        device = self._mask.device
        longest = max(map(len, ids))
        numbers = torch.zeros((len(ids), longest), dtype=torch.long)
        real = torch.zeros_like(numbers)
        position_ids = torch.zeros((3, *numbers.shape), dtype=torch.long)
        for row, new in enumerate(ids):
            shown = pictures[row] if pictures else ()
            padding = longest - len(new)
            numbers[row, padding:] = torch.tensor(new)
            real[row, padding:] = 1
            position_ids[:, row, padding:], self._positions[row] = positions(
                new, [one.grid for one in shown], self._model.config, self._positions[row]
            )
        read = pixels_of([one for row in pictures for one in row])
        pixels = {name: each.to(device) for name, each in read.items()}
        return self._forward(numbers, real, position_ids, pixels)

    def read_next(self, tokens: Sequence[int], is_real: Sequence[bool]) -> Tensor:
        """Logits after one more text token of each; rows that are not real are masked."""
        position_ids = torch.tensor(self._positions).expand(3, -1)[..., None]
        self._positions = [at + real for at, real in zip(self._positions, is_real, strict=True)]
        real = torch.tensor(is_real, dtype=torch.long)[:, None]
        return self._forward(torch.tensor(tokens)[:, None], real, position_ids, {})

    def extract(self, row: int) -> KVCache:
        """The cache of one conversation, without padding."""
        columns = self._mask[row].nonzero()[:, 0]
        layers: Any = self._cache.layers
        states = [torch.stack([layer.keys[row], layer.values[row]]) for layer in layers]
        return KVCache(torch.stack(states).index_select(-2, columns), self._positions[row])

    def keep(self, rows: Sequence[int]) -> None:
        """Drop all other rows, and the padding that no row needs any more."""
        chosen = torch.tensor(rows, device=self._mask.device)
        self._mask = self._mask[chosen]
        first = int(self._mask.any(dim=0).int().argmax())
        self._mask = self._mask[:, first:]
        layers: Any = self._cache.layers
        for layer in layers:
            layer.set(layer.keys[chosen, :, first:], layer.values[chosen, :, first:])
        self._positions = [self._positions[row] for row in rows]

    def _forward(
        self, ids: Tensor, real: Tensor, position_ids: Tensor, pixels: dict[str, Tensor]
    ) -> Tensor:
        device = self._mask.device
        self._mask = torch.cat([self._mask, real.to(device)], dim=1)
        out = self._model(
            input_ids=ids.to(device), attention_mask=self._mask,
            position_ids=position_ids.to(device),
            past_key_values=self._cache, use_cache=True, logits_to_keep=1, **pixels,
        )  # fmt: skip
        logits: Tensor = out.logits[:, -1]
        return logits


def positions(
    ids: Sequence[int], grids: Sequence[tuple[int, int, int]], config: Any, start: int
) -> tuple[Tensor, int]:
    """Qwen's position ids (time, row, column), (3, tokens), and the position that comes next."""
    merge = int(config.vision_config.spatial_merge_size)
    sides = [(down, across) for _, down, across in grids]
    found = patches.positions(np.array(ids, np.int32), config.image_token_id, sides, merge)
    return torch.from_numpy(start + found), start + int(found.max(initial=-1)) + 1


def _joined(model: Any, caches: Sequence[KVCache]) -> tuple[DynamicCache, Tensor]:
    """The caches as one, aligned at their ends, and a mask without the padding."""
    longest = max(cache.length for cache in caches)
    mask = torch.zeros((len(caches), longest), dtype=torch.long, device=model.device)
    joined: Any = DynamicCache(config=model.config)
    joined.layers = [_GrowingLayer() for _ in joined.layers]
    for row, cache in enumerate(caches):
        mask[row, longest - cache.length :] = 1
    if longest == 0:
        return joined, mask
    some = next(cache.states for cache in caches if cache.states is not None)
    layers, _, heads, _, width = some.shape
    both = some.new_zeros((layers, 2, len(caches), heads, longest, width))
    for row, cache in enumerate(caches):
        if cache.states is not None:
            both[:, :, row, :, longest - cache.length :] = cache.states
    for layer, (keys, values) in zip(joined.layers, both, strict=True):
        layer.set(keys, values)
    return joined, mask


# transformers' own layer copies all keys and values for each token, which takes longer than the
# rest of a small model's forward pass.
class _GrowingLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Keys and values at the start of a larger buffer, to append tokens without a copy."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._buffers: tuple[Tensor, Tensor] | None = None

    def set(self, keys: Tensor, values: Tensor) -> None:
        self._buffers = None
        self.keys, self.values = keys, values
        self.dtype, self.device = keys.dtype, keys.device
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *others: Any, **options: Any
    ) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self.set(key_states, value_states)
            return key_states, value_states
        start = self.keys.shape[-2]
        end = start + key_states.shape[-2]
        if self._buffers is None or self._buffers[0].shape[-2] < end:
            self._buffers = _larger_buffer(self.keys, end), _larger_buffer(self.values, end)
        for buffer, new in zip(self._buffers, (key_states, value_states), strict=True):
            buffer[..., start:end, :] = new
        self.keys, self.values = (buffer[..., :end, :] for buffer in self._buffers)
        return self.keys, self.values


def _larger_buffer(states: Tensor, needed: int) -> Tensor:
    buffer = states.new_empty((*states.shape[:-2], needed + ROOM, states.shape[-1]))
    buffer[..., : states.shape[-2], :] = states
    return buffer


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
