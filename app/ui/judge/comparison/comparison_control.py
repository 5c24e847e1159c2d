"""The popover of the comparison: what is overlaid, whether it is kept, and the ratio below."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.ui.judge.comparison.compared_spectra import ComparedSpectra
from app.ui.judge.comparison.overlay_curves import text_of
from app.ui.judge.comparison.ratio import DIFFERENCE, OFF, RATIO, RatioPanel
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import (
    ElidedLabel,
    button,
    check_box,
    clear_layout,
    column,
    keep_current,
    row,
    short_label,
    with_key,
    wrapped_label,
)

REMOVE_PX = 30


class ComparisonControl(QWidget):
    def __init__(
        self, comparison: ComparedSpectra, ratio: RatioPanel, context: SessionContext
    ) -> None:
        super().__init__()
        self._comparison, self._ratio, self._keymap = comparison, ratio, context.keymap
        self.epochs = button("")
        about = self.tr("Any other row of the queue is compared from its menu (right click).")
        self.note = wrapped_label(about, "dim")
        self.kept = check_box(self.tr("Keep over candidates"))
        self.clear = button(self.tr("Remove all"))
        self.modes = {
            OFF: button(self.tr("Off"), "key"),
            RATIO: button(self.tr("Ratio"), "key"),
            DIFFERENCE: button(self.tr("Difference"), "key"),
        }
        self.lines: list[tuple[QWidget, QPushButton]] = []
        self._list = column(spacing=2)
        epochs = self.epochs, 0, Qt.AlignmentFlag.AlignLeft
        below = short_label(self.tr("Below the plot"), "dim")
        modes = row(*((each, 1) for each in self.modes.values()), spacing=4)
        parts = (epochs, self.note, self._list, row((self.kept, 1), self.clear), below, modes)
        column(*parts, spacing=6, parent=self)
        for mode, each in self.modes.items():
            each.setCheckable(True)
            each.clicked.connect(partial(self._choose_mode, mode))
        self.epochs.clicked.connect(comparison.overlay_epochs)
        self.kept.clicked.connect(comparison.keep)
        self.clear.clicked.connect(comparison.clear)
        keep_current(self._show, comparison.changed, ratio.mode_changed, context.keymap.changed)

    def button_text(self) -> str:
        count = len(self._comparison.compared)
        return f"{self.tr('Compare')} {count}" if count else self.tr("Compare")

    def is_on(self) -> bool:
        return bool(self._comparison.compared) or self._ratio.mode != OFF

    def _choose_mode(self, mode: str, *_: object) -> None:
        self._ratio.set_mode(mode)
        self._show()

    def _show(self, *_: object) -> None:
        compared = self._comparison.compared
        key = self._keymap.label("overlay_epochs")
        self.epochs.setText(with_key(self.tr("Overlay the epochs of this source"), key))
        self.kept.setChecked(self._comparison.is_kept)
        self.clear.setEnabled(bool(compared))
        self.note.setVisible(not compared)
        for mode, choice in self.modes.items():
            choice.setChecked(mode == self._ratio.mode)
        clear_layout(self._list)
        self.lines.clear()
        for each in compared:
            name = ElidedLabel("")
            name.show_text(text_of(each))
            remove = button("×")
            remove.setFixedWidth(REMOVE_PX)
            remove.setAccessibleName(self.tr("Remove {name}").replace("{name}", each.name))
            remove.clicked.connect(partial(self._comparison.remove, each.candidate.id))
            line = QWidget()
            line.setLayout(row((name, 1), remove, spacing=4))
            self.lines.append((line, remove))
            self._list.addWidget(line)
