"""A filter's text cut into words, quoted texts, signs and brackets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from app.core.queue.filters import FilterError

TOKEN = re.compile(
    r"""
    (?P<space> \s+ )
  | (?P<open> \( )
  | (?P<close> \) )
  | (?P<compare> != | <= | >= | [:=<>~] )
  | (?P<quoted> " (?: [^"\\] | \\. )* " )
  | (?P<word> (?: [^\s()"!:=<>~] | !(?!=) )+ )
    """,
    re.VERBOSE,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    """Without its quotes."""
    place: int
    is_joined: bool
    """Follows the one before without a space."""


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    place, is_joined = 0, False
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            refuse(_unreadable(text[place]), place)
        kind, piece = match.lastgroup or "", match.group()
        if kind == "quoted":
            piece = re.sub(r"\\(.)", r"\1", piece[1:-1])
        if kind != "space":
            found.append(Token(kind, piece, place, is_joined))
        is_joined = kind != "space"
        place = match.end()
    return found


def _unreadable(letter: str) -> str:
    return 'a " is not closed' if letter == '"' else f"{letter!r} cannot stand here"


def refuse(message: str, place: int) -> NoReturn:
    raise FilterError(message, place)
