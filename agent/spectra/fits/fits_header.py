"""FITS header cards as plain values. Lenient: survey files break the standard in small ways."""

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
    """Cards by keyword, each parsed only when asked for; the first of a repeated keyword wins.

    A survey file has some 600 cards in the headers a reader passes, of which it needs 30, so
    cards are kept as bytes under their padded keyword and nothing is done before it is wanted.
    """

    def __init__(self, raw: bytes) -> None:
        raw = raw.ljust(-(-len(raw) // CARD) * CARD)
        # Last to first, so that the first of a repeated keyword is the one that stays.
        parts = _cutter(len(raw) // CARD).unpack(raw)
        self._cards: dict[bytes, bytes] = dict(zip(parts[-2::-2], parts[::-2], strict=True))
        for keyword in COMMENTARY:
            self._cards.pop(keyword, None)
        if self._cards.pop(b"HIERARCH", None) is not None:
            self._add_hierarch(raw)

    def _add_hierarch(self, raw: bytes) -> None:
        for at in range(0, len(raw), CARD):
            if raw.startswith(b"HIERARCH", at):
                keyword, _, rest = raw[at + 9 : at + CARD].partition(b"=")
                self._cards.setdefault(keyword.strip().ljust(8), b"= " + rest.lstrip())

    @classmethod
    def joined(cls, *headers: Header) -> Header:
        """Cards of several headers; the first that has a keyword wins, layout cards aside."""
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
        """Printable keywords and values in the order of the file, layout cards left out."""
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
        """What stands behind these keywords (padded to 8), empty where missing."""
        return tuple([self._cards.get(key, b"") for key in keys])

    def value(self, keyword: str) -> Value | None:
        card = self._cards.get(_key(keyword))
        return None if card is None else _value(card)

    def text(self, keyword: str) -> str:
        """The value as stripped text, empty where it is missing or not text."""
        value = self.value(keyword)
        return value.strip() if isinstance(value, str) else ""

    def number(self, keyword: str) -> float | None:
        """A finite number, also where it was written as a string."""
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
        """A logical, or the strings 'T' and 'F' that some files write instead."""
        value = self.value(keyword)
        if isinstance(value, str):
            value = {"T": True, "TRUE": True, "F": False, "FALSE": False}.get(value.strip().upper())
        return value if isinstance(value, bool) else None


def text_of(card: bytes) -> str:
    """The text behind a keyword, as `Header.cards` gives it."""
    value = _value(card)
    return value.strip() if isinstance(value, str) else ""


@lru_cache(maxsize=16)
def _cutter(cards: int) -> struct.Struct:
    """Cuts a header into keywords and the rest of their cards in one go."""
    return struct.Struct("8s72s" * cards)


@lru_cache(maxsize=4096)
def _key(keyword: str) -> bytes:
    return keyword.encode("latin-1", "replace").ljust(8)


@lru_cache(maxsize=4096)
def _name(key: bytes) -> str:
    return key.decode("latin-1").rstrip()


@lru_cache(maxsize=4096)
def _survey_key(key: bytes) -> str:
    """A keyword made printable, '' for those that only describe the file's layout."""
    name = _name(key)
    return "" if LAYOUT.match(name) else printable(name, 60)


def printable(text: str, longest: int) -> str:
    """The text without control characters, cut where it is too long, stripped."""
    if len(text) <= longest and text.isprintable():
        return text.strip()
    return "".join(c if c.isprintable() else " " for c in text[:longest]).strip()


def _value(card: bytes) -> Value | None:
    """`card` is what stands behind the eight bytes of the keyword."""
    text = card.decode("latin-1")
    if text[:1] != "=":
        return None
    if text[2:3] == "'":  # the usual place of text
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
    """A logical, a number, or the words as they are. 'inf', 'nan' and '1_0' are no FITS numbers."""
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
    """1.5D3, as Fortran writes double precision."""
    try:
        return float(body.upper().replace("D", "E"))
    except ValueError:
        return body
