"""The figures of all ratings of these trajectories, by people and models."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QRectF, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QWidget

from agent.ratings.records import trajectory_id
from agent.ratings.rubric import HIGHEST, LOWEST, SCORES, Score
from app.ui.base.theme.theme import CurrentTheme, mixed
from app.ui.review.figures import PAD_PX, ROW_MARGIN_PX, Figure, shortened
from app.ui.widgets.labels import clear_layout, column, row, wrapped_label
from app.ui.widgets.page_parts import PageCard, PageScrollArea
from train.review import statistics
from train.review.rating_round import RatingRound
from train.review.window.score_grid import criterion_name

CHART_PX = 240
translate = QCoreApplication.translate
TONES = ("agent", "accept", "reject", "unsure", "accent", "dim")
STYLES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotLine)
SYMBOLS = ("o", "s", "t", "d")
CELL_PX = 56
BARS = 0.8  # of the room between two scores that the bars fill


class FiguresPage(QWidget):
    """Names the models, unlike the other pages: its button says so."""

    def __init__(
        self, rating_round: RatingRound, current_theme: CurrentTheme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.round, self._current_theme = rating_round, current_theme
        self._column = QWidget(self)
        self._layout = column(spacing=12, margins=12, parent=self._column)
        self._drawn = -1
        self.figures: list[Figure] = []
        column(PageScrollArea(self._column), parent=self)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def refresh(self) -> None:
        """Draw anew if there are new records."""
        if self._drawn == len(self.round.records):
            return
        self._drawn = len(self.round.records)
        self.figures.clear()
        clear_layout(self._layout)
        here = {trajectory_id(one) for one in self.round.trajectories}
        every = statistics.latest_ratings(self.round.records)
        ratings = [each for each in every if each.subject.trajectory in here]
        said = statistics.latest_choices(self.round.records)
        choices = [each for each in said if statistics.both_of(each) <= here]
        for score in SCORES:
            found = statistics.distributions(ratings, score)
            if found:
                self._add_scores(score, found)
                raters = statistics.rater_map(ratings, score)
                if len(raters.raters) > 1:
                    title = self.tr("Agreement of raters: {name} (Spearman)")
                    title = title.replace("{name}", criterion_name(score))
                    self._add_figure(title, "", draw_rater_map, raters)
        left, decided = statistics.share_of_left(choices)
        text = self.tr("The left one was preferred in {left} of {n} decided; half is fair.")
        text = text.replace("{n}", f"{decided:,}").replace("{left}", f"{left:,}")
        if duels := statistics.duels_of_choices(choices):
            self._add_figure(self.tr("Pairwise"), text, draw_duels, duels)
        note = self.tr("From the sums of one rater's scores for two inspections of one spectrum.")
        if duels := statistics.duels_of_scores(ratings):
            self._add_figure(self.tr("Pairs by score"), note, draw_duels, duels)
        if not self.figures:
            self._layout.addWidget(wrapped_label(self.tr("Nothing has been rated yet."), "dim"))
        self._layout.addStretch(1)

    def _add_scores(self, score: Score, found: Sequence[statistics.Distribution]) -> None:
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

    def _add_figure(self, title: str, note: str, draw: Any, drawn: object) -> None:
        card = PageCard(title, note, parent=self._column)
        figure = self._figure(title)
        figure.draw(draw, drawn)
        card.body.addWidget(figure)
        self._layout.addWidget(card)

    def _figure(self, name: str) -> Figure:
        figure = Figure(self._current_theme, name, self._column)
        self.figures.append(figure)
        return figure


def look_of(index: int) -> tuple[str, Qt.PenStyle, str]:
    """Colour, line and symbol of a model: never the colour alone."""
    return TONES[index % len(TONES)], STYLES[index % len(STYLES)], SYMBOLS[index % len(SYMBOLS)]


def draw_histogram(figure: Figure, found: Sequence[statistics.Distribution]) -> None:
    """Draw the share of each score, a bar beside the other for each model."""
    width = BARS / max(len(found), 1)
    top = 0.0
    for index, each in enumerate(found):
        tone, line, symbol = look_of(index)
        shares = [count / each.n for count in each.counts]
        top = max(top, *shares)
        colour = QColor(getattr(figure.theme, tone))
        fill = QColor(colour)
        fill.setAlpha(90)
        x = [score - BARS / 2 + (index + 0.5) * width for score in range(LOWEST, HIGHEST + 1)]
        pen = pg.mkPen(colour, style=line, width=1.5)
        brush = pg.mkBrush(fill)
        figure.add(pg.BarGraphItem(x=x, height=shares, width=width, brush=brush, pen=pen))
        given = [at for at, share in enumerate(shares) if share]
        figure.points([x[at] for at in given], [shares[at] for at in given], tone, symbol)
    _label_scores(figure, translate("rating", "Score"), translate("rating", "Share"))
    figure.set_ranges(LOWEST - 0.6, HIGHEST + 0.6, 0.0, max(top * 1.12, 0.1))


def draw_cumulative(figure: Figure, found: Sequence[statistics.Distribution]) -> None:
    """Draw the share at or below each score."""
    for index, each in enumerate(found):
        tone, line, symbol = look_of(index)
        x = np.arange(LOWEST, HIGHEST + 2, dtype=float) - 0.5
        y = np.array([0.0, *each.cumulative])
        figure.line(np.repeat(x, 2)[1:-1], np.repeat(y, 2)[2:], tone, style=line, width=1.8)
        figure.points([*range(LOWEST, HIGHEST + 1)], list(each.cumulative), tone, symbol)
    below = translate("rating", "Share at or below")
    _label_scores(figure, translate("rating", "Score"), below)
    figure.set_ranges(LOWEST - 0.6, HIGHEST + 0.6, -0.02, 1.03)


def draw_rater_map(figure: Figure, found: statistics.RaterMap) -> None:
    """Draw Spearman's rank correlation of every two raters, written in its cell."""
    size, item = len(found.raters), figure.getPlotItem()
    names = [_rater_text(name) for name in found.raters]
    for i, j in product(range(size), repeat=2):
        _cell(figure, found.values[i][j], found.counts[i][j], j, size - 1 - i)
    item.getAxis("left").setTicks([[(size - 1 - i, name) for i, name in enumerate(names)]])
    item.getAxis("bottom").setTicks([list(enumerate(names))])
    widest = max((figure.fontMetrics().horizontalAdvance(name) for name in names), default=0)
    item.getAxis("left").setWidth(widest + PAD_PX)
    figure.setFixedHeight(CELL_PX * max(size, 1) + 3 * figure.fontMetrics().height())
    figure.set_ranges(-0.5, size - 0.5, -0.5, size - 0.5)


