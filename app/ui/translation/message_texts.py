"""Translates notes and errors of app.core and agent into the language of the window.

They are English sentences with names and numbers put in, so each is recognised by the pattern of an
entry in the table "messages". What is not recognised stays English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice

from app.ui.translation.data_texts import load_table, window_language, window_table

PLACE = re.compile(r"\{(n|x|what|why|rows)\d?\}")
"""Of a number; of a name, which stays; of texts that are translated as far as they are known."""
COUNTED = "rows"
"""The text there must be known, as in "3 rows"."""
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?"
GUESS = re.compile(r'; did you mean (".*?")\?$', re.DOTALL)
MAX_TEXT = 2000
DID_YOU_MEAN = "did you mean {x}?"
MAX_COLONS = 12
"""Each may be the one behind the name of an object."""


def translate_message(text: str) -> str:
    """Translate a note or error; one that is not known is returned unchanged."""
    if len(text) > MAX_TEXT or not window_table("messages"):
        return text
    return _translated(text, window_language())


@lru_cache(maxsize=256)
def _translated(text: str, language: str) -> str:
    return _messages(language).translated(text) or text


@cache
def _messages(language: str) -> Messages:
    return Messages(load_table("messages", language))


@dataclass(frozen=True)
class Pattern:
    """A message with places for names and numbers; `texts` are those around them."""

    texts: tuple[str, ...]
    regex: re.Pattern[str]
    places: tuple[str, ...]
    translation: str

    @classmethod
    def of(cls, english: str, translation: str) -> Pattern:
        parts = PLACE.split(english)  # texts and the kinds of places in turn
        texts, kinds = parts[::2], parts[1::2]
        inner = [f"({NUMBER})" if kind == "n" else "(.+?)" for kind in kinds]
        if not texts[0] and kinds[0] in ("x", COUNTED):  # what is named before is no part of it
            inner[0] = "((?:(?!: ).)+?)"
        escaped = [re.escape(text) for text in texts]
        regex = "".join(a + b for a, b in zip(escaped, [*inner, ""], strict=True))
        places = tuple(match.group() for match in PLACE.finditer(english))
        return cls(tuple(texts), re.compile(regex, re.DOTALL), places, translation)

    @property
    def said(self) -> int:
        """Characters outside the places: the message that says most is tried first."""
        return sum(map(len, self.texts))

    def groups(self, text: str) -> tuple[str, ...] | None:
        if not (text.startswith(self.texts[0]) and text.endswith(self.texts[-1])):
            return None
        match = self.regex.fullmatch(text)
        return None if match is None else match.groups()


@dataclass(frozen=True, eq=False)
class Messages:
    texts: Mapping[str, str]

    @cached_property
    def patterns(self) -> list[Pattern]:
        found = [Pattern.of(*each) for each in self.texts.items() if PLACE.search(each[0])]
        return sorted(found, key=lambda each: each.said, reverse=True)

    def translated(self, text: str) -> str | None:
        """The translation of a whole message, before which its object may be named."""
        guess = GUESS.search(text)
        if guess is None:
            return self.texts.get(text) or self._matched(text) or self._named(text)
        whole = self.translated(text[: guess.start()])
        question = self.texts[DID_YOU_MEAN].replace("{x}", guess[1])
        return None if whole is None else f"{whole}；{question}"

    def _matched(self, text: str) -> str | None:
        for pattern in self.patterns:
            groups = pattern.groups(text)
            filled = None if groups is None else self._filled(pattern, groups)
            if filled is not None:
                return filled
        return None

    def _named(self, text: str) -> str | None:
        """A message behind the name of its object, which may hold colons too."""
        for colon in islice(re.finditer(": ", text), MAX_COLONS):
            rest = text[colon.end() :]
            known = self.texts.get(rest) or self._matched(rest)
            if known is not None:
                return f"{text[: colon.start()]}：{known.lstrip()}"
        return None

    def _filled(self, pattern: Pattern, found: tuple[str, ...]) -> str | None:
        inner = {}
        for place, text in zip(pattern.places, found, strict=True):
            kind = place.strip("{}0123456789")
            known = text if kind in ("n", "x") else self.translated(text)
            if known is None and kind == COUNTED:
                return None
            inner[place] = text if known is None else known
        return PLACE.sub(lambda match: inner[match.group()], pattern.translation)
