"""Templates to lay over: simulated and said to be, or the user's own; a broken one is told."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu

from agent.errors import ReadError, ResourceError
from app.ui.controls.template_library import SIMULATED, TemplateLibrary


def table(path):
    wavelength = np.linspace(4000.0, 8000.0, 400)
    fluxes = np.sin(wavelength / 300) + 2
    rows = (f"{at:.3f} {flux:.4f}" for at, flux in zip(wavelength, fluxes, strict=True))
    path.write_text("\n".join(rows), encoding="utf-8")
    return str(path)


def actions(panel):
    menu = panel.template.menu
    return {
        each.data(): each
        for inner in (menu, *menu.findChildren(QMenu))
        for each in inner.actions()
        if each.data()
    }


def test_every_template_of_the_box_loads_and_says_what_it_is():
    library = TemplateLibrary()
    assert len(library.names()) > 30
    for name in library.names():
        assert name.endswith(SIMULATED)
        wavelength, flux = library.load(name)
        assert wavelength.shape == flux.shape
        assert np.all(np.diff(wavelength) > 0)
        assert np.isfinite(flux).all()
        assert np.median(flux[flux > 0]) == pytest.approx(1.0)


def test_a_template_is_read_once_and_nobody_can_change_it():
    library = TemplateLibrary()
    wavelength, flux = library.load("S star (simulated)")
    assert library.load("S star (simulated)")[1] is flux
    with pytest.raises(ValueError, match="read-only"):
        wavelength[0] = 1.0


def test_one_that_is_not_there_is_told():
    with pytest.raises(ResourceError, match="no template 'x'"):
        TemplateLibrary().load("x")


def test_files_of_the_users_come_behind_under_their_own_names(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    paths = [table(tmp_path / "a" / "star.txt"), table(tmp_path / "b" / "star.txt")]
    library = TemplateLibrary(paths)
    assert library.names()[-2:] == ["star.txt", "star.txt 2"]
    wavelength, flux = library.load("star.txt 2")
    assert wavelength[0] == pytest.approx(4000.0, abs=2.0)
    assert np.median(np.abs(flux)) == pytest.approx(1.0)
    library.set_own(paths[:1])
    assert "star.txt 2" not in library.names()
    with pytest.raises(ResourceError):
        library.load("star.txt 2")


def test_a_broken_file_is_told(tmp_path):
    path = tmp_path / "broken.txt"
    path.write_bytes(b"\0\1not a spectrum")
    library = TemplateLibrary([str(path)])
    with pytest.raises(ReadError, match=r"broken\.txt"):
        library.load("broken.txt")


def test_the_key_lays_the_first_of_the_class_over_and_takes_it_away(panel, context):
    context.commands.run("template")
    assert context.view.options.template == "CV in quiescence (simulated)"
    assert panel.template.shown.isChecked()
    context.commands.run("template")
    assert context.view.options.template == ""


def test_the_one_chosen_last_comes_back(qtbot, panel, context):
    actions(panel)["M giant, late (simulated)"].trigger()
    assert context.view.options.template == "M giant, late (simulated)"
    assert panel.template.choose.text() == "M giant, late"
    assert "Simulated" in panel.template.note.text()
    qtbot.mouseClick(panel.template.shown, Qt.MouseButton.LeftButton)
    assert context.view.options.template == ""
    context.commands.run("template")
    assert context.view.options.template == "M giant, late (simulated)"
    assert actions(panel)["M giant, late (simulated)"].isChecked()


def test_classes_fold_with_that_of_the_task_first(panel):
    titles = [each.menu().title() for each in panel.template.menu.actions() if each.menu()]
    assert titles[0] == "Cataclysmic variables"
    assert len(titles) == len(set(titles)) > 8


def test_a_file_of_the_users_is_read_kept_and_drawn(qtbot, panel, context, tmp_path):
    path = table(tmp_path / "mine & yours.txt")
    panel.template.add_file(path)
    qtbot.waitUntil(lambda: context.view.options.template == "mine & yours.txt")
    assert context.settings.settings.templates == (path,)
    assert "Your own" in panel.template.note.text()
    assert panel.templates.load("mine & yours.txt")[0].size > 300


def test_a_broken_file_of_the_users_is_told_and_not_kept(qtbot, panel, context, tmp_path):
    with qtbot.waitSignal(context.current.failed) as told:
        panel.template.add_file(str(tmp_path / "none.txt"))
    assert "none.txt" in told.args[0]
    assert context.settings.settings.templates == ()
    assert context.view.options.template == ""
