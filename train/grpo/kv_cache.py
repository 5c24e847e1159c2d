"""What a model remembers of many conversations at once: attention caches that part and join.

Each conversation has a memory of its own. For a forward pass some are laid side by side, shorter
ones with blank columns before them; blanks are masked, and every token brings its own position, so
that what a conversation reads does not depend on its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from agent.engines.patches import ImagePatches

ROOM = 128
"""Tokens by which an attention cache grows."""


@dataclass(frozen=True, eq=False)
class KVCache:
    """Of one conversation: (layers, 2, heads, tokens, width) keys and values, and the position of
    the next token. Never changed, so that conversations with the same beginning share it."""

    states: Tensor | None = None
    position: int = 0

    @property
    def length(self) -> int:
        return 0 if self.states is None else int(self.states.shape[-2])


class SideBySide:
    """Memories as one batch that reads and grows."""

    def __init__(self, model: Any, memories: Sequence[KVCache]) -> None:
        self._model = model
        self._cache, self._mask = _joined(model, memories)
        self._positions = [memory.position for memory in memories]

    def read(
        self, ids: Sequence[Sequence[int]], pictures: Sequence[Sequence[ImagePatches]] = ()
    ) -> Tensor:
        """Logits (conversations, vocabulary) after the last token of each; all read something."""
        device = self._mask.device
        longest = max(map(len, ids))
        numbers = torch.zeros((len(ids), longest), dtype=torch.long)
        real = torch.zeros_like(numbers)
        places = torch.zeros((3, *numbers.shape), dtype=torch.long)
        for row, new in enumerate(ids):
            seen = pictures[row] if pictures else ()
            blank = longest - len(new)
            numbers[row, blank:] = torch.tensor(new)
            real[row, blank:] = 1
            places[:, row, blank:], self._positions[row] = positions(
                new, [one.grid for one in seen], self._model.config, self._positions[row]
            )
        return self._forward(numbers, real, places, _pixels(pictures, device))

    def read_one_each(self, tokens: Sequence[int], is_real: Sequence[bool]) -> Tensor:
        """The same for one text token of each conversation; those that are not real stay blank."""
        places = torch.tensor(self._positions).expand(3, -1)[..., None]
        self._positions = [at + real for at, real in zip(self._positions, is_real, strict=True)]
        real = torch.tensor(is_real, dtype=torch.long)[:, None]
        return self._forward(torch.tensor(tokens)[:, None], real, places, {})

    def take_out(self, row: int) -> KVCache:
        """The memory of one conversation, without the blanks."""
        columns = self._mask[row].nonzero()[:, 0]
        layers: Any = self._cache.layers
        states = torch.stack(
            [torch.stack([layer.keys[row], layer.values[row]]) for layer in layers]
        )
        return KVCache(states.index_select(-2, columns), self._positions[row])

    def keep(self, rows: Sequence[int]) -> None:
        """Go on with some of the conversations."""
        chosen = torch.tensor(rows, device=self._mask.device)
        self._mask = self._mask[chosen]
        first = int(self._mask.any(dim=0).int().argmax())
        self._mask = self._mask[:, first:]
        layers: Any = self._cache.layers
        for layer in layers:
            layer.hold(layer.keys[chosen, :, first:], layer.values[chosen, :, first:])
        self._positions = [self._positions[row] for row in rows]

    def _forward(
        self, ids: Tensor, real: Tensor, places: Tensor, seen: dict[str, Tensor]
    ) -> Tensor:
        device = self._mask.device
        self._mask = torch.cat([self._mask, real.to(device)], dim=1)
        out = self._model(
            input_ids=ids.to(device),
            attention_mask=self._mask,
            position_ids=places.to(device),
            past_key_values=self._cache,
            use_cache=True,
            logits_to_keep=1,
            **seen,
        )
        logits: Tensor = out.logits[:, -1]
        return logits


def positions(
    ids: Sequence[int], grids: Sequence[tuple[int, int, int]], config: Any, start: int
) -> tuple[Tensor, int]:
    """Time, down, across (3, tokens) of each token in Qwen's counting, and the next position."""
    merge = int(config.vision_config.spatial_merge_size)
    columns: list[Tensor] = []
    waiting = iter(grids)
    at = text_from = 0

    def text(end: int) -> None:
        columns.append(torch.arange(start, start + end - text_from).expand(3, -1))

    while at < len(ids):
        if ids[at] != config.image_token_id:
            at += 1
            continue
        text(at)
        start += at - text_from
        down, across = (side // merge for side in next(waiting)[1:])
        square = torch.stack(
            [
                torch.zeros(down, across, dtype=torch.long),
                torch.arange(down)[:, None].expand(down, across),
                torch.arange(across).expand(down, across),
            ]
        )
        columns.append(start + square.flatten(1))
        start += max(down, across)
        at += down * across
        text_from = at
    text(at)
    return torch.cat(columns, dim=1), start + at - text_from


def _pixels(pictures: Sequence[Sequence[ImagePatches]], device: torch.device) -> dict[str, Tensor]:
    shown = [one for row in pictures for one in row]
    if not shown:
        return {}
    return {
        "pixel_values": torch.cat([torch.from_numpy(one.rows) for one in shown]).to(device),
        "image_grid_thw": torch.tensor([one.grid for one in shown], device=device),
    }


def _joined(model: Any, memories: Sequence[KVCache]) -> tuple[DynamicCache, Tensor]:
    """Memories side by side, aligned at their ends, and which columns are real."""
    longest = max(memory.length for memory in memories)
    mask = torch.zeros((len(memories), longest), dtype=torch.long, device=model.device)
    cache: Any = DynamicCache(config=model.config)
    cache.layers = [_RoomyLayer() for _ in cache.layers]
    for row, memory in enumerate(memories):
        mask[row, longest - memory.length :] = 1
    if longest == 0:
        return cache, mask
    some = next(memory.states for memory in memories if memory.states is not None)
    layers, _, heads, _, width = some.shape
    both = some.new_zeros((layers, 2, len(memories), heads, longest, width))
    for row, memory in enumerate(memories):
        if memory.states is not None:
            both[:, :, row, :, longest - memory.length :] = memory.states
    for layer, (keys, values) in zip(cache.layers, both, strict=True):
        layer.hold(keys, values)
    return cache, mask


class _RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
    """Keys and values with room after them: transformers' own layer copies all of them for each
    token, which takes longer than the rest of the token."""

    keys: Tensor
    values: Tensor

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rooms: tuple[Tensor, Tensor] | None = None

    def hold(self, keys: Tensor, values: Tensor) -> None:
        """Hold these, in the place of what was held."""
        self._rooms = None
        self.keys, self.values = keys, values
        self.dtype, self.device = keys.dtype, keys.device
        self.is_initialized = True

    def update(
        self, key_states: Tensor, value_states: Tensor, *others: Any, **options: Any
    ) -> tuple[Tensor, Tensor]:
        if not self.is_initialized:
            self.hold(key_states, value_states)
            return key_states, value_states
        start = self.keys.shape[-2]
        end = start + key_states.shape[-2]
        if self._rooms is None or self._rooms[0].shape[-2] < end:
            self._rooms = _with_room(self.keys, end), _with_room(self.values, end)
        for room, new in zip(self._rooms, (key_states, value_states), strict=True):
            room[..., start:end, :] = new
        self.keys, self.values = (room[..., :end, :] for room in self._rooms)
        return self.keys, self.values


def _with_room(states: Tensor, needed: int) -> Tensor:
    room = states.new_empty((*states.shape[:-2], needed + ROOM, states.shape[-1]))
    room[..., : states.shape[-2], :] = states
    return room
