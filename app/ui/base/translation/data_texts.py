"""Translations of texts in the bundled data, such as tasks.

A table is a text file of blocks separated by empty lines: one line of English and one line of the
other language. Texts without a translation stay English.
"""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication

from agent.tasks.task import FRAME, Section
from app.ui.base.translation.languages import LANGUAGES, translations_folder

SIMULATED = " (simulated)"
"""Suffix of the name of every bundled template, so that it is always marked as simulated."""
NONE: Mapping[str, str] = MappingProxyType({})

translate = QCoreApplication.translate
LABELLED = frozenset({"states", "contaminants"})
"""Sections whose lines start with a name and a colon."""


def window_language() -> str:
    """One of LANGUAGES; the loaded translation names its language."""
    named = QCoreApplication.translate("language", "en")
    return named if named in LANGUAGES else "en"


def window_table(table: str) -> Mapping[str, str]:
    """A table in the language of the window, by English text."""
    return load_table(table, window_language())


@cache
def load_table(table: str, language: str) -> Mapping[str, str]:
    if language == "en":
        return NONE
    path = translations_folder() / f"{table}_{language}.txt"
    text = path.read_text(encoding="utf-8")
    blocks = (block.splitlines() for block in text.split("\n\n"))
    lines = ([each for each in block if not each.startswith("#")] for block in blocks)
    return MappingProxyType({block[0]: block[1] for block in lines if len(block) == 2})


def task_text(text: str) -> str:
    """Translate a text of a bundled task; texts of other tasks stay as they are."""
    return window_table("tasks").get(text, text)


def service_text(text: str) -> str:
    """Translate a text about a service that can be asked, such as the name of a value."""
    return window_table("services").get(text, text)


def rubric_words(text: str) -> str:
    """Translate a question of the rubric of ratings, or what a score means."""
    return window_table("rubric").get(text, text)


def library_name(text: str) -> str:
    """Translate the name of a bundled line list or template; those of a user's stay as they are."""
    table, name = window_table("names"), text.removesuffix(SIMULATED)
    if name not in table:
        return text
    return table[name] + (table[SIMULATED] if name != text else "")


def key_in_address() -> str:
    """What to do with an address that contains a key or a password: it would be saved."""
    return translate(
        "agent", "Leave the key out of the address: put it in SPEC_O3_API_KEY or the system keyring"
    )


# The guideline of a task in the language of the window, as far as it is translated.
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
