"""Chooses the task: the class to look for, shown with its guideline."""

import re
from functools import partial
from html import escape
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QFrame, QPushButton, QSizePolicy, QTextBrowser, QWidget

from agent.errors import ResourceError
from agent.tasks.catalogue import has_class, load_tasks, look_task
from agent.tasks.task import Task, guideline_sections
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme, Theme
from app.ui.base.translation.data_texts import (
    frame_text,
    labelled_line,
    section_lines,
    section_title,
    task_text,
)
from app.ui.base.translation.message_texts import translate_message
from app.ui.widgets.file_dialogs import choose_task_file
from app.ui.widgets.labels import column, flow, wrapped_label
from app.ui.widgets.page_parts import ProblemLine

Loaded = tuple[tuple[Task, ...], tuple[str, ...]]
"""Tasks, the one without a class last, and faults in task files."""


class TaskChooser(QFrame):
    """Nothing is preselected unless the name of the list gives the class away.

    The class of a session cannot be changed later, so the user has to choose it.
    """

    changed = Signal()

    def __init__(self, current_theme: CurrentTheme, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._runner, self._current_theme = runner, current_theme
        self._tasks: tuple[Task, ...] = ()
        self._files: tuple[Path, ...] = ()
        self._hint = ""
        self.setProperty("role", "card")
        title = wrapped_label(self.tr("What are you looking for?"), "title")
        self.box = QComboBox(placeholderText=self.tr("Choose a class"), minimumContentsLength=16)
        self.box.setAccessibleName(self.tr("Class to look for"))
        self.box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.box.currentIndexChanged.connect(self._show_guideline)
        self.file_button = QPushButton(self.tr("Task file…"))
        self.file_button.setProperty("role", "quiet")
        self.file_button.setToolTip(self.tr("Your own class, described in a task file"))
        self.file_button.clicked.connect(self._ask_for_file)
        self.problem = ProblemLine()
        self.guideline = QTextBrowser(openLinks=False)
        self.guideline.setFrameShape(QFrame.Shape.NoFrame)
        self.guideline.setAccessibleName(self.tr("Class guideline"))
        line = flow(self.box, self.file_button, spacing=8)
        margins = (16, 14, 16, 12)
        column(title, line, self.problem, (self.guideline, 1), margins=margins, parent=self)
        current_theme.changed.connect(self._show_guideline)
        self._show_guideline()

    @property
    def task(self) -> Task | None:
        number = self.box.currentIndex()
        return self._tasks[number] if 0 <= number < len(self._tasks) else None

    def load(self, hint: str = "") -> None:
        """Read the tasks; the name of the list is a `hint` to the class."""
        self._hint = hint
        load = partial(_load, self._files)
        self._runner.run(load, self._show_tasks, self.problem.show_error, owner=self)

    def _show_tasks(self, loaded: Loaded) -> None:
        before = self.task
        self._tasks, faults = loaded
        self.box.blockSignals(True)
        self.box.clear()
        for each in self._tasks:
            title = task_text(each.title)
            named = f"{title[:1].upper()}{title[1:]} · {each.id}"
            self.box.addItem(named if has_class(each) else self.tr("Just look, without a class"))
        ids = [each.id for each in self._tasks]
        chosen = before.id if before is not None else task_from_name(self._hint, ids)
        self.box.setCurrentIndex(ids.index(chosen) if chosen in ids else -1)
        self.box.blockSignals(False)
        self.problem.show_problem("\n".join(map(translate_message, faults)))
        self._show_guideline()

    def _ask_for_file(self) -> None:
        if (path := choose_task_file(self)) is not None:
            self.add_file(path)

    def add_file(self, path: Path) -> None:
        read = partial(_load, (*self._files, path), only=path)
        added, failed = partial(self._show_added, path), self.problem.show_error
        self._runner.run(read, added, failed, owner=self)

    def _show_added(self, path: Path, loaded: Loaded) -> None:
        self._files = (*self._files, path)
        self._show_tasks(loaded)
        paths = [each.path for each in self._tasks]
        if path in paths:
            self.box.setCurrentIndex(paths.index(path))

    def _show_guideline(self) -> None:
        if self.task is None:
            text = self.tr("The guideline of the class is shown here, as the agent reads it.")
            self.guideline.setHtml(f"<p>{escape(text)}</p>")
        elif not has_class(self.task):
            self.guideline.setPlainText(task_text(self.task.guideline.summary))
        else:
            self.guideline.setHtml(guideline_html(self.task, self._current_theme.theme))
        self.changed.emit()


def task_from_name(name: str, ids: list[str]) -> str:
    """The single class named in a file name such as `cv_candidates.csv`, or ""."""
    words = {word.casefold() for word in re.split(r"[^A-Za-z]+", name)}
    named = [each for each in ids if len(each) > 1 and each.casefold() in words]
    return named[0] if len(named) == 1 else ""


def guideline_html(task: Task, theme: Theme) -> str:
    """The guideline as HTML; all texts are escaped because task files may come from anyone."""
    parts = [f'<p style="margin: 0 0 8px">{escape(task_text(task.question))}</p>']
    for section in guideline_sections(task):
        if section.id != "summary":
            title = f"<b>{escape(section_title(section))}</b>"
            parts.append(f'<p style="margin: 10px 0 2px; color: {theme.accent}">{title}</p>')
        for head, text in section_lines(section):
            line = labelled_line(head, text)
            parts.append(f'<p style="margin: 0 0 4px">{escape(line)}</p>')
        if section.id == "summary":
            parts.append(f'<p style="margin: 0 0 4px">{escape(frame_text())}</p>')
    return "".join(parts)


def _load(files: tuple[Path, ...], only: Path | None = None) -> Loaded:
    """Load the tasks; a fault in `only` raises, faults in other files are returned."""
    faults: list[ResourceError] = []

    def collect(fault: ResourceError) -> None:
        if only is not None and str(only) in str(fault):
            raise fault
        faults.append(fault)

    return (*load_tasks(files, on_fault=collect), look_task()), tuple(map(str, faults))
