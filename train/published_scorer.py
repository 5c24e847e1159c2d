"""Reads verdict and form of an inspection as the scorer of the published weights does.

It is laxer than ours. It reads the whole conversation as one text: tags are counted over all of it,
YES and NO are read in either case, the first of several boxes counts, and an answer without a box
is searched for the words.
"""

from __future__ import annotations

import re

from agent.protocol.reply import Verdict
from train.reward import Reading

VERDICTS: tuple[Verdict, Verdict] = ("YES", "NO")
_ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
_BOX = re.compile(r"\\boxed\{([^}]*)\}")
_WORDS = [(each, re.compile(rf"\b{each}\b", re.IGNORECASE)) for each in VERDICTS]


def read_as_published(text: str) -> Reading:
    """Verdict and form of everything after the prompt, the tool's replies included."""
    answers = _ANSWER.findall(_up_to_last("</answer>", text))
    boxed = _first_box(answers[-1]) if answers else None
    is_well_formed = (
        0 < text.count("<think>") == text.count("</think>")
        and text.count("<answer>") == text.count("</answer>") == len(answers) == 1
        and _as_verdict(boxed) is not None
    )
    if boxed:
        # A box with any other word is an answer, too, and a wrong one.
        return Reading(_as_verdict(boxed), is_well_formed)
    said = _first_word(answers[-1]) if answers and boxed is None else None
    if said is None:
        anywhere = _first_box(text)
        said = _as_verdict(anywhere) if anywhere else _first_word(text)
    return Reading(said, is_well_formed)


def _up_to_last(end: str, text: str) -> str:
    # A regular expression would search the rest of the text again from every opening without end.
    return text[: text.rfind(end) + len(end)] if end in text else ""


def _first_box(text: str) -> str | None:
    found = _BOX.search(_up_to_last("}", text))
    return None if found is None else found[1].strip()


def _as_verdict(word: str | None) -> Verdict | None:
    return next((each for each in VERDICTS if word is not None and word.upper() == each), None)


def _first_word(text: str) -> Verdict | None:
    """YES if that word occurs anywhere, else NO if that one does."""
    return next((each for each, word in _WORDS if word.search(text)), None)
