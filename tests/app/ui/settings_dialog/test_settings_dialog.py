"""What is chosen in the dialog is in the settings at once, and in the file soon after."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from agent.models.card import Card, Source
from agent.models.registry import ModelLocation
from app.ui.background.runner import Runner
from app.ui.keys.keymap import Keymap
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.settings_dialog import agent_page
from app.ui.settings_dialog.settings_dialog import SettingsDialog

Key = Qt.Key
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def runner():
    runner = Runner()
    yield runner
    runner.close()


@pytest.fixture
def dialog(qtbot, runner, tmp_path, monkeypatch):
    places = (_place("nano", tmp_path), _place("spec-o3-7b"))
    monkeypatch.setattr(agent_page, "list_models", lambda on_fault=None: places)
    settings = SettingsKeeper()
    dialog = SettingsDialog(settings, Keymap(settings), runner)
    dialog.settings, dialog.keymap = settings, dialog.keys._keymap
    qtbot.addWidget(dialog)
    dialog.open_page()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def _place(name, folder=None):
    source = Source(repo=f"somebody/{name}", revision="a" * 40)
    card = Card(name=name, family="qwen2.5-vl", engine="gguf", source=source)
    return ModelLocation(card=card, origin="hub" if folder is None else "user", folder=folder)


def choose(box, value):
    box.setFocus()
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def row(dialog, name):
    from app.ui.settings_dialog.keys_page import _NAME

    return next(each for each in dialog.keys._rows() if each.data(0, _NAME) == name)


def pick(dialog, name):
    dialog.open_page(dialog.keys)
    dialog.keys.table.setCurrentItem(row(dialog, name))


def test_it_is_in_nobodys_way(dialog):
    assert not dialog.isModal()
    QTest.keyClick(dialog, Key.Key_Escape)
    assert not dialog.isVisible()


def test_your_name(dialog):
    dialog.you.name.setFocus()
    QTest.keyClicks(dialog.you.name, "  Ada   Lovelace ")
    QTest.keyClick(dialog.you.name, Key.Key_Tab)
    assert dialog.settings.settings.reviewer == "Ada Lovelace"


def test_blind_and_nearby(dialog):
    dialog.you.blind.setChecked(True)
    dialog.you.radius.setValue(7.5)
    assert dialog.settings.settings.blind
    assert dialog.settings.settings.neighbour_arcsec == 7.5


def test_looks(dialog):
    dialog.open_page(dialog.look)
    choose(dialog.look.theme, "lamost")
    choose(dialog.look.font_size, 14)
    choose(dialog.look.language, "zh")
    now = dialog.settings.settings
    assert (now.theme, now.font_pt, now.language) == ("lamost", 14, "zh")


def test_what_changes_elsewhere_is_shown(dialog):
    dialog.settings.change(theme="dark", workers=4, profile="marz", comments=("Broad Hα",))
    assert dialog.look.theme.currentData() == "dark"
    assert dialog.agent.workers.value() == 4
    assert dialog.keys.profile.currentData() == "marz"
    assert dialog.files.comments.toPlainText() == "Broad Hα"


def test_what_is_being_written_is_left_alone(dialog):
    dialog.you.name.setFocus()
    QTest.keyClicks(dialog.you.name, "Ad")
    dialog.settings.change(theme="dark")
    assert dialog.you.name.text() == "Ad"


def test_a_key_is_given_by_pressing_it(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    assert QApplication.focusWidget() is dialog.keys.catcher
    QTest.keyClick(dialog.keys.catcher, Key.Key_J)
    assert dialog.keymap.keys("accept") == ("J",)
    assert row(dialog, "accept").text(1) == "J"
    assert row(dialog, "accept").font(1).bold()
    QTest.mouseClick(dialog.keys.add_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.keymap.keys("accept") == ("J", "Ctrl+Return")
    QTest.mouseClick(dialog.keys.reset_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_a_taken_key_is_refused_in_words(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_X)
    assert dialog.keymap.keys("accept") == ("A",)
    assert dialog.keys.message.isVisible()
    assert "Reject, go on" in dialog.keys.message.text()


def test_escape_leaves_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Escape)
    assert dialog.isVisible()
    assert not dialog.keys.catcher.isVisible()
    assert dialog.keymap.keys("accept") == ("A",)


def test_going_elsewhere_leaves_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    dialog.keys.query.setFocus()
    assert not dialog.keys.catcher.isVisible()


def test_keys_can_be_taken_away_and_all_brought_back(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.clear_button, LEFT)
    assert dialog.keymap.keys("accept") == ()
    QTest.mouseClick(dialog.keys.reset_all_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_escape_itself_is_not_to_be_changed(dialog):
    pick(dialog, "escape")
    assert not dialog.keys.change_button.isEnabled()


def test_a_profile_is_chosen(dialog):
    choose(dialog.keys.profile, "candyjar")
    assert dialog.keymap.action("D") == "next"
    assert row(dialog, "accept").text(1) == "I"


def test_actions_are_found(dialog):
    dialog.open_page(dialog.keys)
    QTest.keyClicks(dialog.keys.query, "smoothing")
    seen = [each.text(0) for each in dialog.keys._rows() if not each.isHidden()]
    assert seen == ["No smoothing"]
    dialog.keys.query.clear()
    assert not any(each.isHidden() for each in dialog.keys._rows())


def test_a_model_is_chosen_and_its_state_told(qtbot, dialog, tmp_path):
    dialog.open_page(dialog.agent)
    page = dialog.agent
    qtbot.waitUntil(lambda: page.model.count() == 2)
    assert page.model.currentText() == ""
    page.model.setEditText("spec-o3-7b")
    page.model.lineEdit().editingFinished.emit()
    assert dialog.settings.settings.model == "spec-o3-7b"
    assert "spec-o3 models get spec-o3-7b" in page.state.text()
    page.model.setCurrentIndex(page.model.findText("nano"))
    page.model.activated.emit(0)
    assert dialog.settings.settings.model == "nano"
    assert str(tmp_path) in page.state.text()


def test_comments_are_lines(dialog):
    dialog.open_page(dialog.files)
    dialog.files.comments.setPlainText("Broad Hα\n\n  宽   线 \nBroad Hα\n")
    assert dialog.settings.settings.comments == ("Broad Hα", "宽 线")


def test_files_are_added_and_taken_away(dialog, monkeypatch):
    dialog.open_page(dialog.files)
    files = (["/a/cv.toml", "/a/b.toml"], "")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *arguments: files)
    QTest.mouseClick(dialog.files.line_lists.add_button, LEFT)
    QTest.mouseClick(dialog.files.line_lists.add_button, LEFT)
    assert dialog.settings.settings.line_lists == ("/a/cv.toml", "/a/b.toml")
    dialog.files.line_lists.list.setCurrentRow(0)
    QTest.mouseClick(dialog.files.line_lists.remove_button, LEFT)
    assert dialog.settings.settings.line_lists == ("/a/b.toml",)


def test_every_field_says_what_it_is(dialog):
    for field in (
        dialog.you.name,
        dialog.you.blind,
        dialog.you.radius,
        dialog.look.theme,
        dialog.look.font_size,
        dialog.look.language,
        dialog.keys.profile,
        dialog.keys.query,
        dialog.keys.table,
        dialog.agent.model,
        dialog.agent.workers,
        dialog.files.comments,
    ):
        assert field.accessibleName()
