"""How many drafts of the pool are approved, and the button that writes them for training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from agent.errors import WorkbenchError
from app.ui.translation.message_texts import translate_message
from app.ui.widgets.labels import button, row, short_label
from train.review.export import Exported, approved_file
from train.review.review_rules import Case
from train.review.window.pool_access import PoolAccess
from train.review.window.stage_words import STATES, state_of, state_text

translate = QCoreApplication.translate
MOST_SHOWN = 3
"""Drafts that were left out and are named with the reason."""


class ExportLine(QWidget):
    exported = Signal(str)
    """What was written, in words; an empty text when it begins."""
    failed = Signal(object)
    """A WorkbenchError."""

    def __init__(self, access: PoolAccess, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._desk = access
        access.exported.connect(self._on_exported)
        self._approved, self._is_busy = 0, False
        self.counts = short_label("", "dim")
        self.button = button(self.tr("Export…"), "")
        self.button.clicked.connect(self._export)
        self.setLayout(row(self.counts, self.button))
        self.show_cases(())

    def show_cases(self, cases: Sequence[Case]) -> None:
        """Count the approved ones; without any say what the others wait for."""
        counts = Counter(map(state_of, cases))
        self._approved = counts["approved"]
        text = self.tr("{n} of {all} approved")
        text = text.replace("{n}", str(self._approved)).replace("{all}", str(len(cases)))
        if not self._approved:
            left = [f"{counts[each]} {state_text(each)}" for each in STATES if counts[each]]
            text = " · ".join([text, *left])
        self.counts.setText(text)
        self._show_button()

    def _export(self) -> None:
        proposed = str(approved_file(self._desk.pool.place))
        kinds = self.tr("Examples for training") + " (*.jsonl)"
        title = self.tr("Export the approved drafts")
        name, _ = QFileDialog.getSaveFileName(self, title, proposed, kinds)
        if name:
            self.exported.emit("")
            self._set_busy(True)
            self._desk.export(Path(name))

    def _on_exported(self, done: Exported | WorkbenchError) -> None:
        self._set_busy(False)
        if isinstance(done, Exported):
            self.exported.emit(exported_text(done))
        else:
            self.failed.emit(done)

    def _set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._show_button()

    def _show_button(self) -> None:
        self.button.setText(self.tr("Exporting…") if self._is_busy else self.tr("Export…"))
        self.button.setEnabled(bool(self._approved) and not self._is_busy)
        hint = self.tr("Write the approved drafts as a file that spec-o3-train sft reads")
        if not self._approved:
            hint = self.tr("Nothing to export yet: a draft is approved by the vote of three")
        self.button.setToolTip(hint)


def exported_text(done: Exported) -> str:
    """What was written, what was not, and how to train on it."""
    text = translate("curation", "{n} approved drafts are in {path}. Train on them with:")
    lines = [text.replace("{n}", str(done.count)).replace("{path}", str(done.path))]
    lines.append(done.command)
    for reason in done.left_out[:MOST_SHOWN]:
        left_out = translate("curation", "Left out: {reason}")
        lines.append(left_out.replace("{reason}", translate_message(reason)))
    if more := len(done.left_out[MOST_SHOWN:]):
        lines.append(translate("curation", "{n} more are left out").replace("{n}", str(more)))
    return "\n".join(lines)
