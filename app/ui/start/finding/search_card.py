"""The left side of the dialog: what to search, how far that is, and what to choose of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QProgressBar, QWidget

from app.core.finding.choice import ODD, ChoiceRule
from app.core.finding.looking import FLAGS
from app.core.finding.processes import spare_processors
from app.core.finding.search import SearchState
from app.ui.base.translation.fill_in import fill_in
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
NUMBER, RECALL, PURITY = "keep", "recall", "purity"
USUAL_COUNT, USUAL_PERCENT = 100, {RECALL: 99.0, PURITY: 50.0}


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
            text = self.tr("{done} of {total}")
            lines.insert(0, fill_in(text, done=progress.done, total=progress.total))
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
            fill_in(self.tr("{n} looked at"), n=state.looked_at),
            fill_in(self.tr("{n} in full"), n=state.measured),
            fill_in(self.tr("{n} not read"), n=state.unread),
        ]
        if state.known:
            parts.append(fill_in(self.tr("{n} from before"), n=state.known))
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


class ChoiceForm(QFrame):
    """Class, number or share, known members, and what is left out."""

    changed = Signal()
    task_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.task_box = QComboBox()
        self.task_box.setAccessibleName(self.tr("Class to choose"))
        self.how = QComboBox()
        self.how.setAccessibleName(self.tr("How to choose"))
        for title, name in (
            (self.tr("Keep so many"), NUMBER),
            (self.tr("Keep this share of the members"), RECALL),
            (self.tr("This share shall be members"), PURITY),
        ):
            self.how.addItem(title, name)
        self.count = NumberBox(self.tr("How many to keep"), low=1, high=10_000_000, decimals=0)
        self.count.show_value(USUAL_COUNT)
        self.percent = NumberBox(self.tr("Share in %"), low=0.1, high=99.9, decimals=1)
        self.percent_sign = short_label("%", "dim")
        self.least_snr = NumberBox(self.tr("Least S/N"), low=0.0, high=10_000.0, decimals=1)
        self.least_snr.show_value(0.0)
        self.known = FileField(self.tr("List of known members, if you have one"), self._ask)
        texts = (
            self.tr("masked"), self.tr("sky lines"), self.tr("arm join"), self.tr("saturated"),
            self.tr("negative"), self.tr("only a part"), self.tr("wrong errors"),
        )  # fmt: skip
        self.flags = {flag: QCheckBox(text) for flag, text in zip(FLAGS, texts, strict=True)}
        for flag in self.flags.values():
            flag.toggled.connect(self.changed)
        self._lay_out()
        self.task_box.currentIndexChanged.connect(self._follow_task)
        self.how.currentIndexChanged.connect(self._follow_how)
        for box in (self.count, self.percent, self.least_snr):
            box.entered.connect(self.changed)
        self.known.changed.connect(self.changed)
        self._show_how()

    def _lay_out(self) -> None:
        left_out = wrapped_label(self.tr("Leave out what is:"), "dim")
        snr = row(short_label(self.tr("Least S/N"), "dim"), self.least_snr, 1)
        how = row((self.how, 1), self.count, self.percent, self.percent_sign)
        flags = flow(*self.flags.values(), spacing=10)
        title = short_label(self.tr("Choose"), "title")
        parts = title, self.task_box, how, snr, left_out, flags, self.known
        column(*parts, margins=(14, 12, 14, 12), parent=self)

    @property
    def task(self) -> str:
        return str(self.task_box.currentData() or "")

    @property
    def known_list(self) -> Path | None:
        path = self.known.path
        return path if path is not None and is_there(path) else None

    def show_tasks(self, ids: Sequence[str], titles: Mapping[str, str], current: str) -> None:
        """Offer these classes and the oddest."""
        names = [f"{titles[each]} · {each}" if each in titles else each for each in ids]
        wanted = [*zip(names, ids, strict=True), (self.tr("The oddest of all"), ODD)]
        box = self.task_box
        with QSignalBlocker(box):
            if wanted != [(box.itemText(at), box.itemData(at)) for at in range(box.count())]:
                box.clear()
                for name, each in wanted:
                    box.addItem(name, each)
            box.setCurrentIndex(box.findData(current))
        self._show_how()

    def rule(self) -> ChoiceRule | None:
        """None while there is no class. Raises WorkbenchError where it makes no sense."""
        if not self.task:
            return None
        how, share = self.how.currentData(), (self.percent.value or 0.0) / 100.0
        return ChoiceRule(
            task=self.task,
            keep=round(self.count.value or 1) if how == NUMBER else None,
            recall=share if how == RECALL else None,
            purity=share if how == PURITY else None,
            least_snr=self.least_snr.value or None,
            without=tuple(flag for flag, box in self.flags.items() if box.isChecked()),
        )

    def _follow_task(self) -> None:
        self._show_how()
        self.changed.emit()
        self.task_changed.emit()

    def _follow_how(self) -> None:
        self.percent.show_value(USUAL_PERCENT.get(self.how.currentData()))
        self._show_how()
        self.changed.emit()

    def _show_how(self) -> None:
        """Of the oddest only a number can be kept: nobody knows how many there are."""
        is_odd = self.task == ODD
        self.how.setEnabled(not is_odd)
        if is_odd:
            with QSignalBlocker(self.how):
                self.how.setCurrentIndex(0)
        is_count = self.how.currentData() == NUMBER
        self.count.setVisible(is_count)
        self.percent.setVisible(not is_count)
        self.percent_sign.setVisible(not is_count)

    def _ask(self, _: Path | None) -> Path | None:
        return next(iter(choose_lists(self)), None)
