"""The answer of the shown record: verdict, p(YES), the facts that decide; and two side by side."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import zip_longest

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QGridLayout,
    QLabel,
    QMenu,
    QPushButton,
    QScrollArea,
    QWidget,
)

from agent.ellipsis import shortened
from agent.evidence.words import KIND_NAMES
from agent.inspection.built_in import built_in, opposed_members
from agent.trajectory.trajectory import Trajectory
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.measured_texts import translate_measured_name, translate_panel_text
from app.ui.judge.agent.deciding_facts import NUMBERS, DecidingFact, deciding_facts
from app.ui.judge.agent.measured_rows import observed_range
from app.ui.judge.agent.status_texts import (
    calibration_hint,
    combined_hint,
    combined_text,
    outcome_text,
    p_yes_text,
    verdict_text,
)
from app.ui.judge.verdict.verdict_text import conflict_text
from app.ui.session.inspection.records import Records, is_same_model
from app.ui.widgets import labels
from app.ui.widgets.agent_parts import colour_verdict, record_names

translate = QCoreApplication.translate
MAX_TEXT = 60_000  # characters of a record that are searched


class FactList(QWidget):
    """The facts that decide, a line each: plain text, as strangers' models may have said it."""

    chosen = Signal(int)  # the number of a fact, from 0

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.labels = [labels.wrapped_label("", parent=self) for _ in NUMBERS]
        labels.column(*self.labels, spacing=2, parent=self)
        for label in self.labels:
            label.setCursor(Qt.CursorShape.PointingHandCursor)
            label.installEventFilter(self)

    def show_facts(self, facts: Sequence[DecidingFact], warning: str) -> None:
        """`warning` is the colour of what speaks against the answer."""
        for label, number, fact in zip_longest(self.labels, NUMBERS, facts):
            label.setVisible(fact is not None)
            if fact is not None:
                by = f"{fact.by}: " if fact.by else ""
                label.setText(f"{number} {by}{fact.text}")
                label.setStyleSheet(f"color: {warning};" if fact.by else "")
        self.setVisible(bool(facts))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and watched in self.labels:
            self.chosen.emit(self.labels.index(watched))
        return False


