"""The llama.cpp context of one conversation: its KV cache and the position of the next token.

Cells of the cache and Qwen's positions count differently: a picture of 16 by 8 tokens takes 128
cells and advances the position by 16.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from PIL import Image

from agent.engines.base import ShouldStop
from agent.engines.gguf.native import Native
from agent.engines.gguf.vocabulary import Piece
from agent.engines.local_conversation import CachePosition
from agent.engines.sampling import Logits
from agent.errors import Cancelled, EngineError

# Tokens per decode call
BATCH = 512
# The return code of `llama_decode` after an abort
ABORTED = 2


@dataclass(frozen=True, kw_only=True)
class ContextSettings:
    """What a context is created from; `vision` is the loaded vision part."""

    model: Any
    vision: Any
    factor: int
    context_length: int
    threads: int
    is_f32: bool


class GgufContext:
    """A KV cache for use by one thread at a time; freed by `close`."""

    def __init__(self, native: Native, settings: ContextSettings, vocabulary_size: int) -> None:
        self._llama, self._mtmd = native.llama, native.mtmd
        self._native = native
        self._settings = settings
        self._vocabulary_size = vocabulary_size
        self.end = CachePosition()
        self.evaluated = 0
        self._should_stop: ShouldStop | None = None
        self._raised: BaseException | None = None
        # llama.cpp keeps only the pointers: both callbacks must outlive the context
        self._abort_callback = self._llama.ggml_abort_callback(self._is_aborted)
        self._no_callback = self._llama.ggml_abort_callback()
        native.forget_errors()
        parameters = self._llama.llama_context_default_params()
        parameters.n_ctx = self._settings.context_length
        parameters.n_batch = parameters.n_ubatch = BATCH
        parameters.n_threads = parameters.n_threads_batch = self._settings.threads
        # flash attention shifts logits from those of training, by 0.4 after a large picture
        parameters.flash_attn_type = self._llama.LLAMA_FLASH_ATTN_TYPE_DISABLED
        if self._settings.is_f32:
            parameters.type_k = parameters.type_v = self._llama.GGML_TYPE_F32
        self._context: Any = self._llama.llama_init_from_model(settings.model, parameters)
        if not self._context:
            raise EngineError(
                f"not enough memory for a conversation of {settings.context_length} tokens; "
                f"try a shorter context{native.last_error()}"
            )
        self._memory = self._llama.llama_get_memory(self._context)
        self._batch = self._llama.llama_batch_init(BATCH, 0, 1)
        # Views of the batch's tokens, positions and logit flags; all are of sequence 0.
        for number in range(BATCH):
            self._batch.n_seq_id[number] = 1
            self._batch.seq_id[number][0] = 0
        columns = (self._batch.token, self._batch.pos, self._batch.logits)
        self._columns = tuple(np.ctypeslib.as_array(column, shape=(BATCH,)) for column in columns)

    def read(self, pieces: Sequence[Piece], should_stop: ShouldStop | None = None) -> Logits:
        """Read text and pictures, ending with text, and return the logits after the last token.

        A failure or cancellation leaves nothing behind.
        """
        before = self.end
        logits: Logits | None = None
        try:
            with self._stoppable(should_stop):
                for piece in pieces:
                    if isinstance(piece, list):
                        logits = self._read_text(piece, all_logits=False)
                    else:
                        self.read_picture(piece)
        except BaseException:
            self.rewind_to(before)
            raise
        if logits is None:
            raise EngineError("there are no tokens to read")
        return logits[-1]

    def read_text(self, ids: Sequence[int]) -> Logits:
        return self.read([list(ids)])

    def read_all(self, ids: Sequence[int]) -> Logits:
        return self._read_text(ids, all_logits=True)

    def rewind_to(self, position: CachePosition) -> None:
        if not self._llama.llama_memory_seq_rm(self._memory, 0, position.position, -1):
            raise EngineError(
                "llama.cpp could not remove the end of the conversation from its cache"
            )
        self.end = position

    def close(self) -> None:
        if self._context is not None:
            self._llama.llama_batch_free(self._batch)
            self._llama.llama_free(self._context)
            self._context = self._memory = self._batch = None
            self._columns = ()

    def _read_text(self, ids: Sequence[int], *, all_logits: bool) -> Logits:
        """Return the logits after the last token, or after each: (rows, vocabulary)."""
        rows = []
        for start in range(0, len(ids), BATCH):
            chunk = ids[start : start + BATCH]
            is_last = start + BATCH >= len(ids)
            tokens, positions, wants_logits = self._columns
            tokens[: len(chunk)] = chunk
            first = self.end.position
            positions[: len(chunk)] = np.arange(first, first + len(chunk))
            wants_logits[: len(chunk)] = all_logits
            wants_logits[len(chunk) - 1] = all_logits or is_last
            self._batch.n_tokens = len(chunk)
            self._check_stop()
            self._check(self._llama.llama_decode(self._context, self._batch), "text")
            self._advance(len(chunk), len(chunk))
            if all_logits or is_last:
                shape = (len(chunk) if all_logits else 1, self._vocabulary_size)
                logits = self._llama.llama_get_logits(self._context)
                rows.append(np.array(np.ctypeslib.as_array(logits, shape=shape)))
        return np.concatenate(rows)

    def read_picture(self, picture: Image.Image) -> None:
        with self._prepared(picture) as chunk:
            self._check_stop()
            code = self._mtmd.mtmd_encode_chunk(self._settings.vision, chunk)
            if code != 0:
                raise EngineError(f"llama.cpp could not read a picture{self._native.last_error()}")
            self._check_stop()
            after = self._llama.llama_pos(self.end.position)
            vision, callback = self._settings.vision, self._mtmd.mtmd_helper_post_decode_callback()
            encoded = self._mtmd.mtmd_get_output_embd(vision)
            place = self._llama.llama_pos(self.end.position), self._llama.llama_seq_id(0)
            end = ctypes.byref(after)
            code = self._mtmd.mtmd_helper_decode_image_chunk(
                vision, self._context, chunk, encoded, *place, BATCH, end, callback, None
            )
            self._check(code, "a picture")
            tokens = int(self._mtmd.mtmd_input_chunk_get_n_tokens(chunk))
        self._advance(tokens, after.value - self.end.position)

    @contextmanager
    def _prepared(self, picture: Image.Image) -> Iterator[Any]:
        """Yield the picture as a chunk for the encoder and free it afterwards."""
        mtmd = self._mtmd
        pixels = np.ascontiguousarray(picture, dtype=np.uint8)
        data = pixels.ctypes.data_as(ctypes.POINTER(ctypes.c_uint8))
        bitmap = mtmd.mtmd_bitmap_init(picture.width, picture.height, data)
        chunks = mtmd.mtmd_input_chunks_init()
        try:
            part = mtmd.mtmd_input_part(text=None, bitmap=bitmap)
            parts = (ctypes.POINTER(mtmd.mtmd_input_part) * 1)(ctypes.pointer(part))
            code = mtmd.mtmd_tokenize_from_parts(self._settings.vision, chunks, parts, 1, False)
            count, kind = mtmd.mtmd_input_chunks_size(chunks), mtmd.MTMD_INPUT_CHUNK_TYPE_IMAGE
            found = (mtmd.mtmd_input_chunks_get(chunks, number) for number in range(count))
            # mtmd also returns the control tokens around the picture, which we write ourselves
            images = [each for each in found if mtmd.mtmd_input_chunk_get_type(each) == kind]
            wanted = picture_tokens(picture, self._settings.factor)
            counts = [int(mtmd.mtmd_input_chunk_get_n_tokens(image)) for image in images]
            if code != 0 or counts != [wanted]:
                raise EngineError(
                    f"llama.cpp splits a picture of {picture.width} x {picture.height} pixels into "
                    f"{counts} tokens instead of {wanted}"
                )
            yield images[0]
        finally:
            mtmd.mtmd_input_chunks_free(chunks)
            mtmd.mtmd_bitmap_free(bitmap)

    def _advance(self, tokens: int, positions: int) -> None:
        self.end = CachePosition(self.end.tokens + tokens, self.end.position + positions)
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
    def _stoppable(self, should_stop: ShouldStop | None) -> Iterator[None]:
        """Let llama.cpp call `should_stop` while it computes."""
        if should_stop is None:
            yield
            return
        self._should_stop, self._raised = should_stop, None
        self._llama.llama_set_abort_callback(self._context, self._abort_callback, None)
        try:
            yield
        finally:
            self._llama.llama_set_abort_callback(self._context, self._no_callback, None)
            self._should_stop, self._raised = None, None

    def _is_aborted(self, _: object) -> bool:
        # Called from native code, where an exception would be lost: it is kept for `_check`.
        if self._raised is not None:
            return True
        try:
            return self._should_stop is not None and self._should_stop()
        except BaseException as error:
            self._raised = error
            return True

    def _check_stop(self) -> None:
        if self._should_stop is not None and self._should_stop():
            raise Cancelled


def picture_tokens(picture: Image.Image, factor: int) -> int:
    return (picture.width // factor) * (picture.height // factor)


def picture_positions(picture: Image.Image, factor: int) -> int:
    return max(picture.width, picture.height) // factor
