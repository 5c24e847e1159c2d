"""Translates the measured inspector's sentences into the language of the window.

It writes fixed sentences with different numbers and names, so each is recognised by a pattern. If
any part is not recognised, the whole text stays English: it may be a model's own words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from agent.inspection.built_in import MEMBER
from app.ui.base.translation.data_texts import load_table, window_language, window_table

HYPHEN = re.compile(r"(?<![\w.])-(?=\d)")  # before a number, not between two
PLACEHOLDER = re.compile(r"\{(\w+?)\d?(?::[^}]*)?\}")
NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
A_NUMBER = re.compile(rf"(?<![\w.]){NUMBER}(?: ± {NUMBER})?(?!\w)")
_TOKEN = r"(?:\[?[A-Z]\w*\]?|[+-]?\d+(?:\.\d+)?|b)"
NAMES = re.compile(rf"(?<!\w){_TOKEN}(?: {_TOKEN})*(?!\w)")
"""Names of lines and bands, and numbers; they are the same in every language."""
HAN = "[\u4e00-\u9fff]"
OTHER_BEGIN, OTHER_END = r"[A-Za-zͰ-Ͽ\d\[]", r"[A-Za-zÅͰ-Ͽ\d\]%]"
CLAIM_BEGINS = ("{claim}", "{sign}", "no {sign}", "trace of {sign}")
MAX_TEXT = 20_000


def translate_measured_text(text: str) -> str:
    """Translate the text; one that is not the measured inspector's keeps its words.

    Negative numbers have a minus sign, as everywhere in the window.
    """
    own = _translated(text, window_language()) if window_table("measured") else text
    return HYPHEN.sub("−", own)


def translate_measured_name(name: str) -> str:
    """Translate the name of a number in a table; an unknown one is returned unchanged."""
    if not window_table("measured"):
        return name
    return _phrasebook(window_language()).phrase(name) or name


def translate_reason(reason: str) -> str:
    """Translate why a number was not measured; the name of what failed may stand before it."""
    name, colon, why = reason.rpartition(": ")
    return name + colon + translate_measured_name(why)


@lru_cache(maxsize=1024)
def _translated(text: str, language: str) -> str:
    if len(text) > MAX_TEXT:
        return text
    return _phrasebook(language).text(text) or text


@cache
def _phrasebook(language: str) -> Phrasebook:
    return Phrasebook(load_table("tasks", language), load_table("measured", language))


@dataclass(frozen=True)
class SentencePattern:
    """A sentence, or a part of one, with placeholders; `begin` is the text before the first one."""

    begin: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    translation: str


def sentence_pattern(english: str, other: str, after: str) -> SentencePattern:
    """Compile a sentence; `after` is a pattern of what must follow it."""
    pattern, end, names = "", 0, []
    for match in PLACEHOLDER.finditer(english):
        inner = NUMBER if match.group(1) == "n" else ".+?"
        pattern += re.escape(english[end : match.start()]) + f"({inner})"
        names.append(match.group(0))
        end = match.end()
    pattern += re.escape(english[end:])
    begin = english.partition("{")[0]
    return SentencePattern(begin, re.compile(pattern + after, re.DOTALL), tuple(names), other)


@dataclass(frozen=True, eq=False)
class Phrasebook:
    texts: Mapping[str, str]  # translated task texts
    phrases: Mapping[str, str]

    @cached_property
    def sentences(self) -> list[SentencePattern]:
        # A pattern that starts with a placeholder would match anything, so it comes last.
        whole = (each for each in self.phrases.items() if each[0][-1] == ".")
        found = [sentence_pattern(*each, r"(?=\s|$)") for each in whole]
        return sorted(found, key=lambda each: each.begin == "")

    @cached_property
    def ends(self) -> list[SentencePattern]:
        """Patterns of what may follow a claim, of lines, and of signs with numbers."""
        parts = (
            each
            for each in self.phrases.items()
            if each[0].startswith(CLAIM_BEGINS) or ", EW {n}" in each[0]
        )
        found = [sentence_pattern(*each, "$") for each in parts]
        # "no Hα emission" is no emission of a line called "no Hα".
        return sorted(found, key=lambda each: each.begin == "")

    @cached_property
    def remarks(self) -> list[SentencePattern]:
        """Patterns of what a number means for a kind of object."""
        parts = (each for each in self.phrases.items() if each[0].endswith(" {kind}"))
        return [sentence_pattern(*each, "$") for each in parts]

    @cached_property
    def looks(self) -> list[str]:
        """Task texts that are quoted unchanged, longest first."""
        return sorted((text for text in self.texts if text[-1] == "."), key=len, reverse=True)

    @cached_property
    def claims(self) -> dict[str, str]:
        """Translated claim templates, also without their conclusion, by their English text."""
        templates = {each: other for each, other in self.texts.items() if "{label}" in each}
        parts = ((_without_meaning(a), b.rpartition("：")[0]) for a, b in templates.items())
        known = {english: other for english, other in parts if english and other}
        return {_bare(english): other for english, other in (known | templates).items()}

    @cached_property
    def labels(self) -> list[str]:
        whole = (text for text in self.texts if "{" not in text and text[-1] != ".")
        return sorted(whole, key=len, reverse=True)

    @cached_property
    def words(self) -> dict[str, str]:
        """Translated phrases by their English text with placeholders for names and numbers."""
        return {PLACEHOLDER.sub("{}", english): other for english, other in self.phrases.items()}

    def text(self, text: str) -> str | None:
        """Translate a whole text; None if any part is not recognised."""
        found, position = [], 0
        while position < len(text):
            if text[position].isspace():
                position += 1
                continue
            sentence = self._next(text, position)
            if sentence is None:
                return None
            translation, position = sentence
            found.append(translation)
        return spaced("".join(found))

    def _next(self, text: str, position: int) -> tuple[str, int] | None:
        """Return the translation of the sentence at this position, and where it ends."""
        for look in self.looks:
            if text.startswith(look, position):
                return self.texts[look], position + len(look)
        for sentence in self.sentences:
            if not text.startswith(sentence.begin, position):
                continue
            match = sentence.pattern.match(text, position)
            translation = None if match is None else self._filled(sentence, match)
            if match is not None and translation is not None:
                return translation, match.end()
        return None

    def _filled(self, sentence: SentencePattern, match: re.Match[str]) -> str | None:
        text = sentence.translation
        for name, words in zip(sentence.names, match.groups(), strict=True):
            inner = self._inner(name.strip("{}0123456789"), words)
            if inner is None:
                return None
            text = text.replace(name, inner)
        return text

    def _inner(self, name: str, words: str) -> str | None:
        match name:
            case "n":
                return words
            case "label":
                return self.texts.get(words)
            case "labels":
                return self._labels(words)
            case "claims":
                claims = [self.claim(each) for each in words.split("; ")]
                return None if None in claims else "；".join(filter(None, claims))
            case "claim":
                return self.claim(words)
            case "remark":
                return self.remark(words)
        return self.phrase(words)

    def claim(self, words: str) -> str | None:
        """Translate one finding, which may start a sentence or be inside one."""
        small = words[:1].lower() + words[1:]
        found = (self._claim(each) for each in dict.fromkeys((small, words)))
        return next((each for each in found if each is not None), None)

    def _claim(self, words: str) -> str | None:
        for label in self.labels:
            if label in words:
                other = self.claims.get(_bare(words.replace(label, "{label}", 1)))
                if other is not None:
                    value = A_NUMBER.search(words.replace(label, "", 1))
                    number = "" if value is None else value.group()
                    return _put(other, {"label": self.texts[label], "value": number})
        for end in self.ends:
            match = end.pattern.match(words)
            translation = None if match is None else self._filled(end, match)
            if translation is not None:
                return translation
        return None

    def remark(self, words: str) -> str | None:
        """Translate what a number means: a phrase, or one about a kind of object."""
        for each in self.remarks:
            if (match := each.pattern.match(words)) is not None:
                return self._filled(each, match)
        return self.phrase(words)

    def phrase(self, words: str) -> str | None:
        """Translate an object type, warning or sign: verbatim, else apart from its names."""
        if words in self.phrases:
            return self.phrases[words]
        if words in self.texts:
            return self.texts[words]
        if NAMES.fullmatch(words):
            return words
        other = self.words.get(NAMES.sub("{}", words))
        names = iter(NAMES.findall(words))
        return None if other is None else PLACEHOLDER.sub(lambda _: next(names), other)

    def _labels(self, words: str) -> str | None:
        # A label may contain commas, so the longest match is tried first.
        parts, found = words.split(", "), []
        while parts:
            for count in range(len(parts), 0, -1):
                if (label := self.texts.get(", ".join(parts[:count]))) is not None:
                    found.append(label)
                    del parts[:count]
                    break
            else:
                return None
        return "、".join(found)


def spaced(text: str) -> str:
    """Put a space between Chinese and Latin text, and none within Chinese."""
    text = re.sub(rf"(?<={HAN}) (?={HAN})", "", text)
    return re.sub(rf"(?<={HAN})(?={OTHER_BEGIN})|(?<={OTHER_END})(?={HAN})", " ", text)


def _without_meaning(template: str) -> str:
    """A claim's template up to its conclusion; empty if it has none."""
    before, colon, meaning = template.rpartition(": ")
    return before if colon and "{" not in meaning else ""


def _bare(template: str) -> str:
    """Remove numbers and their placeholders; keep the placeholder of the label."""
    return A_NUMBER.sub("{}", re.sub(r"\{(?!label)[^}]*\}", "0", template))


def _put(other: str, words: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: words[match.group(1)], other)


def translate_panel_text(text: str) -> str:
    """Translate what is known of it; a member's own words that are not stay as they are."""
    if not window_table("measured") or len(text) > MAX_TEXT:
        return HYPHEN.sub("−", text)
    return "\n".join(map(_line, text.split("\n")))


def _line(line: str) -> str:
    found = MEMBER.fullmatch(line)
    if found is None or found["why"] is None:
        return translate_measured_text(line)
    name, said, why = found.group("name", "said", "why")
    return f"{name}：{said.replace(', ', '，')}：{translate_measured_text(why)}"
