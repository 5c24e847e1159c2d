"""A task's guideline as the window says it: headings in its language, texts where there are any."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.tasks.guideline import FRAME, Section
from app.ui.translation.text_pairs import task_words

translate = QCoreApplication.translate
NAMED = frozenset({"states", "contaminants"})
"""Sections whose lines begin with a name and a colon."""


def section_title(section: Section) -> str:
    titles = {
        "primary": translate("guideline", "Primary"),
        "secondary": translate("guideline", "Secondary"),
        "confirming": translate("guideline", "Confirming"),
        "states": translate("guideline", "States"),
        "contaminants": translate("guideline", "Taken for it"),
        "answer_no": translate("guideline", "Answer no when"),
        "not_testable": translate("guideline", "Not testable"),
        "pitfalls": translate("guideline", "Pitfalls"),
    }
    return titles.get(section.id, section.title)


def section_lines(section: Section) -> tuple[tuple[str, str], ...]:
    """Each as a name, empty where it has none, and its text."""
    lines = (line.partition(": ") for line in section.lines if line != FRAME)
    if section.id in NAMED:
        return tuple((task_words(name), task_words(text)) for name, _, text in lines)
    return tuple(("", task_words(line)) for line in section.lines if line != FRAME)


def named_line(name: str, text: str) -> str:
    """Both on one line."""
    if not name:
        return text
    line = translate("guideline", "{name}: {text}")
    return line.replace("{name}", name, 1).replace("{text}", text, 1)


def frame_words() -> str:
    """In which frame all wavelengths are given."""
    return translate("guideline", "Wavelengths in Å, in vacuum, at the star's rest")
