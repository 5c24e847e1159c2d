"""What an expert would tell a colleague about the class: short first, the rest folded."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from agent.tasks.guideline import Section, guideline_sections
from app.ui.session_context import SessionContext
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.guideline_words import frame_words, section_lines, section_title
from app.ui.widgets import section as folding
from app.ui.widgets.labels import name, words

OPEN = frozenset({"summary", "primary"})
ORDER = (
    "summary", "primary", "answer_no", "secondary", "confirming", "states", "contaminants",
    "not_testable", "pitfalls",
)  # fmt: skip
"""What decides comes first."""


class GuidelineCard(QWidget):
    """Of the session's task."""

    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        task = context.current.session.task
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.parts: dict[str, folding.Section] = {}
        found = {each.id: each for each in guideline_sections(task)}
        for key in ORDER:
            if key == "summary":
                layout.addWidget(_summary(found[key]))
            elif key in found:
                self.parts[key] = self._part(found[key], context.current_theme)
                layout.addWidget(self.parts[key])
        layout.addWidget(words(frame_words(), "dim"))

    def _part(self, found: Section, current_theme: CurrentTheme) -> folding.Section:
        is_open = found.id in OPEN
        part = folding.Section(section_title(found), current_theme, is_open=is_open, small=True)
        part.body.addWidget(_entries(found))
        part.set_note(str(len(found.lines)))
        return part


def _summary(found: Section) -> QWidget:
    return words("\n".join(text for _, text in section_lines(found)).strip())


def _entries(found: Section) -> QWidget:
    """One below the other, each with a dot; a name before a colon stands out."""
    grid = QWidget()
    layout = QGridLayout(grid)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(6)
    layout.setVerticalSpacing(4)
    layout.setColumnStretch(1, 1)
    for head, rest in section_lines(found):
        at = layout.rowCount()
        if head:
            layout.addWidget(words(head, "title"), at, 0, 1, 2)
            layout.addWidget(words(rest), at + 1, 0, 1, 2)
            continue
        dot = name("•", "dim")
        layout.addWidget(dot, at, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(words(rest), at, 1)
    return grid
