"""Small figures in the colours of the theme."""

from __future__ import annotations

from agent.confidence.scores import Estimate
from app.ui.review.agreement_page import AgreementPage
from app.ui.review.figures import Figure, FigureRow, draw_rows, shortened
from app.ui.theme.theme import DARK
from tests.app.ui.steps import shown_in


def test_figures_follow_the_theme(qtbot, context, shown):
    page = shown(AgreementPage(context))
    context.current_theme.use(DARK)
    background = page.people.figure.backgroundBrush().color().name()
    assert background == DARK.panel


def test_where_room_is_short_the_names_leave_it_to_the_intervals(qtbot, context):
    figure = Figure(context.current_theme, "x")
    figure.draw(draw_rows, [FigureRow("Ada · Ben", Estimate(0.5, 0.2, 0.8), 12)])
    shown_in(qtbot, figure, 900, 100)
    names = figure.getPlotItem().getAxis("left")
    usual = names.maximumWidth()
    figure.window().resize(450, 100)
    qtbot.waitUntil(lambda: names.maximumWidth() < 0.8 * usual)


def test_names_are_cut_and_rows_without_a_figure_are_left_empty(qtbot, context):
    assert len(shortened("x" * 200)) == 30
    figure = Figure(context.current_theme, "x")
    qtbot.addWidget(figure)
    figure.draw(draw_rows, [FigureRow("a", Estimate(None, 0.0, 1.0), 0)])
    texts = figure.getPlotItem().getAxis("right")._tickLevels
    assert texts == [[(0, "– · n = 0")]]
