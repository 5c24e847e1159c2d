"""Encode and decode text with the vocabulary of a GGUF file.

The ids equal those of `chat_tokens` with the model's original tokenizer.
"""

import ctypes
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from PIL import Image

from agent.engines.gguf.native import Native
from agent.errors import EngineError
from agent.protocol.protocol import END_OF_TEXT, END_OF_TURN, MARKUP_TOKENS, Part, token_runs

CALL_TOKEN = "<tool_call>"

Piece = list[int] | Image.Image  # a run of text tokens, or a picture


class GgufVocabulary:
    """The vocabulary of a loaded model; `handle` is valid as long as the model.

    `end_tokens` end a turn; `suppressed` are tokens that a turn may not contain. `call_token`
    starts a tool call; None if the vocabulary has no such token, and calls are then unconstrained.
    """

    def __init__(self, native: Native, handle: Any) -> None:
        self._llama = native.llama
        self.handle = handle
        self.size = int(self._llama.llama_vocab_n_tokens(handle))
        self._bytes: dict[int, bytes] = {}
        self._control = {name: self._control_id(name) for name in (*MARKUP_TOKENS, END_OF_TEXT)}
        self.end_tokens = frozenset((self._control[END_OF_TURN], self._control[END_OF_TEXT]))
        # Control tokens other than end tokens, and unused ids.
        llama = self._llama
        silent = llama.LLAMA_TOKEN_ATTR_CONTROL | llama.LLAMA_TOKEN_ATTR_UNUSED
        silent |= llama.LLAMA_TOKEN_ATTR_UNKNOWN
        tokens = [token for token in range(self.size) if self._attributes(token) & silent]
        self.suppressed = np.setdiff1d(np.array(tokens, dtype=np.int64), [*self.end_tokens])
        call = self._tokenize(CALL_TOKEN, with_control=False)
        self.call_token = call[0] if len(call) == 1 else None

    def pieces(self, parts: Iterable[Part], pictures: Sequence[Image.Image] = ()) -> list[Piece]:
        """Encode chat parts as runs of tokens and pictures, in order."""
        pieces: list[Piece] = []
        ids: list[int] = []
        remaining = iter(pictures)
        for run in token_runs(parts):
            if run.picture is not None:
                pieces += [ids, next(remaining)]
                ids = []
            else:
                ids += [self._control[run.text]] if run.markup else self.plain_ids(run.text)
        return [piece for piece in (*pieces, ids) if not isinstance(piece, list) or piece]

    def text_ids(self, parts: Iterable[Part]) -> list[int]:
        """Encode chat parts that have no pictures."""
        return [token for piece in self.pieces(parts) if isinstance(piece, list) for token in piece]

    def plain_ids(self, text: str) -> list[int]:
        clean = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return self._tokenize(unicodedata.normalize("NFC", clean), with_control=False)

    def bytes_of(self, token: int) -> bytes:
        data = self._bytes.get(token)
        if data is None:
            data = self._bytes[token] = self._piece(token)
        return data

    def _tokenize(self, text: str, *, with_control: bool) -> list[int]:
        data = text.encode("utf-8")
        room = len(data) + 1
        ids = (ctypes.c_int32 * room)()
        count = self._llama.llama_tokenize(
            self.handle, data, len(data), ids, room, False, with_control
        )
        if count < 0:
            raise EngineError("llama.cpp could not tokenize the text")
        return list(ids[:count])

    def _piece(self, token: int) -> bytes:
        room = 256
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = self._llama.llama_token_to_piece(self.handle, token, buffer, room, 0, True)
            if length >= 0:
                return buffer.raw[:length]
            room = -length

    def _control_id(self, name: str) -> int:
        ids = self._tokenize(name, with_control=True)
        control = self._llama.LLAMA_TOKEN_ATTR_CONTROL
        if len(ids) != 1 or not self._attributes(ids[0]) & control:
            raise EngineError(
                f"the model's vocabulary lacks the control token {name}: not a Qwen chat model"
            )
        return ids[0]

    def _attributes(self, token: int) -> int:
        return int(self._llama.llama_vocab_get_attr(self.handle, token))
