"""A conversation with a transformers model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image
from tokenizers import Tokenizer

from agent.engines.chat_tokens import TokenBytes, plain_ids, token_ids
from agent.engines.families import Vision
from agent.engines.hf.context import Context
from agent.engines.local_conversation import CachePosition, EncodedTurns, LocalConversation
from agent.engines.patches import patches, picture_tokens
from agent.protocol.protocol import Part, chat_parts
from agent.protocol.rules import OURS, Rules


@dataclass(frozen=True, eq=False, kw_only=True)
class LoadedModel:
    """A loaded model and what its conversations share, with the vocabulary."""

    model: Any
    tokenizer: Tokenizer
    token_bytes: TokenBytes
    vision: Vision
    image_token: int
    end_tokens: frozenset[int]
    suppressed: np.ndarray[Any, np.dtype[np.int64]]
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
        """The tokens read so far."""
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