class VerdictLine(QWidget):
    chosen = Signal(object)  # the `Trajectory` to show
    compared = Signal(bool)  # whether two records are shown side by side
    fact_chosen = Signal(object)  # a `DecidingFact` to look at

    def __init__(self, current_theme: CurrentTheme, parent: QWidget) -> None:
        super().__init__(parent)
        self._current_theme = current_theme
        self._facts: tuple[DecidingFact, ...] = ()
        self._records = Records(candidate_id=0)
        self._shown: Trajectory | None = None
        self.verdict = labels.short_label("", "title")
        self.p_yes = labels.ElidedLabel("small")
        self.combined = labels.ElidedLabel("small")
        """With what catalogues say, apart from the spectrum's own p(YES)."""
        self._log_odds: float | None = None
        self.warning = labels.wrapped_label("", "warning")
        self.conflict = labels.ElidedLabel("warning")
        self.facts = FactList(self)
        """For the top of the list of steps, which scrolls where there is little room."""
        self.facts.setAccessibleName(self.tr("What decides"))
        self.steps = labels.button("")
        """Shows the steps that led to the answer, or folds them."""
        self.steps.setCheckable(True)
        self.record = labels.button("", call=self._open_menu)
        self.record.setToolTip(self.tr("Records of this candidate"))
        self.menu = QMenu(self)
        self.compare = labels.button(self.tr("Back to the steps"))
        """Checked while two records are side by side, and only there then."""
        self.compare.setCheckable(True)
        shown_at_times = self.combined, self.warning, self.conflict, self.facts
        for part in (*shown_at_times, self.steps, self.record, self.compare):
            part.hide()
        self.first_row = labels.row(self.verdict, (self.p_yes, 1))
        buttons = labels.flow(self.steps, self.record, self.compare, spacing=4)
        parts = (self.first_row, self.combined, self.conflict, self.warning, buttons)
        labels.column(*parts, spacing=4, parent=self)
        self.facts.chosen.connect(lambda number: self.fact_chosen.emit(self._facts[number]))
        current_theme.changed.connect(self._write_facts)
        self.compare.toggled.connect(self._compare)
        self.hide()

    def show_records(self, records: Records) -> None:
        self._records = records
        is_choice = len(records.trajectories) > 1
        self.record.setVisible(is_choice and not self.compare.isChecked())
        if is_choice:
            self._mark_shown()
        else:
            self.compare.setChecked(False)
            self.record.hide()

    def show_record(self, shown: Trajectory | None) -> None:
        """Show this record; None: there is none, or it is hidden."""
        self._shown = shown
        self._facts = () if shown is None else deciding_facts(shown)
        self._write_facts()
        self.setVisible(shown is not None)
        if shown is None:
            return
        self.verdict.setText(verdict_text(shown))
        colour_verdict(self.verdict, shown.verdict)
        is_answered = shown.stopped_by == "answer"
        text = p_yes_text(shown, self._records) if is_answered else outcome_text(shown)
        opposed = opposed_members(shown)
        conflict = conflict_text(opposed) if opposed else ""
        is_contradiction = bool(opposed) and "no verdict" not in opposed
        about = f"{conflict}\n{_who_is_right()}".strip() if is_contradiction else conflict
        self.conflict.show_text(conflict, about, short=f"≠ {opposed}")
        self.conflict.setVisible(bool(opposed) and not self.compare.isChecked())
        warning = contradiction(shown)
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning) and not self.compare.isChecked())
        rule = self._records.calibration_of(shown)
        about = f"{text}\n{calibration_hint(rule)}" if is_answered else text
        short = text.partition(" · ")[0]
        self.p_yes.show_texts(text, short, short.removeprefix("p(YES) "))
        self.p_yes.setToolTip(about)
        self.show_catalogues(self._log_odds)
        self._mark_shown()

    def show_steps(self, count: int, *, are_shown: bool) -> None:
        """Offer to fold so many steps, or to show them; 0: there is nothing to fold."""
        text = self.tr("▾ Fold the steps") if are_shown else self.tr("▸ {n} steps")
        self.steps.setText(text.replace("{n}", str(count)))
        self.steps.setAccessibleName(self.steps.text())
        self.steps.setChecked(are_shown)
        self.steps.setVisible(count > 0 and not self.compare.isChecked())

    def _write_facts(self, _: object = None) -> None:
        theme = self._current_theme.theme
        self.facts.show_facts(self._facts, theme.warning)

    def show_catalogues(self, log_odds: float | None) -> None:
        """Show p(YES) with this weight of catalogues; None: nothing could be weighed."""
        self._log_odds, shown = log_odds, self._shown
        is_answered = shown is not None and shown.stopped_by == "answer"
        text = combined_text(shown, log_odds) if is_answered and shown is not None else ""
        self.combined.show_text(text, combined_hint())
        self.combined.setVisible(bool(text) and not self.compare.isChecked())

    def _mark_shown(self) -> None:
        """Name the shown record unless it is the one shown first: the model has its name above."""
        records, shown = self._records.trajectories, self._shown
        text = self.tr("{n} records").replace("{n}", str(len(records)))
        if shown in records and shown is not None and shown != self._records.default:
            text = self.tr("Record of {name}")
            text = text.replace("{name}", record_names(records)[records.index(shown)])
        self.record.setText(f"{text} ▾")
        self.record.setAccessibleName(text)

    def _compare(self, is_on: bool) -> None:
        # In the comparison each record has its own verdict and chooser.
        for part in (self.verdict, self.p_yes, self.record):
            part.setVisible(not is_on)
        self.compare.setVisible(is_on)
        self.conflict.setVisible(not is_on and bool(self.conflict.full_text))
        self.warning.setVisible(not is_on and bool(self.warning.text()))
        self.combined.setVisible(not is_on and bool(self.combined.full_text))
        self.compared.emit(is_on)

    def _open_menu(self) -> None:
        self.menu.clear()
        records = self._records.trajectories
        for each, name in zip(records, record_names(records), strict=True):
            text = f"{name}: {verdict_text(each)}"
            labels.add_check(self.menu, text, each == self._shown, partial(self._choose, each))
        self.menu.addSeparator()
        labels.add_action(self.menu, self.tr("Two records side by side"), self.compare.toggle)
        self.menu.popup(self.record.mapToGlobal(self.record.rect().bottomLeft()))

    def _choose(self, record: Trajectory, _: bool) -> None:
        self.chosen.emit(record)


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


def _who_is_right() -> str:
    """How often each member is right where they disagree, on the candidates of the fit."""
    from agent.inspection.panel_inspector import builtin_fusion

    right, count = builtin_fusion().measured_right, builtin_fusion().disagreed
    text = QCoreApplication.translate(
        "verdicts", "Where the two disagreed in tests, measured was right in {right} of {count}."
    )
    return text.replace("{right}", str(right)).replace("{count}", str(count)) if count else ""


