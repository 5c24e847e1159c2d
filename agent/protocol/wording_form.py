"""Phrases a class that a wording lacks in the form of those it has."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from agent.protocol.protocol import task_text
from agent.tasks.catalogue import bundled_task
from agent.tasks.guideline import guideline_text
from agent.tasks.task import Task

CALLED = {
    "CV": ("cataclysmic variable star", "cataclysmic variable"),
    "CS": ("carbon star",),
    "SS": ("s-type star", "s star"),
    "MG": ("m-type giant star", "m-type giant", "m giant star", "m giant"),
    "WD": ("white dwarf star", "white dwarf"),
}
"""What texts call a class, longer names first."""
_NAME, _ID = "{class}", "{id}"


def phrased(task: Task, texts: Mapping[str, str]) -> str:
    """The lines that all texts begin and end with, and between them our guideline.

    The name of a class counts as the same words in each text. Where the texts do not name their
    class in what they share, our question is asked; where there is one text only, all is ours.
    """
    forms = [_without_class(text, name) for name, text in texts.items()]
    if len(forms) < 2:
        return task_text(task)
    start = _shared(forms)
    end = _shared([form[len(start) :][::-1] for form in forms])[::-1]
    before, after = (_with_class("".join(lines), task) for lines in (start, end))
    asks = any(_NAME in line for line in (*start, *end))
    question = "" if asks else f"{task.question}\n\n"
    return f"{before}{question}{guideline_text(task)}\n{after}"


def names_of(task_id: str) -> tuple[str, ...]:
    """What a text may call a class, in lower case, longer names first."""
    task = bundled_task(task_id)
    own = () if task is None else (task.name.casefold(),)
    return tuple(dict.fromkeys((*CALLED.get(task_id, ()), *own)))


def _without_class(text: str, task_id: str) -> list[str]:
    """The lines, with their ends, without what only this class is called."""
    names = "|".join(map(re.escape, names_of(task_id)))
    if names:
        named = rf"\b(an?\s+)?(?:{names})(?=s?\b)"
        text = re.sub(named, lambda found: ("a " if found[1] else "") + _NAME, text, flags=re.I)
    text = re.sub(rf"\b{re.escape(task_id)}(?=s?\b)", _ID, text)
    return text.splitlines(keepends=True)


def _with_class(text: str, task: Task) -> str:
    article = "an" if re.match(r"[aeiou]|[fhlmnrsx]\b", task.name, re.I) else "a"
    text = text.replace(f"a {_NAME}", f"{article} {task.name}")
    return text.replace(_NAME, task.name).replace(_ID, task.id)


def _shared(forms: Sequence[Sequence[str]]) -> list[str]:
    """The first lines that are the same in all forms."""
    same = takewhile(lambda lines: len(set(lines)) == 1, zip(*forms, strict=False))
    return [lines[0] for lines in same]
