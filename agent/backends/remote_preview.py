"""What is shown while a model speaks, over attempts that may break off."""

from __future__ import annotations

from agent.backends.base import RESTARTED, OnText


class Preview:
    """Passes pieces on. An attempt that says again what is shown already is silent until it says
    more; one that says something else is announced by RESTARTED. Carriage returns of the model are
    left out, so that RESTARTED cannot be mistaken."""

    def __init__(self, on_text: OnText | None) -> None:
        self._on_text = on_text
        self._shown = ""
        self._said = ""

    def start(self) -> None:
        """A new attempt."""
        self._said = ""

    def add(self, piece: str) -> None:
        piece = piece.replace("\r", "")
        if self._on_text is None or not piece:
            return
        if self._said == self._shown:
            self._said += piece
            self._show(piece, self._said)
            return
        self._said += piece
        if self._said.startswith(self._shown):
            self._show(self._said[len(self._shown) :], self._said)
        elif not self._shown.startswith(self._said):
            self._anew()

    def end(self) -> None:
        """The attempt is the last one; it may have said less than an earlier one."""
        if self._on_text is not None and self._said != self._shown:
            self._anew()

    def _anew(self) -> None:
        assert self._on_text is not None
        self._on_text(RESTARTED)
        self._show(self._said, self._said)

    def _show(self, piece: str, shown: str) -> None:
        assert self._on_text is not None
        self._shown = shown
        if piece:
            self._on_text(piece)
