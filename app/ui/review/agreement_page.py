"""The agreement page: agreement between people and with the agent, and how reliable p(YES) is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QTimer
from PySide6.QtWidgets import QBoxLayout, QWidget

from app.core.session.known_answers import HIDDEN_BY
from app.core.statistics.drift import Drift
from app.ui.review.agreement_numbers import (
    AgreementNumbers,
    agent_rows,
    compute_numbers,
    people_rows,
    snr_rows,
    subclass_rows,
)
from app.ui.review.calibration_card import CalibrationCard
from app.ui.review.figures import Figure, FigureRow, draw_drift, draw_rows
from app.ui.review.person_cards import KnownCard, WorkCard
from app.ui.review.refresh import Refresh
from app.ui.review.sentences import drift_sentence, estimate_text, snr_sentence
from app.ui.session.session_context import SessionContext
from app.ui.widgets.labels import add_parts, button, clear_layout, column, row, wrapped_label
from app.ui.widgets.page_parts import EmptyState, PageCard, PageScrollArea
from app.ui.widgets.text_width import OnEvent

MAX_ROWS = 14
LETTERS = 130  # least width for two columns

MAX_PEOPLE = 4
HEIGHT = 130


class AgreementPage(QWidget):
    def __init__(self, context: SessionContext) -> None:
        super().__init__()
        self._current, self._current_theme = context.current, context.current_theme
        self._session = context.current.session
        self._blind_mode = context.current.blind_mode
        self.found: AgreementNumbers | None = None
        kappa = self.tr(
            "Kappa (Fleiss for all, Cohen for two) is agreement beyond chance, with its 95 % "
            "interval: 0 is chance, above 0.8 is almost perfect."
        )
        blind = self.tr(
            "Cohen's kappa with 95 % interval. Grey, “seen”: verdicts given after the agent's "
            "result was shown, which may follow it. They count nowhere else."
        )
        levels = self.tr(
            "Cohen's kappa of what both have accepted and named at least to that level: 1 is "
            "the first key, 2 the second."
        )
        self.people = self._kappas(self.tr("Between people"), kappa)
        self.agents = self._kappas(self.tr("Between people and the agent"), blind)
        self.judge_blind = button(self.tr("Judge blind from now on"))
        self.judge_blind.clicked.connect(partial(context.commands.run, "blind"))
        add_parts(self.agents.body, row(self.judge_blind, 1))
        self.subclasses = self._kappas(self.tr("Sub-classes, by level"), levels)
        self.by_snr = self._kappas(self.tr("By signal-to-noise"), "")
        self.drift = DriftCard(context)
        self.work, self.known = WorkCard(context), KnownCard(context)
        self.calibration = CalibrationCard(context)
        inner = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.LeftToRight, inner)
        self._columns.setContentsMargins(16, 16, 16, 16)
        self._columns.setSpacing(12)
        # Not while Qt lays out the page.
        self._arranging = QTimer(self, singleShot=True, interval=0)
        self._arranging.timeout.connect(self._arrange)
        OnEvent(self, self._arranging.start, QEvent.Type.Resize, QEvent.Type.FontChange)
        people = (self.people, self.subclasses, self.agents, self.by_snr)
        self._columns.addLayout(column(*people, self.drift, self.known, 1, spacing=None), 1)
        self._columns.addLayout(column(self.work, self.calibration, 1, spacing=None), 1)
        self._cards, self.empty = PageScrollArea(inner), EmptyState(context.commands)
        self.empty.hide()
        column((self._cards, 1), (self.empty, 1), parent=self)
        for card in people:
            card.show_rows([], self.tr("Computing…"))
        for empty in (self.work.empty, self.known.empty):
            empty.setText(self.tr("Computing…"))
        self.refresh = Refresh(
            self, context, lambda: partial(compute_numbers, self._session), self._show
        )

    @property
    def is_blind(self) -> bool:
        """Whether the agent's results are still hidden."""
        return self._blind_mode.is_on and not (self.found and self.found.is_all_judged)

    def _arrange(self) -> None:
        """Put the cards into two columns, or into one where large text leaves too little room."""
        is_wide = self.width() >= LETTERS * self.fontMetrics().averageCharWidth()
        beside, below = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(beside if is_wide else below)

    def _kappas(self, title: str, note: str) -> KappaCard:
        return KappaCard(title, note, Figure(self._current_theme, title))

    def _show(self, found: AgreementNumbers) -> None:
        self.found = found
        is_empty = not (found.models or found.statistics.working)
        self.empty.setVisible(is_empty)
        self._cards.setVisible(not is_empty)
        if is_empty:
            reason = self.tr("Nobody has judged here, and no agent has inspected anything yet.")
            self.empty.show_reason(reason, "judging_page", "run_queue", "merge")
        everybody, repeats = self.tr("All people (Fleiss)"), self.tr("repeats")
        alone = self.tr(
            "At least two people must judge the same objects. Open the session under another"
            " name, or merge a colleague's session."
        )
        self.people.show_rows(people_rows(found.statistics, everybody, repeats), alone)
        rows = subclass_rows(found.statistics, self.tr("level {n}"))
        self.subclasses.show_rows(rows, "")
        self.subclasses.setVisible(bool(rows))
        rows = [] if self.is_blind else agent_rows(found.statistics, self.tr("seen"))
        self.agents.show_rows(rows, self._why_no_agent())
        has_blind = any(each.blind.n for each in found.statistics.with_agents)
        can_judge = not self._session.is_read_only and not found.is_all_judged
        self.judge_blind.setVisible(can_judge and not (self._blind_mode.is_on or has_blind))
        rows = snr_rows(found.statistics, self.tr("People"), with_agent=not self.is_blind)
        nothing = self.tr("Nothing to compare yet: no object has been judged by two people.")
        self.by_snr.show_rows(rows, nothing)
        bins = found.statistics.people.several_by_snr
        about = self.tr("Kappa with 95 % interval.")
        self.by_snr.note.setText(f"{about} {snr_sentence(bins)}")
        self.drift.show_drift(found.statistics.drift, with_agent=not self.is_blind)
        self.work.show_work(found.statistics.working)
        self.known.show_known(found.statistics.known, self._session.fact(HIDDEN_BY) or "")
        self.calibration.show_models(found.models, is_blind=self.is_blind)

    def _why_no_agent(self) -> str:
        if self.is_blind:
            return self.tr(
                "Blind mode: shown when you have judged everything, or when blind mode is off."
            )
        return self.tr(
            "First judge some objects that the agent has inspected, before its result is shown."
        )


