"""The model is chosen, and its state shown."""

from __future__ import annotations

from PySide6.QtCore import Qt


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


def test_an_address_with_a_key_is_not_saved(qtbot, dialog):
    dialog.open_page(dialog.agent)
    page = dialog.agent
    for address in ("https://ada:geheim@host/v1", "https://host/v1?api_key=geheim"):
        page.model.setEditText(address)
        page.model.lineEdit().editingFinished.emit()
        assert dialog.settings.settings.model == ""
        assert "SPEC_O3_API_KEY" in page.state.text()


def test_what_runs_the_model_is_chosen_with_the_keyboard(qtbot, dialog):
    dialog.open_page(dialog.agent)
    box = dialog.agent.device
    box.setFocus()
    qtbot.keyClick(box, Qt.Key.Key_Down)
    assert box.currentText() == "Processor"
    assert dialog.settings.settings.device == "cpu"
