"""What llama.cpp has read in one conversation: its attention cache and where the next token stands.

Qwen's positions and the cache's cells count differently: a picture of 16 by 8 tokens takes 128
cells and moves the position by 16.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from agent.engines.base import Cancelled, ShouldStop
from agent.engines.gguf.native import Native
from agent.engines.gguf.vocabulary import Piece
from agent.engines.sampling import Logits
from agent.errors import EngineError

BATCH = 512
"""Tokens computed at once."""
ABORTED = 2
"""What llama.cpp's decode returns when it was told to stop."""


@dataclass(frozen=True)
class CachePosition:
    """How far the model has read: cells of the cache, and the position of the next token."""

    cells: int = 0
    position: int = 0

    def moved(self, tokens: int) -> CachePosition:
        """So many text tokens on, or back."""
        return CachePosition(self.cells + tokens, self.position + tokens)


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """What a context is made of. `pictures` is the loaded picture part, None without one."""

    model: Any
    pictures: Any
    factor: int
    context_length: int
    threads: int
    is_f32: bool


class GgufContext:
    """One cache; freed by `close`. One thread at a time."""

    def __init__(self, native: Native, opening: ContextSettings, vocabulary_size: int) -> None:
        self._llama, self._mtmd = native.llama, native.mtmd
        self._native = native
        self._opening = opening
        self._vocabulary_size = vocabulary_size
        self.place = CachePosition()
        self.evaluated = 0
        self._should_stop: ShouldStop | None = None
        self._raised: BaseException | None = None
        # both must outlive the context
        self._asked = self._llama.ggml_abort_callback(self._ask)
        self._unasked = self._llama.ggml_abort_callback()
        native.forget_errors()
        self._context: Any = self._llama.llama_init_from_model(opening.model, self._parameters())
        if not self._context:
            raise EngineError(
                f"there is no memory for a conversation of {opening.context_length} tokens: "
                f"try a shorter context{native.last_error()}"
            )
        self._memory = self._llama.llama_get_memory(self._context)
        self._batch = self._llama.llama_batch_init(BATCH, 0, 1)
        self._columns = _columns_of(self._batch)

    def read(self, pieces: Sequence[Piece], should_stop: ShouldStop | None = None) -> Logits:
        """Read text and pictures, text last, and return the logits after the last token.

        Nothing is kept where it fails or is cancelled.
        """
        before = self.place
        logits: Logits | None = None
        try:
            with self._stopping(should_stop):
                for piece in pieces:
                    if isinstance(piece, list):
                        logits = self._read_text(piece, all_logits=False)
                    else:
                        self.read_picture(piece)
        except BaseException:
            self.go_back(before)
            raise
        if logits is None:
            raise EngineError("there is nothing to read")
        return logits[-1]

    def read_all(self, ids: Sequence[int]) -> Logits:
        """Read text and return the logits after each token: (tokens, vocabulary)."""
        return self._read_text(ids, all_logits=True)

    def go_back(self, place: CachePosition) -> None:
        """Forget what was read after a place in this same conversation."""
        if not self._llama.llama_memory_seq_rm(self._memory, 0, place.position, -1):
            raise EngineError("llama.cpp could not forget the end of the conversation")
        self.place = place

    def close(self) -> None:
        if self._context is not None:
            self._llama.llama_batch_free(self._batch)
            self._llama.llama_free(self._context)
            self._context = self._memory = self._batch = None
            self._columns = ()

    def _parameters(self) -> Any:
        parameters = self._llama.llama_context_default_params()
        parameters.n_ctx = self._opening.context_length
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_threads = parameters.n_threads_batch = self._opening.threads
        # With it the answers drift from what was trained: by 0.4 in a logit after a large picture.
        parameters.flash_attn_type = self._llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if self._opening.is_f32:
            parameters.type_k = parameters.type_v = self._llama.GGML_TYPE_F32
        return parameters

    def _read_text(self, ids: Sequence[int], *, all_logits: bool) -> Logits:
        """Logits after the last token, or after each: (rows, vocabulary)."""
        rows = []
        for start in range(0, len(ids), BATCH):
            chunk = ids[start : start + BATCH]
            is_last = start + BATCH >= len(ids)
            tokens, positions, wanted = self._columns
            tokens[: len(chunk)] = chunk
            first = self.place.position
            positions[: len(chunk)] = np.arange(first, first + len(chunk))
            wanted[: len(chunk)] = all_logits
            wanted[len(chunk) - 1] = all_logits or is_last
            self._batch.n_tokens = len(chunk)
            self._refuse_stopped()
            self._check(self._llama.llama_decode(self._context, self._batch), "text")
            self._count(len(chunk), len(chunk))
            if all_logits or is_last:
                rows.append(self._outputs(len(chunk) if all_logits else 1))
        return np.concatenate(rows)

    def _outputs(self, count: int) -> Logits:
        """A copy of the logits that the last batch was asked for."""
        found = self._llama.llama_get_logits(self._context)
        shape = (count, self._vocabulary_size)
        return np.array(np.ctypeslib.as_array(found, shape=shape))

    def read_picture(self, picture: Image.Image) -> None:
        with self._chunk_of(picture) as chunk:
            self._refuse_stopped()
            code = self._mtmd.mtmd_encode_chunk(self._opening.pictures, chunk)
            if code != 0:
                raise EngineError(f"llama.cpp could not read a picture{self._native.last_error()}")
            self._refuse_stopped()
            after = self._llama.llama_pos(self.place.position)
            code = self._mtmd.mtmd_helper_decode_image_chunk(
                self._opening.pictures,
                self._context,
                chunk,
                self._mtmd.mtmd_get_output_embd(self._opening.pictures),
                self._llama.llama_pos(self.place.position),
                self._llama.llama_seq_id(0),
                BATCH,
                ctypes.byref(after),
                self._mtmd.mtmd_helper_post_decode_callback(),
                None,
            )
            self._check(code, "a picture")
            tokens = int(self._mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        self._count(tokens, after.value - self.place.position)

    @contextmanager
    def _chunk_of(self, picture: Image.Image) -> Iterator[Any]:
        """The picture prepared for the encoder; freed afterwards."""
        mtmd = self._mtmd
        pixels = np.ascontiguousarray(picture, dtype=np.uint8)
        data = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        bitmap = mtmd.mtmd_bitmap_init(picture.width, picture.height, data)
        chunks = mtmd.mtmd_input_chunks_init()
        try:
            part = mtmd.mtmd_input_part(text=None, bitmap=bitmap)
            parts = (ctypes.POINTER(mtmd.mtmd_input_part) * 1)(ctypes.pointer(part))
            code = mtmd.mtmd_tokenize_from_parts(self._opening.pictures, chunks, parts, 1, False)
            found = (
                mtmd.mtmd_input_chunks_get(chunks, number)
                for number in range(mtmd.mtmd_input_chunks_size(chunks))
            )
            # beside the picture come the control tokens around it, which we write ourselves
            images = [
                chunk
                for chunk in found
                if mtmd.mtmd_input_chunk_get_type(chunk) == mtmd.MTMD_INPUT_CHUNK_TYPE_IMAGE
            ]
            wanted = picture_tokens(picture, self._opening.factor)
            counts = [int(mtmd.mtmd_input_chunk_get_n_tokens(image)) for image in images]
            if code != 0 or counts != [wanted]:
                raise EngineError(
                    f"llama.cpp cuts a picture of {picture.width} x {picture.height} pixels into "
                    f"{counts} tokens instead of {wanted}"
                )
            yield images[0]
        finally:
            mtmd.mtmd_input_chunks_free(chunks)
            mtmd.mtmd_bitmap_free(bitmap)

    def _count(self, tokens: int, positions: int) -> None:
        self.place = CachePosition(self.place.cells + tokens, self.place.position + positions)
        self.evaluated += tokens

    def _check(self, code: int, what: str) -> None:
        if self._raised is not None:
            raise self._raised
        if code == ABORTED:
            raise Cancelled
        if code != 0:
            raise EngineError(
                f"llama.cpp could not compute {what} (code {code}){self._native.last_error()}"
            )

    @contextmanager
    def _stopping(self, should_stop: ShouldStop | None) -> Iterator[None]:
        """Have llama.cpp ask between two steps of its work."""
        if should_stop is None:
            yield
            return
        self._should_stop, self._raised = should_stop, None
        self._llama.llama_set_abort_callback(self._context, self._asked, None)
        try:
            yield
        finally:
            self._llama.llama_set_abort_callback(self._context, self._unasked, None)
            self._should_stop, self._raised = None, None

    def _ask(self, _: object) -> bool:
        """Called from native code, where an exception would be lost."""
        if self._raised is not None:
            return True
        try:
            return self._should_stop is not None and self._should_stop()
        except BaseException as error:
            self._raised = error
            return True

    def _refuse_stopped(self) -> None:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled


def picture_tokens(picture: Image.Image, factor: int) -> int:
    return (picture.width // factor) * (picture.height // factor)


def picture_positions(picture: Image.Image, factor: int) -> int:
    return max(picture.width, picture.height) // factor


def _columns_of(batch: Any) -> tuple[Any, ...]:
    """Views of a batch's tokens, positions and wishes for logits; all belong to sequence 0."""
    for number in range(BATCH):
        batch.n_seq_id[number] = 1
        batch.seq_id[number][0] = 0
    columns = (batch.token, batch.pos, batch.logits)
    return tuple(np.ctypeslib.as_array(column, shape=(BATCH,)) for column in columns)
