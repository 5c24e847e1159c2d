"""Two records of one candidate side by side: verdicts, p(YES), looks and reasons."""

from collections.abc import Iterator
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from agent.ellipsis import shortened
from agent.trajectory.trajectory import Trajectory
from app.ui.base.translation.data_texts import task_text
from app.ui.base.translation.measured_texts import translate_panel_text
from app.ui.judge.agent.measured_rows import observed_range
from app.ui.judge.agent.status_texts import outcome_text, p_yes_text, verdict_text
from app.ui.session.inspection.records import Records, is_same_model
from app.ui.widgets.agent_parts import colour_verdict, record_names
from app.ui.widgets.labels import button, short_label, wrapped_label

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
        use = button(self.tr("Use in the list"), call=partial(self._prefer, column))
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
            self._grid.addWidget(short_label(text, "small"), self._grid.rowCount(), 0, 1, 2)
            row = self._grid.rowCount()
            for column in range(2):
                self.cells[key, column] = cell = wrapped_label("")
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
