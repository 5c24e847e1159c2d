"""Small figures in the colours of the theme."""

from __future__ import annotations

from agent.confidence.scores import Estimate
from app.ui.review.agreement_page import AgreementPage
from app.ui.review.figures import Figure, FigureRow, draw_rows, shortened
from app.ui.theme.theme import DARK


def test_figures_follow_the_theme(qtbot, context, shown):
    page = shown(AgreementPage(context))
    context.current_theme.use(DARK)
    background = page.people.figure.backgroundBrush().color().name()
    assert background == DARK.panel


def test_names_are_cut_and_rows_without_a_figure_are_left_empty(qtbot, context):
    assert len(shortened("x" * 200)) == 30
    figure = Figure(context.current_theme, "x")
    qtbot.addWidget(figure)
    figure.draw(draw_rows, [FigureRow("a", Estimate(None, 0.0, 1.0), 0)])
    texts = figure.getPlotItem().getAxis("right")._tickLevels
    assert texts == [[(0, "– · n = 0")]]