# Two records of one candidate side by side: verdicts, p(YES), looks and reasons.
MAX_REASONS = 1200


class Comparison(QScrollArea):
    preferred = Signal(object)
    """The `ModelRef` whose opinions the session shall show; None: the newest of each candidate."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._records = Records(candidate_id=0)
        self.choices = (self._choice(self.tr("Left record")), self._choice(self.tr("Right record")))
        self.cells: dict[tuple[str, int], QLabel] = {}
        inside = QWidget()
        self._grid = QGridLayout(inside)
        self._grid.setContentsMargins(0, 0, 8, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(0, 1)
        self._grid.setColumnStretch(1, 1)
        self.uses = tuple(self._use(column) for column in range(2))
        for column, (choice, use) in enumerate(zip(self.choices, self.uses, strict=True)):
            self._grid.addWidget(choice, 0, column)
            self._grid.addWidget(use, 1, column, Qt.AlignmentFlag.AlignLeft)
        self._add_rows()
        self._grid.setRowStretch(self._grid.rowCount(), 1)
        self.setWidget(inside)

    def show_records(self, records: Records, shown: Trajectory | None) -> None:
        """Show `shown` on the left and another record on the right."""
        self._records = records
        every = records.trajectories
        left = every.index(shown) if shown in every else 0
        right = next((index for index in range(len(every)) if index != left), left)
        for index, choice in zip((left, right), self.choices, strict=True):
            with QSignalBlocker(choice):
                choice.clear()
                choice.addItems(record_names(every))
                choice.setCurrentIndex(index)
        self._fill()

    def _choice(self, name: str) -> QComboBox:
        choice = QComboBox(minimumContentsLength=6)
        choice.setAccessibleName(name)
        choice.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        choice.currentIndexChanged.connect(self._fill)
        return choice

    def _use(self, column: int) -> QPushButton:
        use = labels.button(self.tr("Use in the list"), call=partial(self._prefer, column))
        use.setCheckable(True)
        about = self.tr(
            "Use this model's opinions in the list, its filters and the proposal. "
            "Press again to use the newest record of each candidate."
        )
        use.setToolTip(about)
        return use

    def _prefer(self, column: int) -> None:
        index, on = self.choices[column].currentIndex(), self.uses[column].isChecked()
        records = self._records.trajectories
        if 0 <= index < len(records):
            self.preferred.emit(records[index].model if on else None)

    def _add_rows(self) -> None:
        heads = {
            "verdict": self.tr("Verdict"),
            "p": self.tr("Certainty"),
            "end": self.tr("Outcome"),
            "looks": self.tr("Looks"),
            "reasons": self.tr("Reasons"),
        }
        for key, text in heads.items():
            self._grid.addWidget(labels.short_label(text, "small"), self._grid.rowCount(), 0, 1, 2)
            row = self._grid.rowCount()
            for column in range(2):
                self.cells[key, column] = cell = labels.wrapped_label("")
                self._grid.addWidget(cell, row, column, Qt.AlignmentFlag.AlignTop)

    def _fill(self, _: int = 0) -> None:
        records = self._records.trajectories
        for column, choice in enumerate(self.choices):
            index, preferred = choice.currentIndex(), self._records.preferred
            record = records[index] if 0 <= index < len(records) else None
            texts = {} if record is None else dict(_cells(record, self._records))
            self.uses[column].setChecked(
                record is not None
                and preferred is not None
                and is_same_model(record.model, preferred)
            )
            for (key, cell_column), cell in self.cells.items():
                if cell_column == column:
                    cell.setText(texts.get(key, ""))
            verdict = None if record is None else record.verdict
            colour_verdict(self.cells["verdict", column], verdict)


def _cells(record: Trajectory, records: Records) -> Iterator[tuple[str, str]]:
    yield "verdict", verdict_text(record)
    yield "p", p_yes_text(record, records)
    yield "end", outcome_text(record)
    shift = 1.0 + (record.spectrum.z or 0.0)
    looks = [
        f"{observed_range(look.range, shift)}\n{task_text(look.label)}".rstrip()
        for look in record.looks
        if look.range is not None
    ]
    yield "looks", "\n".join(looks) or "–"
    reasons = translate_panel_text(record.plain_reasons)
    yield "reasons", shortened(reasons, MAX_REASONS)
