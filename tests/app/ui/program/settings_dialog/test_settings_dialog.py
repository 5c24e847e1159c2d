"""The dialog follows the settings, and what is entered on its pages is in the settings at once."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from app.ui.program.settings_dialog.keys_page import _NAME


def test_it_is_in_nobodys_way_and_follows_the_settings(dialog):
    own, looks, keys, agent = dialog.reviewer, dialog.appearance, dialog.keys, dialog.agent
    fields = (own.name, own.blind, own.radius, looks.theme, looks.font_size, looks.language)
    fields += (keys.profile, keys.query, keys.table, agent.model, agent.workers)
    for field in (*fields, dialog.files.comments):
        assert field.accessibleName()
    dialog.reviewer.name.setFocus()
    QTest.keyClicks(dialog.reviewer.name, "Ad")
    dialog.settings.change(theme="dark")
    assert dialog.reviewer.name.text() == "Ad"
    dialog.settings.change(theme="dark", workers=4, profile="marz", comments=("Broad Hα",))
    assert dialog.appearance.theme.currentData() == "dark" and dialog.agent.workers.value() == 4
    assert dialog.keys.profile.currentData() == "marz"
    assert dialog.files.comments.toPlainText() == "Broad Hα" and not dialog.isModal()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_is_entered_is_in_the_settings_at_once(dialog, choose, monkeypatch):
    dialog.reviewer.name.setFocus()
    QTest.keyClicks(dialog.reviewer.name, "  Ada   Lovelace ")
    QTest.keyClick(dialog.reviewer.name, Qt.Key.Key_Tab)
    assert dialog.settings.settings.reviewer == "Ada Lovelace"
    dialog.reviewer.blind.setChecked(True)
    dialog.reviewer.radius.setValue(7.5)
    assert dialog.settings.settings.blind and dialog.settings.settings.neighbour_arcsec == 7.5
    dialog.open_page(dialog.appearance)
    choose(dialog.appearance.theme, "lamost")
    choose(dialog.appearance.font_size, 14)
    choose(dialog.appearance.language, "zh")
    now = dialog.settings.settings
    assert (now.theme, now.font_pt, now.language) == ("lamost", 14, "zh")
    dialog.open_page(dialog.files)
    dialog.files.comments.setPlainText("Broad Hα\n\n  宽   线 \nBroad Hα\n")
    assert dialog.settings.settings.comments == ("Broad Hα", "宽 线")
    dialog.open_page(dialog.files)
    files = (["/a/cv.toml", "/a/b.toml"], "")
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *arguments: files)
    QTest.mouseClick(dialog.files.line_lists.add_button, Qt.MouseButton.LeftButton)
    QTest.mouseClick(dialog.files.line_lists.add_button, Qt.MouseButton.LeftButton)
    assert dialog.settings.settings.line_lists == ("/a/cv.toml", "/a/b.toml")
    dialog.files.line_lists.list.setCurrentRow(0)
    QTest.mouseClick(dialog.files.line_lists.remove_button, Qt.MouseButton.LeftButton)
    assert dialog.settings.settings.line_lists == ("/a/b.toml",)


def test_model_and_device_are_chosen_and_addresses_with_keys_refused(qtbot, dialog, tmp_path):
    dialog.open_page(dialog.agent)
    box = dialog.agent.device
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentText() == "Processor" and dialog.settings.settings.device == "cpu"
    page = dialog.agent
    qtbot.waitUntil(lambda: page.model.count() == 2)
    assert page.model.currentText() == ""
    page.model.setEditText("spec-o3-7b")
    page.model.lineEdit().editingFinished.emit()
    assert dialog.settings.settings.model == "spec-o3-7b"
    assert "spec-o3 models get spec-o3-7b" in page.state.text()
    page.model.setCurrentIndex(page.model.findText("nano"))
    page.model.activated.emit(0)
    assert dialog.settings.settings.model == "nano" and str(tmp_path) in page.state.text()
    for address in ("https://ada:geheim@host/v1", "https://host/v1?api_key=geheim"):
        page.model.setEditText(address)
        page.model.lineEdit().editingFinished.emit()
        assert dialog.settings.settings.model == "nano" and "SPEC_O3_API_KEY" in page.state.text()


Key = Qt.Key


LEFT = Qt.MouseButton.LeftButton


def row(dialog, name):
    return next(each for each in dialog.keys._rows() if each.data(0, _NAME) == name)


def pick(dialog, name):
    dialog.open_page(dialog.keys)
    dialog.keys.table.setCurrentItem(row(dialog, name))


def test_a_key_is_given_taken_away_and_brought_back(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    assert QApplication.focusWidget() is dialog.keys.catcher
    QTest.keyClick(dialog.keys.catcher, Key.Key_J)
    assert dialog.keymap.keys("accept") == ("J",) and row(dialog, "accept").text(1) == "J"
    assert row(dialog, "accept").font(1).bold()
    QTest.mouseClick(dialog.keys.add_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert dialog.keymap.keys("accept") == ("J", "Ctrl+Return")
    QTest.mouseClick(dialog.keys.reset_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.clear_button, LEFT)
    assert dialog.keymap.keys("accept") == ()
    QTest.mouseClick(dialog.keys.reset_all_button, LEFT)
    assert dialog.keymap.keys("accept") == ("A",)


def test_a_taken_key_escape_and_going_elsewhere_leave_a_key_as_it_is(dialog):
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_X)
    assert dialog.keymap.keys("accept") == ("A",) and dialog.keys.message.isVisible()
    assert "Reject" in dialog.keys.message.text()
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    QTest.keyClick(dialog.keys.catcher, Key.Key_Escape)
    assert dialog.isVisible() and not dialog.keys.catcher.isVisible()
    assert dialog.keymap.keys("accept") == ("A",)
    pick(dialog, "accept")
    QTest.mouseClick(dialog.keys.change_button, LEFT)
    dialog.keys.query.setFocus()
    assert not dialog.keys.catcher.isVisible()
    pick(dialog, "escape")
    assert not dialog.keys.change_button.isEnabled()


def test_actions_are_found_and_a_profile_is_chosen(dialog, choose):
    dialog.open_page(dialog.keys)
    QTest.keyClicks(dialog.keys.query, "smoothing")
    seen = [each.text(0) for each in dialog.keys._rows() if not each.isHidden()]
    assert seen == ["No smoothing"]
    dialog.keys.query.clear()
    assert not any(each.isHidden() for each in dialog.keys._rows())
    choose(dialog.keys.profile, "candyjar")
    assert dialog.keymap.action("D") == "next" and row(dialog, "accept").text(1) == "I"
