"""The measured inspector's sentences in the language of the window.

It always says the same with other numbers, so each sentence is known by its frame. A text of which
any part is not known stays English, whole: a model's own words are nobody's to change.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from app.ui.translation.text_pairs import pairs, table_of, window_language

PLACE = re.compile(r"\{(\w+?)\d?(?::[^}]*)?\}")
NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
A_NUMBER = re.compile(rf"(?<![\w.]){NUMBER}(?!\w)")
_TOKEN = r"(?:\[?[A-Z]\w*\]?|[+-]?\d+(?:\.\d+)?|b)"
NAMES = re.compile(rf"(?<!\w){_TOKEN}(?: {_TOKEN})*(?!\w)")
"""Of lines and bands, and numbers: the same in every language."""
HAN = "[\u4e00-\u9fff]"
OTHER_BEGIN, OTHER_END = r"[A-Za-zͰ-Ͽ\d\[]", r"[A-Za-zÅͰ-Ͽ\d\]%]"
MAX_TEXT = 20_000


def measured_words(text: str) -> str:
    """As it is where it is not the measured inspector's."""
    return text if not pairs("measured") else _said(text, window_language())


@lru_cache(maxsize=1024)
def _said(text: str, language: str) -> str:
    if len(text) > MAX_TEXT:
        return text
    return _book(language).text(text) or text


@cache
def _book(language: str) -> Phrasebook:
    return Phrasebook(table_of("tasks", language), table_of("measured", language))


@dataclass(frozen=True)
class SentencePattern:
    """A sentence or a part of one with places; `begin` is what stands before the first."""

    begin: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    said: str


def framed(english: str, other: str, after: str) -> SentencePattern:
    """`after` is what must follow, as a pattern."""
    pattern, end, names = "", 0, []
    for match in PLACE.finditer(english):
        name = match.group(1)
        inner = NUMBER if name == "n" else ".+?"
        pattern += re.escape(english[end : match.start()]) + f"({inner})"
        names.append(match.group(0))
        end = match.end()
    pattern += re.escape(english[end:])
    begin = english.partition("{")[0]
    return SentencePattern(begin, re.compile(pattern + after, re.DOTALL), tuple(names), other)


@dataclass(frozen=True, eq=False)
class Phrasebook:
    texts: Mapping[str, str]
    """Of the tasks."""
    phrases: Mapping[str, str]

    @cached_property
    def sentences(self) -> list[SentencePattern]:
        """The plainest last: it would take any."""
        found = [framed(*each, r"(?=\s|$)") for each in self.phrases.items() if each[0][-1] == "."]
        return sorted(found, key=lambda frame: frame.begin == "")

    @cached_property
    def ends(self) -> list[SentencePattern]:
        """What may follow a claim, and signs with their numbers."""
        parts = (each for each in self.phrases.items() if each[0].startswith(("{claim}", "{sign}")))
        return [framed(*each, "$") for each in parts]

    @cached_property
    def looks(self) -> list[str]:
        """Whole texts of tasks that are said as they are, the longest first."""
        return sorted((text for text in self.texts if text[-1] == "."), key=len, reverse=True)

    @cached_property
    def claims(self) -> dict[str, str]:
        """Templates of claims, without their numbers."""
        templates = (each for each in self.texts.items() if "{label}" in each[0])
        return {_bare(english): other for english, other in templates}

    @cached_property
    def labels(self) -> list[str]:
        whole = (text for text in self.texts if "{" not in text and text[-1] != ".")
        return sorted(whole, key=len, reverse=True)

    @cached_property
    def words(self) -> dict[str, str]:
        """Of signs and of labels: names and numbers left open."""
        return {PLACE.sub("{}", english): other for english, other in self.phrases.items()}

    def text(self, text: str) -> str | None:
        """None: some of it is not known."""
        found, place = [], 0
        while place < len(text):
            if text[place].isspace():
                place += 1
                continue
            told = self._next(text, place)
            if told is None:
                return None
            said, place = told
            found.append(said)
        return spaced("".join(found))

    def _next(self, text: str, place: int) -> tuple[str, int] | None:
        """One sentence, or the words of a task; and where it ends."""
        for look in self.looks:
            if text.startswith(look, place):
                return self.texts[look], place + len(look)
        for frame in self.sentences:
            if not text.startswith(frame.begin, place):
                continue
            match = frame.pattern.match(text, place)
            said = None if match is None else self._filled(frame, match)
            if match is not None and said is not None:
                return said, match.end()
        return None

    def _filled(self, frame: SentencePattern, match: re.Match[str]) -> str | None:
        said = frame.said
        for name, words in zip(frame.names, match.groups(), strict=True):
            told = self._inner(name.strip("{}0123456789"), words)
            if told is None:
                return None
            said = said.replace(name, told)
        return said

    def _inner(self, name: str, words: str) -> str | None:
        match name:
            case "n":
                return words
            case "label":
                return self.texts.get(words)
            case "labels":
                return self._labels(words)
            case "claims":
                told = [self.claim(each) for each in words.split("; ")]
                return None if None in told else "；".join(filter(None, told))
            case "claim":
                return self.claim(words)
        return self.phrase(words)

    def claim(self, words: str) -> str | None:
        """One finding with its numbers, at the begin of a sentence or within it."""
        small = words[:1].lower() + words[1:]
        for each in dict.fromkeys((small, words)):
            told = self._claim(each)
            if told is not None:
                return told
        return None

    def _claim(self, words: str) -> str | None:
        for label in self.labels:
            if label in words:
                other = self.claims.get(_bare(words.replace(label, "{label}", 1)))
                if other is not None:
                    value = A_NUMBER.search(words.replace(label, "", 1))
                    number = "" if value is None else value.group()
                    return _put(other, {"label": self.texts[label], "value": number})
        for frame in self.ends:
            match = frame.pattern.match(words)
            said = None if match is None else self._filled(frame, match)
            if said is not None:
                return said
        return None

    def phrase(self, words: str) -> str | None:
        """Kinds of objects, warnings, signs: exactly so, else with names and numbers left open."""
        if words in self.phrases:
            return self.phrases[words]
        if words in self.texts:
            return self.texts[words]
        if NAMES.fullmatch(words):
            return words
        other = self.words.get(NAMES.sub("{}", words))
        names = iter(NAMES.findall(words))
        return None if other is None else PLACE.sub(lambda _: next(names), other)

    def _labels(self, words: str) -> str | None:
        """Some have commas in them."""
        parts, found = words.split(", "), []
        while parts:
            for count in range(len(parts), 0, -1):
                told = self.texts.get(", ".join(parts[:count]))
                if told is not None:
                    found.append(told)
                    del parts[:count]
                    break
            else:
                return None
        return "、".join(found)


def spaced(text: str) -> str:
    """A space between Han and other letters, none between two of Han."""
    text = re.sub(rf"(?<={HAN}) (?={HAN})", "", text)
    return re.sub(rf"(?<={HAN})(?={OTHER_BEGIN})|(?<={OTHER_END})(?={HAN})", " ", text)


def _bare(template: str) -> str:
    """Without numbers and places for them; the label's place stays."""
    return A_NUMBER.sub("{}", re.sub(r"\{(?!label)[^}]*\}", "0", template))


def _put(other: str, words: Mapping[str, str]) -> str:
    return PLACE.sub(lambda match: words[match.group(1)], other)
