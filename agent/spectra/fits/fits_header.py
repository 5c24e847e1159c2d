"""Parses FITS header cards leniently: survey files break the standard in small ways."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Iterable, Iterator
from functools import lru_cache

Value = str | int | float | bool

CARD = 80
COMMENTARY = (b"COMMENT ", b"HISTORY ", b"        ", b"END     ", b"CONTINUE")
_NUMBER_STARTS = frozenset("+-.0123456789")
_NUMBER_ENDS = frozenset(".0123456789")
LAYOUT = re.compile(
    r"(SIMPLE|XTENSION|BITPIX|NAXIS\d*|EXTEND|PCOUNT|GCOUNT|TFIELDS|T(TYPE|FORM|UNIT|DISP|NULL|"
    r"SCAL|ZERO|DIM|UCD|UTYP|DMIN|DMAX)\d+|CHECKSUM|DATASUM|EXTNAME|EXTVER|INHERIT)$"
)


class Header:
    """Cards by keyword, parsed on demand; the first of a repeated keyword wins.

    The headers of a survey file have about 600 cards, of which a reader needs 30: so cards are
    stored as bytes under their padded keyword.
    """

    def __init__(self, raw: bytes) -> None:
        raw = raw.ljust(-(-len(raw) // CARD) * CARD)
        # Last to first, so that the first of a repeated keyword stays in the dict.
        parts = _splitter(len(raw) // CARD).unpack(raw)
        self._cards: dict[bytes, bytes] = dict(zip(parts[-2::-2], parts[::-2], strict=True))
        for keyword in COMMENTARY:
            self._cards.pop(keyword, None)
        if self._cards.pop(b"HIERARCH", None) is not None:
            self._add_hierarch(raw)

    def _add_hierarch(self, raw: bytes) -> None:
        for start in range(0, len(raw), CARD):
            if raw.startswith(b"HIERARCH", start):
                keyword, _, rest = raw[start + 9 : start + CARD].partition(b"=")
                self._cards.setdefault(keyword.strip().ljust(8), b"= " + rest.lstrip())

    @classmethod
    def joined(cls, *headers: Header) -> Header:
        """Merge headers without layout cards; the first header with a keyword wins."""
        joined = cls(b"")
        for header in reversed(headers):
            cards = header._cards.items()
            joined._cards |= {key: card for key, card in cards if not LAYOUT.match(_name(key))}
        return joined

    def __contains__(self, keyword: str) -> bool:
        return _key(keyword) in self._cards

    def __iter__(self) -> Iterator[str]:
        return (_name(key) for key in reversed(self._cards))

    def survey_keys(self, most: int, longest: int) -> dict[str, Value]:
        """Printable keywords and values in the order of the file, without layout cards."""
        keys: dict[str, Value] = {}
        for key, card in reversed(self._cards.items()):
            name = _survey_key(key)
            value = _value(card) if name else None
            if value is None:
                continue
            if isinstance(value, str):
                value = printable(value, longest)
            keys[name] = value
            if len(keys) >= most:
                break
        return keys

    def cards(self, keys: Iterable[bytes]) -> tuple[bytes, ...]:
        """The text after these keywords (padded to 8 bytes), empty if they are missing."""
        return tuple([self._cards.get(key, b"") for key in keys])

    def value(self, keyword: str) -> Value | None:
        card = self._cards.get(_key(keyword))
        return None if card is None else _value(card)

    def text(self, keyword: str) -> str:
        """The value as stripped text, empty if it is missing or not text."""
        value = self.value(keyword)
        return value.strip() if isinstance(value, str) else ""

    def number(self, keyword: str) -> float | None:
        """A finite number, also if it is written as a string; else None."""
        value = self.value(keyword)
        if isinstance(value, str):
            value = _bare(value.strip())
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return None
        number = float(value)
        return number if math.isfinite(number) else None

    def integer(self, keyword: str) -> int | None:
        value = self.value(keyword)
        if isinstance(value, str):
            value = _bare(value.strip())
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def flag(self, keyword: str) -> bool | None:
        """A logical value, also if it is written as a string like 'T'; else None."""
        value = self.value(keyword)
        if isinstance(value, str):
            value = {"T": True, "TRUE": True, "F": False, "FALSE": False}.get(value.strip().upper())
        return value if isinstance(value, bool) else None


def text_of(card: bytes) -> str:
    """The text value of a card from `Header.cards`."""
    value = _value(card)
    return value.strip() if isinstance(value, str) else ""


@lru_cache(maxsize=16)
def _splitter(cards: int) -> struct.Struct:
    """Splits a header into keywords and the rest of their cards in one call."""
    return struct.Struct("8s72s" * cards)


@lru_cache(maxsize=4096)
def _key(keyword: str) -> bytes:
    return keyword.encode("latin-1", "replace").ljust(8)


@lru_cache(maxsize=4096)
def _name(key: bytes) -> str:
    return key.decode("latin-1").rstrip()


@lru_cache(maxsize=4096)
def _survey_key(key: bytes) -> str:
    """The printable keyword, empty for keywords that describe the layout of the file."""
    name = _name(key)
    return "" if LAYOUT.match(name) else printable(name, 60)


def printable(text: str, longest: int) -> str:
    """The text without control characters, cut to `longest` and stripped."""
    if len(text) <= longest and text.isprintable():
        return text.strip()
    return "".join(c if c.isprintable() else " " for c in text[:longest]).strip()


def _value(card: bytes) -> Value | None:
    """The value of a card without the eight bytes of its keyword."""
    text = card.decode("latin-1")
    if text[:1] != "=":
        return None
    if text[2:3] == "'":  # the usual position of text
        end = text.find("'", 3)
        if end > 0 and text[end + 1 : end + 2] != "'":
            return text[3:end].rstrip()
    body = text[1:].partition("/")[0].strip()
    return _quoted(text[1:].lstrip()) if body.startswith("'") else _bare(body)


def _quoted(body: str) -> str:
    end = 1
    while True:
        end = body.find("'", end)
        if end < 0:
            return body[1:].rstrip()
        if body[end + 1 : end + 2] != "'":
            return body[1:end].replace("''", "'").rstrip()
        end += 2


def _bare(body: str) -> Value | None:
    """A logical, a number or the text itself; 'inf', 'nan' and '1_0' are text in FITS."""
    if body in ("T", "F"):
        return body == "T"
    if body[:1] in _NUMBER_STARTS and body[-1:] in _NUMBER_ENDS and "_" not in body:
        if body.isdecimal() or (body[0] in "+-" and body[1:].isdecimal()):
            return int(body)
        try:
            return float(body)
        except ValueError:
            return _double(body)
    return body or None


def _double(body: str) -> float | str:
    """Parses 1.5D3, the double precision of Fortran."""
    try:
        return float(body.upper().replace("D", "E"))
    except ValueError:
        return body