def draw_duels(figure: Figure, duels: Sequence[statistics.Duel]) -> None:
    """Draw wins, ties and losses of every two models: bars with intervals at 95 %."""
    rows = [(duel, part) for duel in duels for part in range(3)]
    names, values, item = [], [], figure.getPlotItem()
    for index, (duel, part) in enumerate(rows):
        y = len(rows) - 1 - index
        tone = ("accept", "dim", "reject")[part]
        share, low, high = duel.share((duel.wins, duel.ties, duel.losses)[part])
        fill = QColor(getattr(figure.theme, tone))
        fill.setAlpha(80)
        bar = pg.BarGraphItem(x0=0, x1=share, y=y, height=0.6, brush=pg.mkBrush(fill), pen=None)
        figure.add(bar)
        figure.line([low, high], [y, y], tone, width=2)
        figure.points([share], [y], tone, SYMBOLS[part])
        names.append((y, outcome_text(duel, part)))
        values.append((y, f"{share:.2f} [{low:.2f}, {high:.2f}] · n = {duel.n:,}"))
    item.showAxis("right")
    metrics = figure.fontMetrics()
    for side, texts in (("left", names), ("right", values)):
        axis = item.getAxis(side)
        widest = max((metrics.horizontalAdvance(text) for _, text in texts), default=0)
        axis.setWidth(widest + PAD_PX)
        axis.setTicks([texts])
    item.getAxis("bottom").setTicks([[(mark, f"{mark:g}") for mark in (0.0, 0.5, 1.0)]])
    figure.setFixedHeight(round((len(rows) + 1.7) * (metrics.height() + ROW_MARGIN_PX)))
    figure.set_ranges(-0.01, 1.03, -0.6, len(rows) - 0.4)


def outcome_text(duel: statistics.Duel, part: int) -> str:
    """What a row of the wins and losses counts."""
    if part == 1:
        text = translate("rating", "{one} and {other} equal")
    else:
        text = translate("rating", "{one} better than {other}")
    one, other = (duel.second, duel.first) if part == 2 else (duel.first, duel.second)
    return text.replace("{other}", shortened(other)).replace("{one}", shortened(one))


def legend_text(index: int, each: statistics.Distribution) -> str:
    """A model with its symbol, its mean and the number of its scores."""
    symbol = "●■▲◆"[index % len(SYMBOLS)]
    text = translate("rating", "{symbol} {model}: mean {mean}, n = {n}")
    text = text.replace("{symbol}", symbol).replace("{mean}", f"{each.mean:.2f}")
    return text.replace("{n}", f"{each.n:,}").replace("{model}", shortened(each.model))


def _rater_text(name: str) -> str:
    if not name.endswith(statistics.MODEL_MARK):
        return shortened(name)
    text = translate("rating", "{name} (model)")
    return text.replace("{name}", shortened(name.removesuffix(statistics.MODEL_MARK)))


def _cell(figure: Figure, value: float | None, count: int, x: int, y: int) -> None:
    theme = figure.theme
    colour = theme.panel
    if value is not None:
        # One colour for agreement, another for its opposite, never too dark to read.
        tone = theme.accent if value >= 0 else theme.warning
        colour = mixed(theme.panel, tone, 0.45 * min(abs(value), 1.0))
    rectangle = pg.QtWidgets.QGraphicsRectItem(QRectF(x - 0.48, y - 0.48, 0.96, 0.96))
    rectangle.setBrush(pg.mkBrush(colour))
    rectangle.setPen(pg.mkPen(theme.border))
    figure.add(rectangle)
    text = "–" if value is None else f"{value:.2f}".replace("-", "−")
    written = pg.TextItem(f"{text}\nn = {count:,}", color=theme.text, anchor=(0.5, 0.5))
    written.setFont(figure.font())
    written.setPos(x, y)
    figure.add(written)


def _label_scores(figure: Figure, x: str, y: str) -> None:
    item = figure.getPlotItem()
    item.setLabel("bottom", x, color=figure.theme.dim)
    item.setLabel("left", y, color=figure.theme.dim)
    item.getAxis("left").enableAutoSIPrefix(False)
    item.getAxis("bottom").setTicks([[(n, str(n)) for n in range(LOWEST, HIGHEST + 1)]])
