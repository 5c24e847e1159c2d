"""What may be typed next in a filter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.queue.filter_parser import VERDICT_WORDS
from app.core.queue.filters import ANSWERS, BETWEEN, NUMBER_FIELDS, TEXT_FIELDS, THINGS
from app.ui.judging.flag_menu import FLAGS, STAR

LAST_WORD = re.compile(r'[^\s()"]*$')
VERDICTS = ("unjudged", *VERDICT_WORDS)
CHOICES = (
    *(f"verdict:{each}" for each in VERDICTS),
    *(f"any:{each}" for each in VERDICTS),
    *(f"agent:{each}" for each in ANSWERS),
    *(f"disagree:{each}" for each in BETWEEN),
    *(f"has:{each}" for each in THINGS),
    *(f"flag:{each}" for each in (STAR, *FLAGS)),
    *(f"{each}>" for each in NUMBER_FIELDS),
    *(f"{each}<" for each in NUMBER_FIELDS),
    *(f"{each}:" for each in TEXT_FIELDS),
)
MOST = 12


def completions(text: str, cursor: int, own_columns: Sequence[str] = ()) -> tuple[str, ...]:
    """For the word in front of the cursor; none for an empty one."""
    word = last_word(text, cursor).lower().removeprefix("-")
    if not word:
        return ()
    own = [f"own.{_quoted(name)}" for name in own_columns]
    every = (*CHOICES, *own)
    found = [each for each in every if each.lower().startswith(word) and each.lower() != word]
    inside = [each for each in every if word in each.lower()[1:] and each not in found]
    return (*found, *inside)[:MOST] if found or len(word) > 1 else ()


def completed(text: str, cursor: int, choice: str) -> tuple[str, int]:
    """The text with the word in front of the cursor replaced, and where the cursor is then."""
    word = last_word(text, cursor)
    minus = "-" if word.startswith("-") else ""
    start = text[: cursor - len(word)] + minus + choice
    return start + text[cursor:], len(start)


def last_word(text: str, cursor: int) -> str:
    match = LAST_WORD.search(text[:cursor])
    return match.group() if match else ""


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[^\W\d]\w*", name) else f'"{name}"'
