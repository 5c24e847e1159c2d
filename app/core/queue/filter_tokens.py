"""Splits a filter's text into words, quoted texts, operators and parentheses."""

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
    """Without quotes and escapes."""
    position: int
    is_joined: bool
    """True if no space separates it from the previous token."""


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    position, is_joined = 0, False
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            refuse(_unreadable(text[position]), position)
        kind, piece = match.lastgroup or "", match.group()
        if kind == "quoted":
            piece = re.sub(r"\\(.)", r"\1", piece[1:-1])
        if kind != "space":
            found.append(Token(kind, piece, position, is_joined))
        is_joined = kind != "space"
        position = match.end()
    return found


def _unreadable(letter: str) -> str:
    return 'a " has no matching "' if letter == '"' else f"unexpected {letter!r}"


def refuse(message: str, position: int) -> NoReturn:
    raise FilterError(message, position)
