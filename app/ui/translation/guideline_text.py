"""The guideline of a task in the language of the window, as far as it is translated."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from agent.tasks.guideline import FRAME, Section
from app.ui.translation.data_texts import task_text

translate = QCoreApplication.translate
LABELLED = frozenset({"states", "contaminants"})
"""Sections whose lines start with a name and a colon."""


def section_title(section: Section) -> str:
    titles = {
        "primary": translate("guideline", "Primary"),
        "secondary": translate("guideline", "Secondary"),
        "confirming": translate("guideline", "Confirming"),
        "states": translate("guideline", "States"),
        "contaminants": translate("guideline", "Look-alikes"),
        "answer_no": translate("guideline", "Answer no when"),
        "not_testable": translate("guideline", "Not testable"),
        "pitfalls": translate("guideline", "Pitfalls"),
    }
    return titles.get(section.id, section.title)


def section_lines(section: Section) -> tuple[tuple[str, str], ...]:
    """Name (or "") and text of each line."""
    lines = (line.partition(": ") for line in section.lines if line != FRAME)
    if section.id in LABELLED:
        return tuple((task_text(name), task_text(text)) for name, _, text in lines)
    return tuple(("", task_text(line)) for line in section.lines if line != FRAME)


def labelled_line(name: str, text: str) -> str:
    if not name:
        return text
    line = translate("guideline", "{name}: {text}")
    return line.replace("{name}", name, 1).replace("{text}", text, 1)


def frame_text() -> str:
    return translate("guideline", "Vacuum wavelengths in Å, in the star's rest frame")
