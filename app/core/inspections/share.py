"""A share of a list, such as the second of four, so that several machines can divide the work."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self

from sqlalchemy import ColumnElement

from app.core.database.tables import candidates
from app.core.errors import SessionError

MOST = 10_000


@dataclass(frozen=True)
class Share:
    """Every `of`-th candidate, from the `number`-th on, in the order of their import.

    Copies of one session agree about it, whatever was judged or merged in them meanwhile.
    """

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read "2/4"; raises SessionError."""
        found = re.fullmatch(r"(\d{1,5})/(\d{1,5})", text.strip(), re.ASCII)
        number, of = (int(part) for part in found.groups()) if found else (0, 0)
        if not 1 <= number <= of <= MOST:
            raise SessionError(f"{text[:40]!r} is no share: write 2/4 for the second of four")
        return cls(number, of)

    @property
    def condition(self) -> ColumnElement[bool]:
        """What is true of its candidates."""
        return candidates.c.id % self.of == self.number - 1
