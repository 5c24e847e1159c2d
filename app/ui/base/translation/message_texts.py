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

from app.ui.base.translation.data_texts import load_table, window_language, window_table

PLACE = re.compile(r"\{(n|x|what|why|rows)\d?\}")
"""A place in a message: {n} for a number, {x} for a name that is kept as it is, {what}, {why} and
{rows} for messages within the message, which are translated if they are known."""
COUNTED = "rows"  # a text in this place must be known, such as "3 rows", or the message is another
NUMBER = r"-?[\d,]+(?:\.\d+)?(?:e[+-]?\d+)?"
GUESS = re.compile(r'; did you mean (".*?")\?$', re.DOTALL)
DID_YOU_MEAN = "did you mean {x}?"
# A message may quote the names of a stranger's files, so the search for its parts is bounded, well
# above what our own messages need.
MAX_TEXT = 2000  # characters; a longer text stays English
MAX_DEPTH = 6  # messages within one another
MAX_PARTS = 12  # messages after one another
MAX_COLONS = 12  # places where the name of the object may end and the message begin


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


@dataclass(frozen=True, eq=False)
class Pattern:
    """A message with places for names and numbers, and its translation."""

    english: str
    translation: str

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The fixed texts around the places."""
        return tuple(PLACE.split(self.english)[::2])

    @cached_property
    def places(self) -> tuple[str, ...]:
        return tuple(match.group() for match in PLACE.finditer(self.english))

    @cached_property
    def regex(self) -> re.Pattern[str]:
        """Compiled only for a text that begins and ends alike: compiling all takes a while."""
        kinds = [place.strip("{}0123456789") for place in self.places]
        inner = [f"({NUMBER})" if kind == "n" else "(.+?)" for kind in kinds]
        if not self.texts[0] and kinds[0] in ("x", COUNTED):
            # "FILE: 3 rows ..." names an object first, which is no part of this place.
            inner[0] = "((?:(?!: ).)+?)"
        escaped = map(re.escape, self.texts)
        parts = (a + b for a, b in zip(escaped, [*inner, ""], strict=True))
        return re.compile("".join(parts), re.DOTALL)

    def groups(self, text: str) -> tuple[str, ...] | None:
        """What stands in the places of a text; None if it is not this message."""
        if not (text.startswith(self.texts[0]) and text.endswith(self.texts[-1])):
            return None
        if not all(each in text for each in self.texts[1:-1]):
            return None
        match = self.regex.fullmatch(text)
        return None if match is None else match.groups()


@dataclass(frozen=True, eq=False)
class Messages:
    """All messages of one language; `texts` are their translations by the English."""

    texts: Mapping[str, str]

    @cached_property
    def patterns(self) -> list[Pattern]:
        """The one with most fixed text first, as a short one may fit what a longer one says."""
        found = [Pattern(*each) for each in self.texts.items() if PLACE.search(each[0])]
        return sorted(found, key=lambda each: sum(map(len, each.texts)), reverse=True)

    def translated(self, text: str, depth: int = 0) -> str | None:
        """The translation of a message, in front of which its object may be named; or None."""
        if depth > MAX_DEPTH:
            return None
        guess = GUESS.search(text)
        if guess is None:
            inner = self._listed(text, depth) if depth else None
            return self._known(text, depth) or inner or self._named(text, depth)
        whole = self.translated(text[: guess.start()], depth + 1)
        question = self.texts[DID_YOU_MEAN].replace("{x}", guess[1])
        return None if whole is None else f"{whole}；{question}"

    def _known(self, text: str, depth: int) -> str | None:
        if text in self.texts:
            return self.texts[text]
        for pattern in self.patterns:
            groups = pattern.groups(text)
            filled = None if groups is None else self._filled(pattern, groups, depth)
            if filled is not None:
                return filled
        return None

    def _listed(self, text: str, depth: int) -> str | None:
        """Several messages after one another, such as why each reader refused a file."""
        parts = text.split("; ", MAX_PARTS)
        if not 1 < len(parts) <= MAX_PARTS:
            return None
        known = [self._known(part, depth) or self._named(part, depth) for part in parts]
        return None if None in known else "；".join(filter(None, known))

    def _named(self, text: str, depth: int) -> str | None:
        """A message behind the name of its object, which may hold colons too."""
        for colon in islice(re.finditer(": ", text), MAX_COLONS):
            if (known := self._known(text[colon.end() :], depth)) is not None:
                return f"{text[: colon.start()]}：{known.lstrip()}"
        return None

    def _filled(self, pattern: Pattern, found: tuple[str, ...], depth: int) -> str | None:
        inner = {}
        for place, text in zip(pattern.places, found, strict=True):
            kind = place.strip("{}0123456789")
            known = text if kind in ("n", "x") else self.translated(text, depth + 1)
            if known is None and kind == COUNTED:
                return None
            inner[place] = text if known is None else known
        return PLACE.sub(lambda match: inner[match.group()], pattern.translation)
