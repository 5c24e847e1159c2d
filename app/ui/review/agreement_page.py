"""How far people agree, with one another and with the agent, and what its p(YES) is worth."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from agent.errors import WorkbenchError
from app.ui.review.agreement_numbers import (
    AgreementNumbers,
    agent_rows,
    numbers,
    people_rows,
    snr_rows,
)
from app.ui.review.calibration_card import CalibrationCard
from app.ui.review.drift_card import DriftCard
from app.ui.review.figures import Figure, FigureRow, draw_rows
from app.ui.review.refresh import Refresh
from app.ui.review.sentences import with_interval
from app.ui.session_context import SessionContext
from app.ui.widgets.labels import words
from app.ui.widgets.page_parts import PageCard, Scrolling

MOST_ROWS = 14


class AgreementPage(QWidget):
    def __init__(self, context: SessionContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._current, self._current_theme = (
            context.current.session,
            context.current,
            context.current_theme,
        )
        self._blind_mode = context.current.blind_mode
        self.found: AgreementNumbers | None = None
        kappa = self.tr("Kappa with 95 % interval: 0 is chance, above 0.8 two judge as one.")
        blind = self.tr("Only verdicts given before anything of the agent's opinion was seen.")
        faint = self.tr("Most disagreement is about noise.")
        self.people = self._kappas(self.tr("Between people"), kappa)
        self.agents = self._kappas(self.tr("Between people and the agent"), blind)
        self.faint = self._kappas(self.tr("Faint and bright"), faint)
        self.drift = DriftCard(context)
        self.calibration = CalibrationCard(context)
        inner = QWidget()
        grid = QGridLayout(inner)
        grid.setContentsMargins(16, 16, 16, 16)
        grid.setSpacing(12)
        left, right = QVBoxLayout(), QVBoxLayout()
        for part in (self.people, self.agents, self.faint, self.drift):
            left.addWidget(part)
        left.addStretch(1)
        right.addWidget(self.calibration)
        right.addStretch(1)
        grid.addLayout(left, 0, 0)
        grid.addLayout(right, 0, 1)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Scrolling(inner))
        for card in (self.people, self.agents, self.faint):
            card.show_rows([], self.tr("Working it out …"))
        self.refresh = Refresh(self, context, self._prepare, self._show, self._could_not)

    @property
    def is_blind(self) -> bool:
        """Whether what the agent makes of the list must not be seen yet."""
        return self._blind_mode.is_on and not (self.found and self.found.is_all_judged)

    def _kappas(self, title: str, note: str) -> KappaCard:
        return KappaCard(title, note, Figure(self._current_theme, title))

    def _prepare(self) -> Callable[[], AgreementNumbers]:
        return partial(numbers, self._session)

    def _show(self, found: AgreementNumbers) -> None:
        self.found = found
        every, again = self.tr("All people (Fleiss)"), self.tr("a second time")
        self.people.show_rows(
            people_rows(found.statistics, every, again),
            self.tr(
                "Two people must have judged the same objects first. Open the session under another"
                " name, or merge a colleague's."
            ),
        )
        self.agents.show_rows(
            [] if self.is_blind else agent_rows(found.statistics), self._no_agent()
        )
        rows = snr_rows(found.statistics, self.tr("People"), with_agent=not self.is_blind)
        self.faint.show_rows(
            rows, self.tr("Nothing to compare yet: this needs objects that two have judged.")
        )
        self.drift.show_drift(found.statistics.drift, with_agent=not self.is_blind)
        self.calibration.show_models(found.models, is_blind=self.is_blind)

    def _no_agent(self) -> str:
        if self.is_blind:
            return self.tr(
                "Blind mode: shown when you have judged everything, or when blind mode is off."
            )
        return self.tr(
            "You must judge some objects blind that the agent has inspected: before its verdict is"
            " on screen."
        )

    def _could_not(self, error: WorkbenchError) -> None:
        self._current.tell(error)


class KappaCard(PageCard):
    """Rows of kappa with their intervals, or why there are none."""

    def __init__(self, title: str, note: str, figure: Figure) -> None:
        super().__init__(title)
        self.figure = figure
        self.empty, self.note = words("", "dim"), words(note, "dim")
        for part in (self.empty, figure, self.note):
            self.body.addWidget(part)
        self.show_rows([], "")

    def show_rows(self, rows: list[FigureRow], empty: str) -> None:
        kept = rows[:MOST_ROWS]
        self.empty.setText(empty)
        self.empty.setVisible(not kept)
        self.figure.setVisible(bool(kept))
        self.note.setVisible(bool(kept))
        self.figure.draw(draw_rows, kept)
        spoken = (f"{each.name}: {with_interval(each.figure)}" for each in kept)
        self.figure.setAccessibleDescription("; ".join(spoken))
