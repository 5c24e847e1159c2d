"""The task's guideline: the summary first, its sections folded below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from agent.tasks.guideline import Section, guideline_sections
from app.ui.controls.criteria_list import CriteriaList
from app.ui.session_context import SessionContext
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.guideline_text import frame_text, section_lines, section_title
from app.ui.widgets import section as folding
from app.ui.widgets.labels import short_label, wrapped_label

OPEN = frozenset({"summary", "primary"})
ORDER = (
    "summary", "primary", "answer_no", "secondary", "confirming", "states", "contaminants",
    "not_testable", "pitfalls",
)  # fmt: skip
"""Decisive sections first."""


class GuidelineCard(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        task = context.current.session.task
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self.parts: dict[str, folding.Section] = {}
        sections = {each.id: each for each in guideline_sections(task)}
        for key in ORDER:
            if key == "summary":
                layout.addWidget(_summary(sections[key]))
            elif key in sections:
                self.parts[key] = self._part(sections[key], context.current_theme)
                layout.addWidget(self.parts[key])
            if key == "primary":
                self.criteria = CriteriaList(context)
                self.parts[key].body.addWidget(self.criteria)
        layout.addWidget(wrapped_label(frame_text(), "dim"))

    def _part(self, section: Section, current_theme: CurrentTheme) -> folding.Section:
        is_open = section.id in OPEN
        part = folding.Section(section_title(section), current_theme, is_open=is_open, small=True)
        part.body.addWidget(_entries(section))
        part.set_note(str(len(section.lines)))
        return part


def _summary(section: Section) -> QWidget:
    return wrapped_label("\n".join(text for _, text in section_lines(section)).strip())


def _entries(section: Section) -> QWidget:
    """A bulleted list; an entry with a heading has it on a line of its own."""
    grid = QWidget()
    layout = QGridLayout(grid)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setHorizontalSpacing(6)
    layout.setVerticalSpacing(4)
    layout.setColumnStretch(1, 1)
    for head, rest in section_lines(section):
        row = layout.rowCount()
        if head:
            layout.addWidget(wrapped_label(head, "title"), row, 0, 1, 2)
            layout.addWidget(wrapped_label(rest), row + 1, 0, 1, 2)
            continue
        layout.addWidget(short_label("•", "dim"), row, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(wrapped_label(rest), row, 1)
    return grid
