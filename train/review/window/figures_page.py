"""The figures of all ratings of these trajectories, by people and models."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from agent.ratings.records import trajectory_id
from agent.ratings.rubric import SCORES, Score
from app.ui.agent.score_grid import criterion_name
from app.ui.review.figures import Figure
from app.ui.theme.theme import CurrentTheme
from app.ui.widgets.labels import row, wrapped_label
from app.ui.widgets.page_parts import PageCard, PageScrollArea
from train.review.rating_round import RatingRound
from train.review.statistics import (
    Distribution,
    Duel,
    distributions,
    duels_of_choices,
    duels_of_scores,
    latest_choices,
    latest_ratings,
    rater_map,
    share_of_left,
)
from train.review.window.rating_figures import (
    draw_cumulative,
    draw_duels,
    draw_histogram,
    draw_rater_map,
    legend_text,
)

CHART_PX = 240


class FiguresPage(QWidget):
    """Names the models, unlike the other pages: its button says so."""

    def __init__(
        self, rating_round: RatingRound, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.round, self._current_theme = rating_round, current_theme
        self._column = QWidget(self)
        self._layout = QVBoxLayout(self._column)
        self._layout.setContentsMargins(12, 12, 12, 12)
        self._layout.setSpacing(12)
        self._drawn = -1
        self.figures: list[Figure] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(PageScrollArea(self._column))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Draw anew if there are new records."""
        if self._drawn == len(self.round.records):
            return
        self._drawn = len(self.round.records)
        self._clear()
        here = {trajectory_id(one) for one in self.round.trajectories}
        ratings = [
            each for each in latest_ratings(self.round.records) if each.subject.trajectory in here
        ]
        choices = [
            each
            for each in latest_choices(self.round.records)
            if {each.first.trajectory, each.second.trajectory} <= here
        ]
        for score in SCORES:
            found = distributions(ratings, score)
            if found:
                self._add_scores(score, found)
                raters = rater_map(ratings, score)
                if len(raters.raters) > 1:
                    self._add_map(score, raters)
        left, decided = share_of_left(choices)
        text = self.tr("The left one was preferred in {left} of {n} decided; half is fair.")
        text = text.replace("{n}", f"{decided:,}").replace("{left}", f"{left:,}")
        self._add_duels(self.tr("Pairwise"), text, duels_of_choices(choices))
        note = self.tr("From the sums of one rater's scores for two inspections of one spectrum.")
        self._add_duels(self.tr("Pairs by score"), note, duels_of_scores(ratings))
        if not self.figures:
            self._layout.addWidget(wrapped_label(self.tr("Nothing has been rated yet."), "dim"))
        self._layout.addStretch(1)

    def _add_scores(self, score: Score, found: Sequence[Distribution]) -> None:
        name = criterion_name(score)
        card = PageCard(name, parent=self._column)
        for index, each in enumerate(found):
            card.body.addWidget(wrapped_label(legend_text(index, each)))
        histogram = self._figure(self.tr("{name}: histogram").replace("{name}", name))
        histogram.draw(draw_histogram, found)
        curve = self._figure(self.tr("{name}: cumulative").replace("{name}", name))
        curve.draw(draw_cumulative, found)
        for figure in (histogram, curve):
            figure.setFixedHeight(CHART_PX)
        card.body.addLayout(row((histogram, 1), (curve, 1)))
        self._layout.addWidget(card)

    def _add_map(self, score: Score, raters: object) -> None:
        title = self.tr("Agreement of raters: {name} (Spearman)")
        card = PageCard(title.replace("{name}", criterion_name(score)), parent=self._column)
        figure = self._figure(title.replace("{name}", criterion_name(score)))
        figure.draw(draw_rater_map, raters)
        card.body.addWidget(figure)
        self._layout.addWidget(card)

    def _add_duels(self, title: str, note: str, duels: Sequence[Duel]) -> None:
        if not duels:
            return
        card = PageCard(title, note, parent=self._column)
        figure = self._figure(title)
        figure.draw(draw_duels, duels)
        card.body.addWidget(figure)
        self._layout.addWidget(card)

    def _figure(self, name: str) -> Figure:
        figure = Figure(self._current_theme, name, self._column)
        self.figures.append(figure)
        return figure

    def _clear(self) -> None:
        self.figures.clear()
        while (item := self._layout.takeAt(0)) is not None:
            part = item.widget()
            if part is not None:
                part.hide()
                part.deleteLater()
