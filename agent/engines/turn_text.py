"""The text of a turn while it is generated: streaming, stop strings and token offsets."""

import codecs
from collections.abc import Iterable, Sequence
from typing import AnyStr

from agent.engines.base import OnText


class TurnText:
    """Collects the bytes of tokens and passes text on as soon as its characters are complete."""

    def __init__(self, stop: Sequence[str] = (), on_text: OnText | None = None) -> None:
        self._stop = tuple(as_bytes(text) for text in stop if text)
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._data = bytearray()
        self._ends: list[int] = []

    def add(self, token: bytes) -> bool:
        """Add a token; True if it completes a stop string, and the bytes after that are dropped."""
        before = len(self._data)
        self._data += token
        end = stop_end(bytes(self._data), len(token), self._stop)
        if end is not None:
            del self._data[end:]
        self._ends.append(len(self._data))
        self._emit(self._decoder.decode(bytes(self._data[before:])))
        return end is not None

    def finish(self) -> str:
        """Return the whole text; an incomplete character becomes U+FFFD."""
        self._emit(self._decoder.decode(b"", final=True))
        return "".join(self._pieces)

    @property
    def said(self) -> bytes:
        return bytes(self._data)

    def ends_with(self, text: str) -> bool:
        return self._data.endswith(as_bytes(text))

    def end_of_last(self, text: str) -> int | None:
        """Return the byte offset after the last occurrence of `text`."""
        start = self._data.rfind(as_bytes(text))
        return None if start < 0 else start + len(as_bytes(text))

    def last_token(self) -> bytes:
        """Return the bytes of the last token up to a stop string."""
        start = self._ends[-2] if len(self._ends) > 1 else 0
        return bytes(self._data[start:])

    def tokens_before(self, end: int) -> tuple[int, str]:
        """Return the number of tokens before a byte offset and the text from the last one to it.

        Takes as many tokens as possible such that this text has only complete characters.
        """
        for count in range(len(self._ends), -1, -1):
            start = self._ends[count - 1] if count else 0
            text = decode_if_complete(bytes(self._data[start:end])) if start <= end else None
            if text is not None:
                return count, text
        return 0, bytes(self._data[:end]).decode("utf-8", "replace")

    def __len__(self) -> int:
        """The length in bytes."""
        return len(self._data)

    def _emit(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)


def stop_end(text: AnyStr, new: int, stop: Iterable[AnyStr]) -> int | None:
    """Return where the first stop string that reaches into the last `new` characters ends."""
    begin = len(text) - new + 1
    starts = ((word, text.find(word, max(0, begin - len(word)))) for word in stop if word)
    return min((start + len(word) for word, start in starts if start >= 0), default=None)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def decode_if_complete(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
