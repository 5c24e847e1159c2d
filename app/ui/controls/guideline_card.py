"""The task's guideline: the summary first, its sections folded below."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from agent.tasks.guideline import Section, guideline_sections
from app.ui.controls.criteria_list import CriteriaList
from app.ui.session_context import SessionContext
from app.ui.translation.guideline_text import frame_text, section_lines, section_title
from app.ui.widgets import section as folding
from app.ui.widgets.labels import column, short_label, wrapped_label

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
        layout = column(spacing=4, parent=self)
        self.parts: dict[str, folding.Section] = {}
        sections = {each.id: each for each in guideline_sections(task)}
        for key in ORDER:
            if key == "summary":
                summary = "\n".join(text for _, text in section_lines(sections[key]))
                layout.addWidget(wrapped_label(summary.strip()))
            elif key in sections:
                section, theme = sections[key], context.current_theme
                title, is_open = section_title(section), key in OPEN
                part = folding.Section(title, theme, is_open=is_open)
                part.body.addWidget(_entries(section))
                part.header.set_note(str(len(section.lines)))
                self.parts[key] = part
                layout.addWidget(part)
            if key == "primary":
                self.criteria = CriteriaList(context)
                self.parts[key].body.addWidget(self.criteria)
        layout.addWidget(wrapped_label(frame_text(), "dim"))


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
