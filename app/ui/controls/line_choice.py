"""Chooses which line sets are drawn: the task's own, others, and the user's lists."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QFileDialog, QWidget

from agent.spectra.lines import LineLists, load_line_lists
from app.ui.session_context import SessionContext
from app.ui.settings.settings import Settings
from app.ui.translation.data_texts import library_name
from app.ui.widgets.labels import (
    button,
    check_box,
    clear_layout,
    column,
    escape_mnemonics,
    row,
    with_key,
)


class LineChoice(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._view, self._current, self._runner = context.view, context.current, context.runner
        self._settings, self._keymap = context.settings, context.keymap
        self._lists: tuple[str, ...] | None = None
        """The user's lists that the check boxes were made from; None before they are read."""
        self._dialog: QFileDialog | None = None
        self.lines, self.labels = check_box(""), check_box("")
        self.boxes: dict[str, QCheckBox] = {}
        self.task_sets = button(self.tr("Task lines"))
        self.add_file = button(self.tr("Add line list…"))
        layout = column(row(self.lines, self.labels, 1, spacing=16), spacing=4, parent=self)
        self._column = column(spacing=2)
        layout.addLayout(self._column)
        layout.addLayout(row(self.task_sets, self.add_file, 1))
        self.lines.clicked.connect(partial(self._view.toggle, "lines"))
        self.labels.clicked.connect(partial(self._view.toggle, "labels"))
        self.task_sets.clicked.connect(partial(self._view.change, line_sets=None))
        self.add_file.clicked.connect(self._ask_for_file)
        context.view.changed.connect(self._show)
        context.keymap.changed.connect(self._show_keys)
        context.settings.changed.connect(self._load_lists)
        self._show_keys()
        self._load_lists(context.settings.settings)

    @property
    def chosen(self) -> frozenset[str]:
        """Names of the sets that are drawn while lines are switched on."""
        sets = self._view.options.line_sets
        return frozenset(self._current.session.task.lines) if sets is None else sets

    def add_list(self, path: str) -> None:
        """Read a line list of the user's, and keep it in the settings if that works."""
        paths = (*self._settings.settings.line_lists, path)
        load = partial(load_line_lists, [Path(each) for each in paths])
        self._runner.run(load, partial(self._keep, paths), self._current.report_error, owner=self)

    def _keep(self, paths: tuple[str, ...], lists: LineLists) -> None:
        """Keep the new list, and draw it at once."""
        before = set(self.boxes)
        self._lists = paths
        self._make_boxes(lists)
        self._settings.change(line_lists=paths)
        self._view.change(line_sets=self.chosen | (set(self.boxes) - before))

    def _load_lists(self, settings: Settings) -> None:
        if settings.line_lists == self._lists:
            return
        self._lists = settings.line_lists
        load = partial(load_line_lists, [Path(each) for each in self._lists])
        self._runner.run(load, self._make_boxes, self._current.report_error, owner=self)

    def _make_boxes(self, lists: LineLists) -> None:
        clear_layout(self._column)
        self.boxes = {
            each.name: check_box(escape_mnemonics(library_name(each.title))) for each in lists.sets
        }
        for key, box in self.boxes.items():
            box.clicked.connect(partial(self._choose, key))
            self._column.addWidget(box)
        self._show()

    def _choose(self, key: str, *_: object) -> None:
        chosen = self.chosen | {key} if self.boxes[key].isChecked() else self.chosen - {key}
        of_task = frozenset(self._current.session.task.lines)
        self._view.change(line_sets=None if chosen == of_task else chosen)

    def _show(self, *_: object) -> None:
        options = self._view.options
        self.lines.setChecked(options.lines)
        self.labels.setChecked(options.labels)
        self.labels.setEnabled(options.lines)
        self.task_sets.setEnabled(options.line_sets is not None)
        for key, box in self.boxes.items():
            box.setChecked(key in self.chosen)
            box.setEnabled(options.lines)

    def _show_keys(self) -> None:
        self.lines.setText(with_key(self.tr("Lines"), self._keymap.label("lines")))
        self.labels.setText(with_key(self.tr("Names"), self._keymap.label("labels")))

    def _ask_for_file(self) -> None:
        dialog = QFileDialog(self, self.tr("Add a line list"), "", self.tr("Line lists (*.toml)"))
        dialog.fileSelected.connect(self.add_list)
        dialog.finished.connect(dialog.deleteLater)
        self._dialog = dialog
        dialog.open()
