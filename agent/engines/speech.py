"""The turn a model is saying, byte by byte: text as it comes, stop strings, watched places."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from agent.engines.base import OnText


class Speech:
    """Takes the bytes of one token at a time and passes text on as soon as letters are whole."""

    def __init__(self, stop: Sequence[str] = (), on_text: OnText | None = None) -> None:
        self._stop = tuple(as_bytes(text) for text in stop if text)
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._pieces: list[str] = []
        self._said = bytearray()
        self._ends: list[int] = []

    def add(self, token: bytes) -> bool:
        """True where the token completes a stop string; what it holds after that is dropped."""
        before = len(self._said)
        self._said += token
        end = self._stop_end(before)
        if end is not None:
            del self._said[end:]
        self._ends.append(len(self._said))
        self._pass_on(self._decoder.decode(bytes(self._said[before:])))
        return end is not None

    def finish(self) -> str:
        """The whole text; a letter cut in half becomes the replacement mark."""
        self._pass_on(self._decoder.decode(b"", final=True))
        return "".join(self._pieces)

    def ends_with(self, text: str) -> bool:
        return self._said.endswith(as_bytes(text))

    def end_of_last(self, text: str) -> int | None:
        """Where, in bytes, the last place that says `text` ends."""
        place = self._said.rfind(as_bytes(text))
        return None if place < 0 else place + len(as_bytes(text))

    def last_token(self) -> bytes:
        """What is kept of the last token."""
        start = self._ends[-2] if len(self._ends) > 1 else 0
        return bytes(self._said[start:])

    def tokens_before(self, end: int) -> tuple[int, str]:
        """How many whole tokens lie before a place, and the text between the last of them and it.

        As many as leave whole letters in between.
        """
        for count in range(len(self._ends), -1, -1):
            start = self._ends[count - 1] if count else 0
            if start <= end and (text := whole_letters(bytes(self._said[start:end]))) is not None:
                return count, text
        return 0, bytes(self._said[:end]).decode("utf-8", "replace")

    def __len__(self) -> int:
        """Bytes said."""
        return len(self._said)

    def _stop_end(self, before: int) -> int | None:
        ends = []
        for text in self._stop:
            place = self._said.find(text, max(0, before - len(text) + 1))
            if place >= 0:
                ends.append(place + len(text))
        return min(ends, default=None)

    def _pass_on(self, text: str) -> None:
        if text:
            self._pieces.append(text)
            if self._on_text is not None:
                self._on_text(text)


def as_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def whole_letters(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None
