"""Templates: bundled or own files, chosen by menu or key, and ranked by how well they fit."""

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from agent.errors import ReadError, ResourceError
from agent.spectra.matching.template_velocity import Match
from app.ui.base.translation.data_texts import SIMULATED
from app.ui.judge.controls import template_choice
from app.ui.judge.controls.template_choice import MOST_SHOWN, TemplateLibrary, speed_text
from tests.app.ui.judge.controls.conftest import type_in, write_table
from tests.app.ui.steps import click


def actions(panel):
    menu = panel.template.menu
    every = [each for part in (menu, *menu.findChildren(QMenu)) for each in part.actions()]
    return {each.data(): each for each in every if each.data()}


def test_the_key_takes_the_first_of_the_class_or_the_one_chosen_last(panel, context, qtbot):
    context.commands.run("template")
    assert context.view.options.template == "CV in quiescence (simulated)"
    assert panel.template.shown.isChecked()
    context.commands.run("template")
    assert context.view.options.template == ""
    actions(panel)["M giant, late (simulated)"].trigger()
    assert context.view.options.template == "M giant, late (simulated)"
    assert panel.template.choose.text() == "M giant, late"
    assert "Simulated" in panel.template.note.text()
    click(qtbot, panel.template.shown)
    assert context.view.options.template == ""
    context.commands.run("template")
    assert context.view.options.template == "M giant, late (simulated)"
    assert actions(panel)["M giant, late (simulated)"].isChecked()


def test_the_menu_folds_by_class_and_is_filled_anew_for_files_alone(
    panel, context, qtbot, tmp_path
):
    titles = [each.menu().title() for each in panel.template.menu.actions() if each.menu()]
    assert titles[0] == "Cataclysmic variables" and len(titles) == len(set(titles)) > 8
    before = panel.template.menu.actions()
    context.settings.change(layout="moved", reviewer="Grace")
    assert panel.template.menu.actions() == before
    sizes = []
    for name in ("one.txt", "two.txt"):
        context.settings.change(templates=(write_table(tmp_path / name),))
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert name in actions(panel)
        sizes.append(len(panel.template.menu.findChildren(QAction)))
    assert sizes[0] == sizes[1]


def test_a_broken_file_is_told_and_a_file_of_the_users_drawn_to_scale(
    qtbot, panel, context, tmp_path
):
    assert not panel.template.automatic.isEnabled()
    type_in(qtbot, panel.template.scale, "1.5")
    assert context.view.options.template_scale == 1.5
    click(qtbot, panel.template.automatic)
    assert context.view.options.template_scale == 1.0 and panel.template.scale.text() == "1.000"
    with qtbot.waitSignal(context.current.failed) as signal:
        panel.template.add_file(str(tmp_path / "none.txt"))
    assert "none.txt" in signal.args[0] and context.settings.settings.templates == ()
    assert context.view.options.template == ""
    path = write_table(tmp_path / "mine & yours.txt")
    panel.template.add_file(path)
    qtbot.waitUntil(lambda: context.view.options.template == "mine & yours.txt")
    assert context.settings.settings.templates == (path,)
    assert "Your own" in panel.template.note.text()
    assert panel.templates.load("mine & yours.txt")[0].size > 300


def test_every_template_of_the_box_is_read_once_and_says_what_it_is():
    library = TemplateLibrary()
    assert len(library.templates) > 30
    for name in (each.name for each in library.templates):
        assert name.endswith(SIMULATED)
        wavelength, flux = library.load(name)
        assert wavelength.shape == flux.shape and np.all(np.diff(wavelength) > 0)
        assert np.isfinite(flux).all() and np.median(flux[flux > 0]) == pytest.approx(1.0)
    wavelength, flux = library.load("S star (simulated)")
    assert library.load("S star (simulated)")[1] is flux
    with pytest.raises(ValueError, match="read-only"):
        wavelength[0] = 1.0
    with pytest.raises(ResourceError, match="no template 'x'"):
        library.load("x")


def test_files_of_the_users_have_their_own_names_and_a_broken_one_is_told(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    paths = [write_table(tmp_path / "a" / "star.txt"), write_table(tmp_path / "b" / "star.txt")]
    library = TemplateLibrary(paths)
    assert [each.name for each in library.templates[-2:]] == ["star.txt", "star.txt 2"]
    wavelength, flux = library.load("star.txt 2")
    assert wavelength[0] == pytest.approx(4000.0, abs=2.0)
    assert np.median(np.abs(flux)) == pytest.approx(1.0)
    library.set_own(paths[:1])
    assert library.find("star.txt 2") is None
    with pytest.raises(ResourceError):
        library.load("star.txt 2")
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\0\1not a spectrum")
    library = TemplateLibrary([str(path)])
    with pytest.raises(ReadError, match=r"broken\.txt"):
        library.load("broken.txt")


@pytest.fixture(autouse=True)
def few_templates(monkeypatch):
    """Fitting all of them takes seconds, and minutes on a busy machine."""
    rank = template_choice._rank

    def rank_few(library, templates, spectrum):
        return rank(library, templates[:12], spectrum)

    monkeypatch.setattr(template_choice, "_rank", rank_few)


def test_the_best_comes_first_until_another_candidate(qtbot, panel, context):
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
    context.commands.run("rank_templates")
    qtbot.waitUntil(lambda: bool(panel.template.ranking.names))
    with qtbot.waitSignal(context.current.candidate_changed):
        context.current.next()
    qtbot.waitUntil(lambda: context.current.spectrum is not None)
    assert not panel.template.ranking.names and panel.template.ranking.note.isHidden()


def test_a_velocity_is_told_only_where_it_stands_out():
    assert speed_text(Match("a", 1.0, -0.0001, True)) == "\N{MINUS SIGN}30 km/s"
    assert speed_text(Match("a", 1.0, 0.31, True)) == "z 0.3100"
    assert speed_text(Match("a", 1.0, -0.0001, False)) == "–"
