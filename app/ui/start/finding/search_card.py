"""The card that says what to search and where the table goes, and how far the search is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QFrame, QProgressBar, QWidget

from app.core.finding.processes import spare_processors
from app.core.finding.search import SearchState
from app.ui.base.translation.message_texts import translate_message
from app.ui.judge.agent.status_texts import duration_text
from app.ui.start.finding.search_thread import SearchOrder, SearchProgress
from app.ui.widgets.file_dialogs import choose_folder, choose_lists
from app.ui.widgets.file_field import FileField, is_folder, is_there
from app.ui.widgets.labels import (
    column,
    dialog_button,
    flow,
    narrow,
    row,
    short_label,
    show_or_hide,
    wrapped_label,
)
from app.ui.widgets.number_box import NumberBox

SUFFIX = ".find"
MOST_PROCESSES = 512


class SearchCard(QFrame):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self._proposed: Path | None = None
        self._has_table = self._is_searching = self._is_strange = False
        self.source = FileField(self.tr("Folder of spectra, or a list of them"), self._ask)
        self.list_button = dialog_button(self.tr("A list…"), self._ask_for_list, "quiet")
        self.trust = QCheckBox(self.tr("I trust this list or table: it may name spectra anywhere"))
        self.table = FileField(self.tr("Folder of the table"), self._ask)
        self.table.edit.setPlaceholderText(self.tr("beside the folder of spectra"))
        self.classes: dict[str, QCheckBox] = {}
        self._classes = flow(spacing=10)
        self.processes = NumberBox(self.tr("Processes"), low=1, high=MOST_PROCESSES, decimals=0)
        self.processes.show_value(spare_processors())
        self.start_button = dialog_button(self.tr("Start"), self._check, "primary")
        self.stop_button = dialog_button(self.tr("Stop"), self._check)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setAccessibleName(self.tr("Progress"))
        self.said = narrow(wrapped_label("", "dim"))
        self._lay_out()
        self.source.changed.connect(self._propose)
        self.show_searching(False)

    @property
    def trusts(self) -> bool:
        return self.trust.isChecked() and not self.trust.isHidden()

    @property
    def order(self) -> SearchOrder | None:
        """None while the fields do not make sense."""
        table, source = self.table.path, self.source.path
        tasks = tuple(each for each, box in self.classes.items() if box.isChecked())
        has_source = self._has_table if source is None else is_there(source)
        if table is None or not has_source or not (tasks or self._has_table):
            return None
        processes = round(self.processes.value or 1)
        return SearchOrder(
            table=table.absolute(), source=source, tasks=tasks, processes=processes,
            trust_paths=self.trusts,
        )  # fmt: skip

    def show_classes(self, titles: Mapping[str, str]) -> None:
        """Offer these classes, all of them ticked."""
        for each, title in titles.items():
            box = self.classes[each] = QCheckBox(each)
            box.setChecked(True)
            box.setToolTip(title)
            box.setAccessibleDescription(title)
            box.toggled.connect(self._check)
            self._classes.addWidget(box)
        self._check()

    def show_table(self, tasks: Collection[str] | None) -> None:
        """The classes that a table was made for cannot be changed; None if there is none yet."""
        self._has_table = tasks is not None
        for each, box in self.classes.items():
            box.setVisible(tasks is None or each in tasks)
            if tasks is not None:
                with QSignalBlocker(box):
                    box.setChecked(each in tasks)
        self._check()

    def offer_trust(self) -> None:
        """For a table of somebody else, whose spectra are in folders that nobody searched here."""
        self._is_strange = True
        self._check()

    def show_searching(self, on: bool) -> None:
        self._is_searching = on
        self.start_button.setVisible(not on)
        self.stop_button.setVisible(on)
        self.stop_button.setEnabled(on)
        self.bar.setVisible(on)
        self.bar.setRange(0, 0)
        self._say(*([self.tr("Starting the processes…")] if on else []))
        self._check()

    def show_stopping(self) -> None:
        self.stop_button.setEnabled(False)
        self._say(self.tr("Stopping: what was found is written"))

    def show_progress(self, progress: SearchProgress) -> None:
        if not (self._is_searching and self.stop_button.isEnabled()):
            return
        if progress.total:
            self.bar.setRange(0, progress.total)
            self.bar.setValue(min(progress.done, progress.total))
        lines = [self._counts(progress.state)]
        if progress.total is not None and progress.done <= progress.total:
            text = self.tr("{done} of {total}").replace("{total}", f"{progress.total:,}")
            lines = [text.replace("{done}", f"{progress.done:,}"), *lines]
        speed = []
        if progress.rate is not None:
            speed.append(self.tr("{n} a second").replace("{n}", f"{progress.rate:.0f}"))
        if progress.seconds_left is not None:
            left = duration_text(progress.seconds_left)
            speed.append(self.tr("{time} left").replace("{time}", left))
        lines += [" · ".join(speed)] if speed else []
        if progress.state.problem:
            text = self.tr("Waiting, nothing can be written: {why}")
            lines.append(text.replace("{why}", translate_message(progress.state.problem)))
        self._say(*lines)

    def show_end(self, state: SearchState, *, is_stopped: bool) -> None:
        text = self.tr("All of it has been looked at")
        if is_stopped:
            text = self.tr("Stopped. Start again to go on where it was.")
        lines = [text, self._counts(state)]
        if state.problem:
            text = self.tr("The last ones could not be written, and come again: {why}")
            lines.append(text.replace("{why}", translate_message(state.problem)))
        self._say(*lines)

    def _counts(self, state: SearchState) -> str:
        parts = [
            self.tr("{n} looked at").replace("{n}", f"{state.looked_at:,}"),
            self.tr("{n} in full").replace("{n}", f"{state.measured:,}"),
            self.tr("{n} not read").replace("{n}", f"{state.unread:,}"),
        ]
        if state.known:
            parts.append(self.tr("{n} from before").replace("{n}", f"{state.known:,}"))
        return " · ".join(parts)

    def _say(self, *lines: str) -> None:
        show_or_hide(self.said, "\n".join(lines))

    def _lay_out(self) -> None:
        title = short_label(self.tr("Search"), "title")
        what = wrapped_label(self.tr("Classes"), "dim")
        processes = row(short_label(self.tr("Processes"), "dim"), self.processes, 1)
        processes.addWidget(self.start_button)
        processes.addWidget(self.stop_button)
        source = self.source, row(self.list_button, 1), self.trust
        parts = title, *source, self.table, what, self._classes, processes, self.bar, self.said
        column(*parts, margins=(14, 12, 14, 12), parent=self)

    def _propose(self) -> None:
        """Unless another was named, the table goes beside what is searched."""
        source = self.source.path
        proposed = source and source.name and source.with_name(source.name + SUFFIX)
        if proposed and self.table.path in (None, self._proposed):
            self._proposed = proposed
            self.table.set_path(proposed)
        self._check()

    def _check(self) -> None:
        source = self.source.path
        is_list = source is not None and is_there(source) and not is_folder(source)
        self.trust.setVisible(is_list or self._is_strange)
        text = self.tr("Go on") if self._has_table else self.tr("Start")
        self.start_button.setText(text)
        self.start_button.setEnabled(not self._is_searching and self.order is not None)
        for part in (self.source, self.list_button, self.trust, self.table, self.processes):
            part.setEnabled(not self._is_searching)
        for box in self.classes.values():
            box.setEnabled(not (self._is_searching or self._has_table))

    def _ask(self, _: Path | None) -> Path | None:
        return choose_folder(self)

    def _ask_for_list(self) -> None:
        if paths := choose_lists(self):
            self.source.set_path(paths[0])
