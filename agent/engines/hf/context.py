"""The KV cache of one conversation and the position of its next token.

Qwen gives the tokens of a picture two-dimensional positions, so they cannot be derived from the
length of the cache: every call passes them explicitly. Uses only transformers' public forward.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from agent.engines.base import ShouldStop
from agent.engines.local_conversation import CachePosition
from agent.engines.patches import ImagePatches, positions
from agent.engines.sampling import Logits
from agent.errors import Cancelled, EngineError

# Tokens read between two calls of `should_stop`; a picture is never split. On a CPU, where it takes
# longest, a person who stops a run waits for one chunk.
CHUNK = 512

# Words of the errors with which torch's allocators on CUDA, CPU and Apple's GPUs refuse.
OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "not enough memory", "alloc_cpu")


class Context:
    """The tokens read so far, in order, and the model's KV cache of them."""

    def __init__(self, model: Any, image_token: int, merge: int) -> None:
        self._model = model
        self._image_token = image_token
        self._merge = merge
        self._cache = _empty_cache(model)
        self._position = 0
        self.ids: list[int] = []
        self.evaluated = 0  # tokens read in all, also those taken back since

    @property
    def end(self) -> CachePosition:
        return CachePosition(len(self.ids), self._position)

    def read(
        self,
        ids: Sequence[int],
        pictures: Sequence[ImagePatches] = (),
        should_stop: ShouldStop | None = None,
    ) -> Logits:
        """Read tokens and return the logits after the last one; a failure leaves nothing behind."""
        before = self.end
        logits: torch.Tensor | None = None
        try:
            for chunk, shown in _chunks(ids, list(pictures), self._image_token, self._merge):
                if should_stop is not None and should_stop():
                    raise Cancelled
                logits = self._forward(chunk, shown, last_only=True)
        except BaseException:
            self.rewind_to(before)
            raise
        if logits is None:
            raise EngineError("there are no tokens to read")
        return _as_numpy(logits)[-1]

    def read_text(self, ids: Sequence[int]) -> Logits:
        return self.read(ids)

    def read_all(self, ids: Sequence[int]) -> Logits:
        return _as_numpy(self._forward(list(ids), [], last_only=False))

    def rewind_to(self, position: CachePosition) -> None:
        if position.tokens == 0:
            self._cache = _empty_cache(self._model)
        layers: list[Any] = self._cache.layers
        for layer in layers:  # after a failure some are longer than others
            surplus = layer.get_seq_length() - position.tokens
            if surplus > 0:
                layer.crop(-surplus)
        del self.ids[position.tokens :]
        self._position = position.position

    def close(self) -> None:
        self.rewind_to(CachePosition())

    def _forward(
        self, ids: list[int], pictures: list[ImagePatches], last_only: bool
    ) -> torch.Tensor:
        device = self._model.device
        grids = [picture.grid[1:] for picture in pictures]
        found = positions(np.array(ids, np.int32), self._image_token, grids, self._merge)
        places = self._position + found
        text = np.arange(len(self.ids), len(self.ids) + len(ids))  # the row of text comes first
        vision: dict[str, Any] = {}
        if pictures:
            rows = np.concatenate([picture.rows for picture in pictures])
            vision["pixel_values"] = torch.from_numpy(rows).to(device)
            vision["image_grid_thw"] = torch.tensor([p.grid for p in pictures], device=device)
        with torch.inference_mode(), explained_memory():
            out = self._model(
                input_ids=torch.tensor([ids], device=device),
                position_ids=torch.from_numpy(np.vstack([text[None], places]))[:, None].to(device),
                past_key_values=self._cache,
                use_cache=True,
                logits_to_keep=1 if last_only else 0,
                **vision,
            )
        self.ids += ids
        self._position = int(places.max()) + 1
        self.evaluated += len(ids)
        logits: torch.Tensor = out.logits[0]
        return logits


def _empty_cache(model: Any) -> DynamicCache:
    cache = DynamicCache(config=model.config)
    if any(cache.is_sliding):
        raise EngineError("models that attend through a sliding window are not supported")
    return cache


def _chunks(
    ids: Sequence[int], pictures: list[ImagePatches], image_token: int, merge: int
) -> Iterator[tuple[list[int], list[ImagePatches]]]:
    """Split tokens into chunks, each with the pictures it contains."""
    chunk: list[int] = []
    shown: list[ImagePatches] = []
    at = 0
    while at < len(ids):
        step = 1
        if ids[at] == image_token:
            picture = pictures.pop(0)
            step = picture.grid[1] * picture.grid[2] // merge**2
            shown.append(picture)
        chunk += ids[at : at + step]
        at += step
        if len(chunk) >= CHUNK:
            yield chunk, shown
            chunk, shown = [], []
    if chunk:
        yield chunk, shown


@contextmanager
def explained_memory() -> Iterator[None]:
    """Turn out-of-memory failures into an EngineError with advice."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        raise EngineError(
            "the model ran out of memory; try a smaller model, fewer image tokens, "
            "a shorter context or the model as a GGUF file"
        ) from error


def is_out_of_memory(error: Exception) -> bool:
    message = str(error).lower()
    is_memory = isinstance(error, MemoryError | torch.OutOfMemoryError)
    return is_memory or any(words in message for words in OUT_OF_MEMORY)


def _as_numpy(logits: torch.Tensor) -> Logits:
    numbers: Logits = logits.float().cpu().numpy()
    return numbers
