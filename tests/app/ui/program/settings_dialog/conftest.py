"""The settings dialog with two known models."""

import pytest

from agent.models.card import Card, Source
from agent.models.registry import ModelLocation
from app.ui.base.keys.keymap import Keymap
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.program.settings_dialog import settings_dialog
from app.ui.program.settings_dialog.settings_dialog import SettingsDialog


@pytest.fixture
def dialog(qtbot, runner, tmp_path, monkeypatch):
    models = (_model("nano", tmp_path), _model("spec-o3-7b"))
    monkeypatch.setattr(settings_dialog, "list_models", lambda on_fault=None: models)
    settings = SettingsStore()
    dialog = SettingsDialog(settings, Keymap(settings), runner)
    dialog.settings, dialog.keymap = settings, dialog.keys._keymap
    qtbot.addWidget(dialog)
    dialog.open_page()
    qtbot.waitUntil(dialog.isActiveWindow)
    return dialog


def _model(name, folder=None):
    source = Source(repo=f"somebody/{name}", revision="a" * 40)
    card = Card(name=name, family="qwen2.5-vl", engine="gguf", source=source)
    return ModelLocation(card=card, origin="hub" if folder is None else "user", folder=folder)


@pytest.fixture
def choose():
    """Choose an entry of a combo box by its value, as a user does."""

    def choose_entry(box, value):
        box.setFocus()
        box.setCurrentIndex(box.findData(value))
        box.activated.emit(box.currentIndex())

    return choose_entry
