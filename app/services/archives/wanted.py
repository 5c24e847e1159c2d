"""What a row of a list says about the spectrum that is wanted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

MAX_DIGITS = 20
_PLATE_NAME = re.compile(r"spec-(\d{4,5})-(\d{5})-(\d{4})")
_FIELD_NAME = re.compile(r"spec-(\d{5,6})-(\d{5})-(\d{5,11})")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """`ids` are the numbers of the row by the lower-case names of their columns."""

    line: int = 0
    object_id: str = ""
    ra: float | None = None
    dec: float | None = None
    ids: Mapping[str, str] = field(default_factory=dict)

    def text(self, *names: str) -> str:
        """The first that is given of these columns."""
        return next((text for name in names if (text := self.ids.get(name, "").strip())), "")

    def number(self, *names: str) -> int | None:
        """The whole number in the first that is given of these columns; none if it is negative."""
        text = self.text(*names)
        text = text.removesuffix(".0")
        is_number = text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS
        return int(text) if is_number else None


def with_name_of_file(wanted: Wanted, stem: str) -> Wanted:
    """The same with the numbers that the name of an SDSS file holds, where the row gives none."""
    if match := _PLATE_NAME.fullmatch(stem):
        found = dict(zip(("plate", "mjd", "fiberid"), match.groups(), strict=True))
    elif match := _FIELD_NAME.fullmatch(stem):
        found = dict(zip(("field", "mjd", "catalogid"), match.groups(), strict=True))
    else:
        return wanted
    return replace(wanted, ids={**found, **{k: v for k, v in wanted.ids.items() if v}})
