"""Qwen2.5-VL and Qwen3-VL as GGUF files through llama.cpp, driven by its C functions.

The package's own chat classes read every picture again in every turn and resize pictures their own
way; here turns are read once and pictures come sized.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from agent.engines.gguf.checks import language_file, picture_file
from agent.engines.gguf.context import ContextSettings, GgufContext
from agent.engines.gguf.conversation import GgufConversation, SharedState
from agent.engines.gguf.grammar import CallGrammar
from agent.engines.gguf.header import read_gguf_header
from agent.engines.gguf.native import Native, native
from agent.engines.gguf.vocabulary import GgufVocabulary
from agent.errors import EngineError
from agent.rendering.model_image import QWEN25, Sizing

LONGEST_CONTEXT = 16384
"""Tokens, where the caller names no length: an inspection with eight looks takes about 9,000, and
the memory for all of them is taken when a conversation is opened."""
FEWEST_TOKENS, MOST_TOKENS = 8, 4096
"""Of one picture; llama.cpp resizes those with fewer or more."""
MAX_THREADS = 512


class GgufEngine:
    """A language model and its picture part, made by `load`. One thread at a time uses it and its
    conversations; each of these has a cache of its own."""

    def __init__(
        self,
        library: Native,
        opening: ContextSettings,
        sizing: Sizing,
        longest: int,
    ) -> None:
        vocabulary = GgufVocabulary(library, library.llama.llama_model_get_vocab(opening.model))
        self._library = library
        self._opening = opening
        self._lock = threading.Lock()
        self._conversations: list[GgufConversation] = []
        self._shared = SharedState(
            vocabulary=vocabulary,
            sizing=sizing,
            sees=opening.pictures is not None,
            context_length=opening.context_length,
            longest=longest,
            busy=self._busy,
            new_grammar=partial(CallGrammar, library, vocabulary.handle),
        )
        self._resources: ExitStack | None = None

    @classmethod
    def load(
        cls,
        model: Path,
        mmproj: Path | None = None,
        *,
        context_length: int | None = None,
        threads: int | None = None,
        gpu_layers: int = 0,
        sizing: Sizing | None = None,
    ) -> GgufEngine:
        """Load a model from local files. Without `mmproj` it reads text alone.

        `context_length` is in tokens. `gpu_layers` -1 puts all layers on the GPU where llama.cpp
        was built for one.
        """
        threads = default_threads() if threads is None else threads
        if not 1 <= threads <= MAX_THREADS:
            raise EngineError(f"{threads} threads are not usable")
        if context_length is not None and context_length < 1:
            raise EngineError(f"a context of {context_length} tokens is not usable")
        language = language_file(read_gguf_header(model))
        picture = None
        if mmproj is not None:
            picture = picture_file(read_gguf_header(mmproj), language)
        factor = QWEN25.factor if picture is None else picture.factor
        sizing = sizing or Sizing.of_tokens(factor)
        _refuse_resizing(sizing, factor)
        library = native()
        with ExitStack() as resources:
            words = _load_model(library, model, gpu_layers, resources)
            pictures = None
            if mmproj is not None:
                pictures = _load_pictures(library, mmproj, words, threads, gpu_layers, resources)
            opening = ContextSettings(
                model=words,
                pictures=pictures,
                factor=factor,
                context_length=min(language.longest, context_length or LONGEST_CONTEXT),
                threads=threads,
                is_f32=language.is_f32,
            )
            engine = cls(library, opening, sizing, language.longest)
            engine._resources = resources.pop_all()
            return engine

    @property
    def sizing(self) -> Sizing:
        return self._shared.sizing

    def open(self) -> GgufConversation:
        with self._busy():
            if self._resources is None:
                raise EngineError("the model was closed")
            context = GgufContext(self._library, self._opening, self._shared.vocabulary.size)
            conversation = GgufConversation(context, self._shared)
            still_open = [each for each in self._conversations if not each.is_closed]
            self._conversations = [*still_open, conversation]
            return conversation

    def close(self) -> None:
        """Free the model and all its conversations; a second time does nothing."""
        for conversation in self._conversations:
            conversation.close()
        with self._busy():
            resources, self._resources = self._resources, None
            if resources is not None:
                resources.close()

    @contextmanager
    def _busy(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise EngineError("the model is in use: one thread and one conversation at a time")
        try:
            yield
        finally:
            self._lock.release()


def default_threads(sharing: int = 1) -> int:
    """As many as there are processors for each of `sharing` processes, up to 8: reading memory is
    what takes the time then."""
    return max(1, min(8, (os.cpu_count() or 1) // sharing))


def _refuse_resizing(sizing: Sizing, factor: int) -> None:
    if sizing.factor != factor:
        raise EngineError(
            f"the model takes pictures in multiples of {factor} pixels, not {sizing.factor}"
        )
    if sizing.min_pixels < FEWEST_TOKENS * factor**2 or sizing.max_pixels > MOST_TOKENS * factor**2:
        raise EngineError(
            f"llama.cpp takes pictures of {FEWEST_TOKENS} to {MOST_TOKENS} tokens and would "
            "resize others"
        )


def _load_model(library: Native, path: Path, gpu_layers: int, resources: ExitStack) -> Any:
    llama = library.llama
    parameters = llama.llama_model_default_params()
    parameters.n_gpu_layers = gpu_layers
    # Builds for AMX processors by gcc 12 crash in their repacked Q8_0 code.
    parameters.use_extra_bufts = False
    library.forget_errors()
    model = llama.llama_model_load_from_file(os.fsencode(path), parameters)
    if not model:
        raise EngineError(f"llama.cpp could not load {path}{library.last_error()}")
    resources.callback(llama.llama_model_free, model)
    return model


def _load_pictures(
    library: Native, path: Path, model: Any, threads: int, gpu_layers: int, resources: ExitStack
) -> Any:
    mtmd = library.mtmd
    parameters = mtmd.mtmd_context_params_default()
    parameters.use_gpu = gpu_layers != 0
    parameters.n_threads = threads
    parameters.print_timings = False
    parameters.warmup = False  # it would encode a picture of 2,116 tokens
    # Half the time of a large picture, and no change in the answers that we could measure.
    parameters.flash_attn_type = library.llama.LLAMA_FLASH_ATTN_TYPE_ENABLED
    library.forget_errors()
    pictures = mtmd.mtmd_init_from_file(os.fsencode(path), model, parameters)
    if not pictures:
        raise EngineError(f"llama.cpp could not load {path}{library.last_error()}")
    resources.callback(mtmd.mtmd_free, pictures)
    if not mtmd.mtmd_support_vision(pictures):
        raise EngineError(f"{path} reads no pictures")
    return pictures
