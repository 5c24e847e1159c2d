"""Verdict and p(YES) of the shown record, and a chooser where there are several records."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QWidget

from agent.evidence.words import KIND_NAMES
from agent.inspection.built_in import built_in
from agent.trajectory.trajectory import Trajectory
from app.ui.base.translation.measured_texts import translate_measured_name
from app.ui.judge.agent.status_texts import (
    calibration_hint,
    combined_hint,
    combined_text,
    outcome_text,
    p_yes_text,
    verdict_text,
)
from app.ui.session.inspection.records import Records
from app.ui.widgets.agent_parts import colour_verdict, record_names
from app.ui.widgets.labels import ElidedLabel, column, row, short_label, wrapped_label

translate = QCoreApplication.translate
MAX_TEXT = 60_000  # characters of a record that are searched


class VerdictLine(QWidget):
    chosen = Signal(object)  # the `Trajectory` to show
    compared = Signal(bool)  # whether two records are shown side by side

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._records = Records(candidate_id=0)
        self._shown: Trajectory | None = None
        self.verdict = short_label("", "title")
        self.p_yes = ElidedLabel("small")
        self.combined = ElidedLabel("small")
        """With what catalogues say, apart from the spectrum's own p(YES)."""
        self.combined.hide()
        self._log_odds: float | None = None
        self.warning = wrapped_label("", "warning")
        self.warning.hide()
        self.record = QComboBox()
        self.record.setAccessibleName(self.tr("Records of this candidate"))
        self.compare = QPushButton(self.tr("Compare"))
        self.compare.setProperty("role", "quiet")
        self.compare.setCheckable(True)
        self.compare.setAccessibleName(self.compare.text())
        self.compare.setToolTip(self.tr("Two records side by side"))
        for part in (self.record, self.compare):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            part.hide()
        self.first_row = row(self.verdict, (self.p_yes, 1))
        records = row((self.record, 1), (self.compare, 0, Qt.AlignmentFlag.AlignRight))
        column(self.first_row, self.combined, self.warning, records, spacing=4, parent=self)
        self.record.activated.connect(self._choose)
        self.compare.toggled.connect(self._compare)
        self.hide()

    def show_records(self, records: Records) -> None:
        self._records = records
        is_choice = len(records.trajectories) > 1
        self.record.setVisible(is_choice and not self.compare.isChecked())
        self.compare.setVisible(is_choice)
        if is_choice:
            self.record.clear()
            self.record.addItems(record_names(records.trajectories))
            self._mark_shown()
        else:
            self.compare.setChecked(False)
            self.record.hide()

    def show_record(self, shown: Trajectory | None) -> None:
        """Show this record; None: there is none, or it is hidden."""
        self._shown = shown
        self.setVisible(shown is not None)
        if shown is None:
            return
        self.verdict.setText(verdict_text(shown))
        colour_verdict(self.verdict, shown.verdict)
        is_answered = shown.stopped_by == "answer"
        text = p_yes_text(shown, self._records) if is_answered else outcome_text(shown)
        warning = contradiction(shown)
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning) and not self.compare.isChecked())
        rule = self._records.calibration_of(shown)
        about = f"{text}\n{calibration_hint(rule)}" if is_answered else text
        self.p_yes.show_text(text, about, short=text.partition(" · ")[0])
        self.show_catalogues(self._log_odds)
        self._mark_shown()

    def show_catalogues(self, log_odds: float | None) -> None:
        """Show p(YES) with this weight of catalogues; None: nothing could be weighed."""
        self._log_odds, shown = log_odds, self._shown
        is_answered = shown is not None and shown.stopped_by == "answer"
        text = combined_text(shown, log_odds) if is_answered and shown is not None else ""
        self.combined.show_text(text, combined_hint())
        self.combined.setVisible(bool(text) and not self.compare.isChecked())

    def _mark_shown(self) -> None:
        records = self._records.trajectories
        if self._shown in records:
            self.record.setCurrentIndex(records.index(self._shown))

    def _compare(self, is_on: bool) -> None:
        # In the comparison each record has its own verdict and chooser.
        for part in (self.verdict, self.p_yes, self.record):
            part.setVisible(not is_on)
        self.warning.setVisible(not is_on and bool(self.warning.text()))
        self.combined.setVisible(not is_on and bool(self.combined.full_text))
        text = self.tr("Back to the steps") if is_on else self.tr("Compare")
        self.compare.setText(text)
        self.compare.setAccessibleName(text)
        self.compared.emit(is_on)

    def _choose(self, index: int) -> None:
        records = self._records.trajectories
        if 0 <= index < len(records):
            self.chosen.emit(records[index])


# Finds verdicts that contradict what the agent said: "like a Wolf-Rayet star", then YES.
def contradiction(record: Trajectory) -> str:
    """A sentence about a verdict that goes against the kind named last; empty if none does.

    A panel's answer quotes both members, who may disagree: their own records tell.
    """
    own, inspector = KIND_NAMES.get(record.task), built_in(record.model.engine)
    quotes = inspector is not None and inspector.quotes
    if own is None or record.verdict is None or quotes:
        return ""
    named = named_kinds(record)
    if not named or (named[-1] == own) == (record.verdict == "YES"):
        return ""
    last = named[-1]
    often = Counter(named)[last]
    text = translate("agent", "It said “like {kind}”, then {verdict}.")
    if often > 1:
        text = translate("agent", "It said “like {kind}” {n} times, then {verdict}.")
    text = text.replace("{n}", str(often)).replace("{verdict}", record.verdict)
    return text.replace("{kind}", translate_measured_name(last))


def named_kinds(record: Trajectory) -> list[str]:
    """The kinds that the agent likened the object to after its first look, in their order."""
    looked, found, searched = False, [], 0
    for step in record.steps:
        looked = looked or step.is_look
        if step.by != "agent" or not looked or searched > MAX_TEXT:
            continue
        if step.kind in ("think", "text", "answer"):
            text = step.text[:MAX_TEXT]
            searched += len(text)
            found += [_kind_name(match) for match in _likened().finditer(text)]
    return found


def _kind_name(match: re.Match[str]) -> str:
    return next(name for name in KIND_NAMES.values() if name.casefold() == match["kind"].casefold())


@cache
def _likened() -> re.Pattern[str]:
    kinds = "|".join(re.escape(name) for name in sorted(KIND_NAMES.values(), key=len, reverse=True))
    return re.compile(
        rf"(?<!not )(?<!n't )\b(?:more )?like (?P<kind>{kinds})(?=[.:;]|$)", re.IGNORECASE
    )
