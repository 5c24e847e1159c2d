"""KV caches of single conversations, joined into a batch for each forward pass.

Shorter caches are padded on the left. The padding is masked, and every token has its own position,
so that a conversation's numbers do not depend on the others in the batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from agent.engines import patches
from agent.engines.patches import ImagePatches
from train.sft.batches import pixels_of

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
