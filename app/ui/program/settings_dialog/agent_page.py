"""The settings page of the agent: its model, what runs it and how many inspections at once."""

from __future__ import annotations

from functools import partial

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox

from agent.errors import WorkbenchError
from agent.models.card import is_server
from agent.models.registry import ModelLocation, list_models
from app.core.database.locations import shown_location
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_check import MAX_PATH, MAX_WORKERS
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.data_texts import key_in_address
from app.ui.base.translation.message_texts import translate_message
from app.ui.program.settings_dialog.settings_parts import (
    NARROW,
    SettingsPage,
    add_row,
    form,
    plain_label,
)
from app.ui.widgets.labels import add_parts


class AgentPage(SettingsPage):
    def __init__(self, settings: SettingsStore, runner: Runner) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Agent"))
        self._runner = runner
        self._models: tuple[ModelLocation, ...] = ()
        self._has_listed = False
        self.model = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        field = QLineEdit(maxLength=MAX_PATH, placeholderText=self.tr("Best bundled model"))
        field.editingFinished.connect(self._save_model)
        self.model.setLineEdit(field)
        self.model.activated.connect(self._save_model)
        devices = {
            "auto": self.tr("Automatic"),
            "cpu": self.tr("Processor"),
            "cuda": self.tr("Graphics card (CUDA or ROCm)"),
            "mps": self.tr("Graphics of an Apple computer"),
        }
        self.device = self._choice("device", devices)
        self.workers = QSpinBox(minimum=1, maximum=MAX_WORKERS)
        self.workers.setFixedWidth(NARROW)
        self.workers.valueChanged.connect(partial(self._save, "workers"))
        self._lay_out()

    def show_settings(self, settings: Settings) -> None:
        super().show_settings(settings)
        if not self.model.hasFocus():
            self.model.setEditText(settings.model)
        self.workers.setValue(settings.workers)
        self._show_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._has_listed:
            self._has_listed = True
            known_models = partial(list_models, on_fault=lambda error: None)
            self._runner.run(known_models, self._show_models, self._show_fault, owner=self)

    def _lay_out(self) -> None:
        rows = form()
        note = self.tr("A model from the list, a folder, a GGUF file or a server address")
        _, self.state = add_row(rows, self.tr("Model"), self.model, note, "")
        note = self.tr("Automatic: a graphics card if the model can use one")
        add_row(rows, self.tr("Runs on"), self.device, note)
        note = self.tr("Each inspection needs memory for its own copy of the model")
        add_row(rows, self.tr("Parallel inspections"), self.workers, note)
        keys = self.tr(
            "Server keys are read from SPEC_O3_API_KEY or the system keyring. They are "
            "never saved here, in sessions or in exports"
        )
        title = plain_label(self.tr("Server keys"), "title")
        add_parts(self.body, rows, title, plain_label(keys, "dim"), 1)

    def _show_models(self, models: tuple[ModelLocation, ...]) -> None:
        self._models = models
        text = self.model.currentText()
        self.model.clear()
        self.model.addItems([location.card.name for location in models])
        self.model.setEditText(text)
        self._show_state()

    def _show_fault(self, error: WorkbenchError) -> None:
        self.state.setText(translate_message(str(error)))

    def _save_model(self) -> None:
        text = self.model.currentText().strip()
        if text.isprintable() and shown_location(text) == text:
            self._settings.change(model=text)
        self._show_state()

    def _show_state(self) -> None:
        self.state.setText(self._state_text(self.model.currentText().strip()))

    def _state_text(self, name: str) -> str:
        if shown_location(name) != name:
            return key_in_address()
        if not name or is_server(name):
            return ""
        location = next((each for each in self._models if each.card.name == name), None)
        if location is None:
            return ""
        if location.is_ready:
            return self.tr("Ready: {where}").replace("{where}", str(location.folder or ""))
        if location.missing:
            missing = ", ".join(location.missing[:3])
            return self.tr("Incomplete: {files} missing").replace("{files}", missing)
        return self.tr("Not downloaded yet. Run: spec-o3 models get {name}").replace("{name}", name)
