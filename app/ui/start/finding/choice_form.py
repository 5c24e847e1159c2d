"""The fields that say what to choose from a table of a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QWidget

from app.core.finding.choice import ODD, ChoiceRule
from app.core.finding.looking import FLAGS
from app.ui.widgets.file_dialogs import choose_lists
from app.ui.widgets.file_field import FileField, is_there
from app.ui.widgets.labels import column, flow, row, short_label, wrapped_label
from app.ui.widgets.number_box import NumberBox

NUMBER, RECALL, PURITY = "keep", "recall", "purity"
USUAL_COUNT, USUAL_PERCENT = 100, {RECALL: 99.0, PURITY: 50.0}


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
