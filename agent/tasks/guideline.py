"""A task's guideline as sections for the window and as plain text for the prompt."""

from __future__ import annotations

from dataclasses import dataclass

from agent.tasks.task import Task

FRAME = "Wavelengths are in Å, in vacuum, as plotted, for a source at rest."


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and its lines. `id` is the same in every language; `title` is English."""

    id: str
    title: str
    lines: tuple[str, ...]


def guideline_sections(task: Task) -> tuple[Section, ...]:
    """The non-empty sections, in reading order."""
    guideline = task.guideline
    states = tuple(f"{state.name}: {state.text}" for state in guideline.states)
    contaminants = tuple(f"{other.name}: {other.differs}" for other in task.contaminants)
    sections = (
        Section(id="summary", title="Target", lines=(guideline.summary, FRAME)),
        Section(id="primary", title="Primary indicators", lines=guideline.primary),
        Section(id="secondary", title="Secondary indicators", lines=guideline.secondary),
        Section(id="confirming", title="Confirming indicators", lines=guideline.confirming),
        Section(id="states", title="States", lines=states),
        Section(id="contaminants", title="Contaminants", lines=contaminants),
        Section(id="answer_no", title="When to answer NO", lines=guideline.answer_no),
        Section(id="not_testable", title="Not testable", lines=guideline.not_testable),
        Section(id="pitfalls", title="Pitfalls", lines=guideline.pitfalls),
    )
    return tuple(section for section in sections if section.lines)


def guideline_text(task: Task) -> str:
    """The guideline as plain text: the summary, then each section as a list."""
    blocks = []
    for section in guideline_sections(task):
        if section.id == "summary":
            blocks.append("\n".join(section.lines))
        else:
            lines = (f"- {line}" for line in section.lines)
            blocks.append("\n".join((f"{section.title}:", *lines)))
    return "\n\n".join(blocks)
