"""The templates in the order of how well they fit."""

from __future__ import annotations

import pytest

from agent.spectra.matching.template_ranking import Match
from app.ui.controls import template_ranking
from app.ui.controls.template_ranking import MOST_SHOWN, speed_text
from tests.app.ui.controls.steps import click


@pytest.fixture(autouse=True)
def few_templates(monkeypatch):
    """Fitting all of them takes seconds, and minutes on a busy machine."""
    rank = template_ranking._rank

    def rank_few(library, templates, spectrum):
        return rank(library, templates[:12], spectrum)

    monkeypatch.setattr(template_ranking, "_rank", rank_few)


def test_the_best_comes_first_and_a_click_takes_it(qtbot, panel, context):
    ranking = panel.template.ranking
    click(qtbot, ranking.start)
    assert "Fitting" in ranking.note.text()
    qtbot.waitUntil(lambda: len(ranking.names) == MOST_SHOWN)
    figures = [match.chi2 for match in ranking.matches]
    assert figures == sorted(figures)
    best = next(each for each in ranking.matches if each.is_trusted)
    click(qtbot, ranking.names[ranking.matches.index(best)])
    assert context.view.options.template == best.name
    assert context.view.options.z == pytest.approx(best.z)
    chosen = [each.text() for each in ranking.names if each.isChecked()]
    assert [f"{each} (simulated)" for each in chosen] == [best.name]


def test_another_candidate_forgets_it(qtbot, panel, context):
    context.commands.run("rank_templates")
    qtbot.waitUntil(lambda: bool(panel.template.ranking.names))
    with qtbot.waitSignal(context.current.candidate_changed):
        context.current.next()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    assert not panel.template.ranking.names
    assert panel.template.ranking.note.isHidden()


def test_a_velocity_is_told_only_where_it_stands_out():
    assert speed_text(Match("a", 1.0, -0.0001, True)) == "\N{MINUS SIGN}30 km/s"
    assert speed_text(Match("a", 1.0, 0.31, True)) == "z 0.3100"
    assert speed_text(Match("a", 1.0, -0.0001, False)) == "–"