class KappaCard(PageCard):
    """A card with rows of kappa and their intervals, or the reason why there are none."""

    def __init__(self, title: str, note: str, figure: Figure) -> None:
        super().__init__(title)
        self.figure = figure
        self.empty, self.note = wrapped_label("", "dim"), wrapped_label(note, "dim")
        add_parts(self.body, self.empty, figure, self.note)
        self.show_rows([], "")

    def show_rows(self, rows: list[FigureRow], empty: str) -> None:
        shown = rows[:MAX_ROWS]
        self.empty.setText(empty)
        self.empty.setVisible(not shown)
        self.figure.setVisible(bool(shown))
        self.note.setVisible(bool(shown))
        self.figure.draw(draw_rows, shown)
        texts = (f"{each.name}: {estimate_text(each.figure)}" for each in shown)
        self.figure.setAccessibleDescription("; ".join(texts))


class DriftCard(PageCard):
    """The card on drift: whether people's verdicts change in the course of the session."""

    def __init__(self, context: SessionContext) -> None:
        super().__init__(QCoreApplication.translate("DriftCard", "Change over time"))
        self._current_theme = context.current_theme
        none = self.tr("At least fifty verdicts by one person are needed to see a change.")
        self.empty = wrapped_label(none, "dim")
        about = self.tr(
            "Solid: accepted fraction, block by block. Dashed: the agent's mean p(YES)."
        )
        self.legend = wrapped_label(about, "dim")
        self._column = column()
        add_parts(self.body, self.empty, self._column, self.legend)
        self.figures: list[Figure] = []
        self.empty.hide()
        self.legend.hide()

    def show_drift(self, found: Sequence[Drift], *, with_agent: bool) -> None:
        clear_layout(self._column)
        self.figures = []
        long = [each for each in found if len(each.blocks) > 1][:MAX_PEOPLE]
        self.empty.setVisible(not long)
        self.legend.setVisible(bool(long))
        for each in long:
            blocks = each.blocks
            if not with_agent:
                blocks = tuple(replace(block, p_yes=None) for block in blocks)
            figure = Figure(self._current_theme, each.reviewer)
            self.figures.append(figure.below(wrapped_label(each.reviewer), self._column, HEIGHT))
            figure.draw(draw_drift, blocks)
            sentence = drift_sentence(each)
            if sentence and with_agent:
                self._column.addWidget(wrapped_label(sentence, "warning"))
