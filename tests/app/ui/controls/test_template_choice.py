"""The template drawn over the spectrum, chosen from a menu or by key."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from tests.app.ui.controls.steps import click, type_in, write_table


def actions(panel):
    menu = panel.template.menu
    return {
        each.data(): each
        for inner in (menu, *menu.findChildren(QMenu))
        for each in inner.actions()
        if each.data()
    }


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


def test_a_change_of_other_settings_leaves_the_menu_alone(panel, context):
    before = panel.template.menu.actions()
    context.settings.change(layout="moved", reviewer="Grace")
    assert panel.template.menu.actions() == before


def test_a_menu_that_is_filled_again_does_not_grow(qtbot, panel, context, tmp_path):
    sizes = []
    for name in ("one.txt", "two.txt"):
        context.settings.change(templates=(write_table(tmp_path / name),))
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert name in actions(panel)
        sizes.append(len(panel.template.menu.findChildren(QAction)))
    assert sizes[0] == sizes[1]


def test_a_file_of_the_users_is_read_kept_and_drawn(qtbot, panel, context, tmp_path):
    path = write_table(tmp_path / "mine & yours.txt")
    panel.template.add_file(path)
    qtbot.waitUntil(lambda: context.view.options.template == "mine & yours.txt")
    assert context.settings.settings.templates == (path,)
    assert "Your own" in panel.template.note.text()
    assert panel.templates.load("mine & yours.txt")[0].size > 300


def test_a_broken_file_of_the_users_is_told_and_not_kept(qtbot, panel, context, tmp_path):
    with qtbot.waitSignal(context.current.failed) as signal:
        panel.template.add_file(str(tmp_path / "none.txt"))
    assert "none.txt" in signal.args[0]
    assert context.settings.settings.templates == ()
    assert context.view.options.template == ""


def test_the_scale_is_set_by_hand_and_reset(qtbot, panel, context):
    assert not panel.template.automatic.isEnabled()
    type_in(qtbot, panel.template.scale, "1.5")
    assert context.view.options.template_scale == 1.5
    click(qtbot, panel.template.automatic)
    assert context.view.options.template_scale == 1.0
    assert panel.template.scale.text() == "1.000"
