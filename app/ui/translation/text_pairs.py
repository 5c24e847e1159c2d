"""Texts that come with the program's data, in the language of the window: tables of a line of
English, a line of the other language and an empty line. What they lack stays English."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication

from app.ui.translation.languages import LANGUAGES, translations

NONE: Mapping[str, str] = MappingProxyType({})


def window_language() -> str:
    """One of LANGUAGES: the translation says which one it is."""
    named = QCoreApplication.translate("language", "en")
    return named if named in LANGUAGES else "en"


def pairs(table: str) -> Mapping[str, str]:
    """By the English text."""
    return table_of(table, window_language())


@cache
def table_of(table: str, language: str) -> Mapping[str, str]:
    if language == "en":
        return NONE
    path = translations() / f"{table}_{language}.txt"
    text = path.read_text(encoding="utf-8")
    blocks = (block.splitlines() for block in text.split("\n\n"))
    lines = ([each for each in block if not each.startswith("#")] for block in blocks)
    return MappingProxyType({block[0]: block[1] for block in lines if len(block) == 2})


def task_words(text: str) -> str:
    """Of a bundled task; anybody's own stays as it is."""
    return pairs("tasks").get(text, text)
