"""Keys that mean something only here: those of the strip on screen, and of the own fields."""

from __future__ import annotations

from collections.abc import Sequence

from app.ui.judging.fields.fields_row import FieldsRow
from app.ui.judging.key_strip import KeyStrip


class ExtraKeys:
    """The strip comes first, as it is only there for a moment."""

    def __init__(self, strip: KeyStrip, fields: FieldsRow) -> None:
        self._strip, self._fields = strip, fields

    def wants(self, keys: Sequence[str]) -> bool:
        return self._strip.wants(keys) or self._fields.wants(keys)

    def take(self, keys: Sequence[str]) -> None:
        if self._strip.wants(keys):
            self._strip.take(keys)
        else:
            self._strip.leave("")
            self._fields.take(keys)

    def leave(self, name: str) -> None:
        self._strip.leave(name)
