"""The transformers engine: loads Qwen2.5-VL and Qwen3-VL from a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image
from tokenizers import Tokenizer

from agent.engines.chat_tokens import TokenBytes, load_tokenizer, never_said, plain_ids, token_ids
from agent.engines.families import ModelFolder, Vision, read_folder
from agent.engines.hf.context import Context
from agent.engines.hf.weights import load_model
from agent.engines.kind import Device, Precision
from agent.engines.local_conversation import CachePosition, EncodedTurns, LocalConversation
from agent.engines.patches import patches, picture_tokens
from agent.errors import EngineError
from agent.protocol.protocol import END_OF_TEXT, END_OF_TURN, IMAGE_TOKEN, Part, chat_parts
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing

# Default context in tokens: more than any inspection needs
LONGEST_CONTEXT = 32768
# End tokens that a generation config may name; real ones name two or three
MAX_ENDS = 100


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedModel:
    """A loaded model and what its conversations share, with the vocabulary."""

    model: Any
    tokenizer: Tokenizer
    token_bytes: TokenBytes
    vision: Vision
    image_token: int
    end_tokens: frozenset[int]
    suppressed: NDArray[np.int64]
    context_length: int

    def plain_ids(self, text: str) -> list[int]:
        return plain_ids(self.tokenizer, text)

    def bytes_of(self, token: int) -> bytes:
        return self.token_bytes[token]


class TransformersConversation(LocalConversation[Context]):
    """Its engine may be used by other conversations meanwhile."""

    def __init__(self, loaded: LoadedModel, rules: Rules = OURS) -> None:
        context = Context(loaded.model, loaded.image_token, loaded.vision.merge)
        header = token_ids(loaded.tokenizer, chat_parts(()))
        super().__init__(context, loaded, header, rules, loaded.context_length)
        self._loaded = loaded

    @property
    def ids(self) -> tuple[int, ...]:
        return () if self._context is None else tuple(self._context.ids)

    def _encoded(
        self, parts: Sequence[Part], pictures: Sequence[Image.Image], start: CachePosition
    ) -> EncodedTurns:
        context, vision = self._open_context(), self._loaded.vision
        counts = [picture_tokens(picture, vision) for picture in pictures]
        ids = [*self._state.unread, *token_ids(self._loaded.tokenizer, parts, counts)]
        self._refuse_overflow(start.shifted(len(ids)))
        rows = [patches(picture, vision) for picture in pictures]
        return EncodedTurns(
            len(ids), sum(counts), lambda should_stop: context.read(ids, rows, should_stop)
        )


class TransformersEngine:
    """A model loaded from a folder; its conversations share the weights, not the cache."""

    def __init__(self, folder: Path, loaded: LoadedModel, sizing: Sizing) -> None:
        self.folder = folder
        self._loaded: LoadedModel | None = loaded
        self.sizing = sizing

    @classmethod
    def load(
        cls,
        folder: Path,
        *,
        device: Device = "auto",
        dtype: Precision = "auto",
        adapter: Path | None = None,
        sizing: Sizing | None = None,
        context_length: int | None = None,
        threads: int | None = None,
    ) -> TransformersEngine:
        """Load a model from a local folder; nothing is ever downloaded.

        `context_length` is in tokens. `threads` sets torch's for the whole process.
        """
        model_folder = read_folder(folder)
        if sizing is not None and sizing.factor != model_folder.vision.factor:
            raise EngineError(
                f"{model_folder.family.name} takes pictures with sides in multiples of "
                f"{model_folder.vision.factor} pixels, not {sizing.factor}"
            )
        if context_length is not None and context_length < 1:
            raise EngineError(f"a context of {context_length} tokens is too short")
        if threads is not None:
            torch.set_num_threads(threads)
        model = load_model(model_folder, device=device, dtype=dtype, adapter=adapter)
        loaded = _loaded_model(model, model_folder, context_length)
        return cls(folder, loaded, sizing or model_folder.sizing)

    def open(self, rules: Rules = OURS) -> TransformersConversation:
        return TransformersConversation(self._require_loaded(), rules)

    def close(self) -> None:
        """Drop the model; its memory is freed once its conversations are gone."""
        self._loaded = None
        if torch.cuda.is_available():
            torch.cuda.empty_cache()

    def _require_loaded(self) -> LoadedModel:
        if self._loaded is None:
            raise EngineError("the model was closed; load it again")
        return self._loaded


def _loaded_model(model: Any, folder: ModelFolder, context_length: int | None) -> LoadedModel:
    tokenizer = load_tokenizer(folder.path)
    config = model.config.get_text_config()
    if tokenizer.token_to_id(IMAGE_TOKEN) != model.config.image_token_id:
        raise EngineError(f"the tokenizer in {folder.path} belongs to another model")
    # The end tokens of the chat and those in the model's generation config.
    named = getattr(model.generation_config, "eos_token_id", None)
    listed = named[:MAX_ENDS] if isinstance(named, list) else [named]
    known = (tokenizer.token_to_id(name) for name in (END_OF_TURN, END_OF_TEXT))
    ends = frozenset(number for number in (*listed, *known) if type(number) is int)
    return LoadedModel(
        model=model,
        tokenizer=tokenizer,
        token_bytes=TokenBytes(tokenizer),
        vision=folder.vision,
        image_token=int(model.config.image_token_id),
        end_tokens=ends,
        suppressed=np.array(never_said(tokenizer, ends, int(config.vocab_size)), dtype=np.int64),
        context_length=min(int(config.max_position_embeddings), context_length or LONGEST_CONTEXT),
    )
