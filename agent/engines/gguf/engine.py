"""The GGUF engine: runs Qwen2.5-VL and Qwen3-VL through llama.cpp's C functions.

The chat classes of llama-cpp-python read every picture again in every turn and resize pictures;
here every turn is read once and pictures keep their size.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from agent.engines.base import check_pictures
from agent.engines.gguf.checks import check_language_model, check_vision_part
from agent.engines.gguf.context import (
    BATCH,
    ContextSettings,
    GgufContext,
    picture_positions,
    picture_tokens,
)
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.native import Native, native
from agent.engines.gguf.vocabulary import GgufVocabulary, Piece
from agent.engines.local_conversation import (
    CachePosition,
    ConversationState,
    EncodedTurns,
    LocalConversation,
)
from agent.engines.sampling import Logits
from agent.errors import EngineError
from agent.protocol.protocol import Part, Turn, chat_parts
from agent.protocol.rules import OURS, Rules
from agent.rendering.model_image import Sizing

# Default context in tokens. An inspection with eight looks takes about 9,000, and the memory for
# the whole context is allocated when a conversation is opened.
LONGEST_CONTEXT = 16384
# Limits for one picture; llama.cpp resizes pictures outside them
FEWEST_TOKENS, MOST_TOKENS = 8, 4096
MAX_THREADS = 512


@dataclass(frozen=True, kw_only=True)
class SharedState:
    """What the conversations of one engine share.

    `exclusive` is held while one of them uses the model. `max_positions` is the number of positions
    that the model was trained with.
    """

    vocabulary: GgufVocabulary
    sizing: Sizing
    context_length: int
    max_positions: int
    exclusive: Callable[[], AbstractContextManager[None]]
    new_grammar: Callable[[Rules], CallGrammar]


class GgufConversation(LocalConversation[GgufContext]):
    """Used by one thread at a time, as is its engine."""

    def __init__(self, context: GgufContext, shared: SharedState, rules: Rules = OURS) -> None:
        header = shared.vocabulary.text_ids(chat_parts(()))
        length, exclusive = shared.context_length, shared.exclusive
        super().__init__(context, shared.vocabulary, header, rules, length, exclusive)
        self._shared = shared

    @property
    def is_closed(self) -> bool:
        return self._context is None

    @property
    def context_tokens(self) -> int:
        """The length of the conversation: cache cells in use."""
        return 0 if self._context is None else self._context.end.tokens

    def read_scored(
        self,
        turns: Sequence[Turn],
        pictures: Sequence[Image.Image],
        keep: Callable[[Logits], Logits] = lambda logits: logits,
    ) -> tuple[list[int], Logits]:
        """Read whole turns and return their text tokens with the logits after each one.

        Used to compare engines: fills the cache as `append` does, but opens no turn. `keep` is
        called with some rows of logits at a time: all those of a large vocabulary take gigabytes.
        """
        with self._shared.exclusive():
            context = self._open_context()
            check_pictures(turns, pictures)
            parts = [*self._closing(), *chat_parts(turns, model_speaks_next=False)]
            pieces = self._pieces(parts, pictures)
            new = self._measured(pieces, context.end)
            rows = []
            for piece in pieces:
                if isinstance(piece, list):
                    starts = range(0, len(piece), BATCH)
                    rows += [keep(context.read_all(piece[at : at + BATCH])) for at in starts]
                else:
                    context.read_picture(piece)
            self._count_prompt(new, len(self._state.unread))
            self._state = ConversationState()
            return [token for piece in pieces for token in _text(piece)], np.concatenate(rows)

    def _encoded(
        self, parts: Sequence[Part], pictures: Sequence[Image.Image], start: CachePosition
    ) -> EncodedTurns:
        return self._measured(self._pieces(parts, pictures), start)

    def _pieces(self, parts: Sequence[Part], pictures: Sequence[Image.Image]) -> list[Piece]:
        """Encode the unread tokens and the parts; the last piece is always text."""
        for picture in pictures:
            # llama.cpp would resize other pictures, and the model would see another one
            sizing, (width, height) = self._shared.sizing, picture.size
            fits = width % sizing.factor == 0 == height % sizing.factor
            inside = sizing.min_pixels <= width * height <= sizing.max_pixels
            if picture.mode != "RGB" or not (fits and inside):
                raise EngineError(
                    f"a {picture.mode} picture of {width} x {height} pixels does not fit this "
                    f"model: it takes RGB with sides that are multiples of {sizing.factor}"
                )
        first, *rest = self._shared.vocabulary.pieces(parts, pictures) or [[]]
        return [[*self._state.unread, *_text(first)], *rest]

    def _measured(self, pieces: Sequence[Piece], start: CachePosition) -> EncodedTurns:
        """Count the tokens to be read after `start`, which must fit."""
        factor = self._shared.sizing.factor
        text = sum(len(_text(piece)) for piece in pieces)
        pictures = [piece for piece in pieces if not isinstance(piece, list)]
        images = sum(picture_tokens(each, factor) for each in pictures)
        positions = text + sum(picture_positions(each, factor) for each in pictures)
        end = CachePosition(start.tokens + text + images, start.position + positions)
        self._refuse_overflow(end)
        return EncodedTurns(text + images, images, partial(self._open_context().read, pieces))

    def _room(self, position: CachePosition) -> int:
        return min(super()._room(position), self._shared.max_positions - position.position)

    def _grammar_from(self, token: int) -> CallGrammar | None:
        is_call = token == self._shared.vocabulary.call_token
        return self._shared.new_grammar(self._rules) if is_call else None


def _text(piece: Piece) -> list[int]:
    return piece if isinstance(piece, list) else []


class GgufEngine:
    """A language model and its vision part, created by `load`.

    The engine and its conversations are used by one thread at a time; each conversation has its own
    cache.
    """

    def __init__(
        self, library: Native, settings: ContextSettings, sizing: Sizing, max_positions: int
    ) -> None:
        vocabulary = GgufVocabulary(library, library.llama.llama_model_get_vocab(settings.model))
        self._library = library
        self._settings = settings
        self.sizing = sizing
        self._lock = threading.Lock()
        self._conversations: list[GgufConversation] = []
        self._shared = SharedState(
            vocabulary=vocabulary,
            sizing=sizing,
            context_length=settings.context_length,
            max_positions=max_positions,
            exclusive=self._exclusive,
            new_grammar=partial(CallGrammar, library, vocabulary.handle),
        )
        self._resources: ExitStack | None = None

    @classmethod
    def load(
        cls,
        model: Path,
        mmproj: Path,
        *,
        context_length: int | None = None,
        threads: int | None = None,
        gpu_layers: int = 0,
        sizing: Sizing | None = None,
    ) -> GgufEngine:
        """Load a model and its vision part from local files.

        `context_length` is in tokens. `gpu_layers=-1` puts all layers on the GPU if llama.cpp was
        built for one.
        """
        threads = default_threads() if threads is None else threads
        if not 1 <= threads <= MAX_THREADS:
            raise EngineError(f"threads must be from 1 to {MAX_THREADS}, not {threads}")
        if context_length is not None and context_length < 1:
            raise EngineError(f"a context of {context_length} tokens is too short")
        language = check_language_model(read_gguf_header(model))
        factor = check_vision_part(read_gguf_header(mmproj), language)
        sizing = sizing or Sizing.of_tokens(factor)
        _check_sizing(sizing, factor)
        library = native()
        with ExitStack() as resources:
            loaded = _load_model(library, model, gpu_layers, resources)
            settings = ContextSettings(
                model=loaded,
                vision=_load_vision(library, mmproj, loaded, threads, gpu_layers, resources),
                factor=factor,
                context_length=min(language.context_length, context_length or LONGEST_CONTEXT),
                threads=threads,
                is_f32=language.is_f32,
            )
            engine = cls(library, settings, sizing, language.context_length)
            engine._resources = resources.pop_all()
            return engine

    def token_ids(self, text: str) -> list[int]:
        """Encode text without control tokens."""
        return self._shared.vocabulary.plain_ids(text)

    def open(self, rules: Rules = OURS) -> GgufConversation:
        with self._exclusive():
            if self._resources is None:
                raise EngineError("the model was closed")
            context = GgufContext(self._library, self._settings, self._shared.vocabulary.size)
            conversation = GgufConversation(context, self._shared, rules)
            still_open = [each for each in self._conversations if not each.is_closed]
            self._conversations = [*still_open, conversation]
            return conversation

    def close(self) -> None:
        """Free the model and all its conversations; a second call does nothing."""
        for conversation in self._conversations:
            conversation.close()
        with self._exclusive():
            resources, self._resources = self._resources, None
            if resources is not None:
                resources.close()

    @contextmanager
    def _exclusive(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise EngineError("the model is in use by another thread or conversation")
        try:
            yield
        finally:
            self._lock.release()


def default_threads(sharing: int = 1) -> int:
    """Return the processors per process for `sharing` processes, at most 8.

    Beyond 8 threads memory bandwidth is the limit.
    """
    return max(1, min(8, (os.cpu_count() or 1) // sharing))


def thread_share(sharing: int) -> int | None:
    """Threads per process; None leaves the choice to the engine."""
    return None if sharing == 1 else default_threads(sharing)


def _check_sizing(sizing: Sizing, factor: int) -> None:
    if sizing.factor != factor:
        raise EngineError(
            f"the model takes pictures with sides in multiples of {factor} pixels, "
            f"not {sizing.factor}"
        )
    if sizing.min_pixels < FEWEST_TOKENS * factor**2 or sizing.max_pixels > MOST_TOKENS * factor**2:
        raise EngineError(
            f"llama.cpp takes pictures of {FEWEST_TOKENS} to {MOST_TOKENS} tokens and would "
            "resize others; change the model card's [sizing]"
        )


def _load_model(library: Native, path: Path, gpu_layers: int, resources: ExitStack) -> Any:
    llama = library.llama
    parameters = llama.llama_model_default_params()
    parameters.n_gpu_layers = gpu_layers
    # gcc 12 builds for AMX processors crash in the repacked Q8_0 code
    parameters.use_extra_bufts = False
    library.forget_errors()
    model = llama.llama_model_load_from_file(os.fsencode(path), parameters)
    if not model:
        raise EngineError(f"llama.cpp could not load {path}{library.last_error()}")
    resources.callback(llama.llama_model_free, model)
    return model


def _load_vision(
    library: Native, path: Path, model: Any, threads: int, gpu_layers: int, resources: ExitStack
) -> Any:
    mtmd = library.mtmd
    parameters = mtmd.mtmd_context_params_default()
    parameters.use_gpu = gpu_layers != 0
    parameters.n_threads = threads
    parameters.print_timings = False
    parameters.warmup = False  # would encode a picture of 2,116 tokens
    # halves the time of a large picture, with no measurable change in the answers
    parameters.flash_attn_type = library.llama.LLAMA_FLASH_ATTN_TYPE_ENABLED
    library.forget_errors()
    vision = mtmd.mtmd_init_from_file(os.fsencode(path), model, parameters)
    if not vision:
        raise EngineError(f"llama.cpp could not load {path}{library.last_error()}")
    resources.callback(mtmd.mtmd_free, vision)
    if not mtmd.mtmd_support_vision(vision):
        raise EngineError(f"{path} has no vision encoder")
    return vision
