"""The page of settings about the agent: which model, and how many at a time."""

from __future__ import annotations

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSpinBox, QWidget

from agent.errors import WorkbenchError
from agent.models.registry import ModelLocation, list_models
from agent.models.server_url import is_server
from app.ui.background.runner import Runner
from app.ui.settings.settings import Settings
from app.ui.settings.settings_check import MAX_PATH, MAX_WORKERS
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.settings_dialog.settings_parts import NARROW, SettingsPage, add_row, form, plain_label


class AgentPage(SettingsPage):
    def __init__(
        self, settings: SettingsKeeper, runner: Runner, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.heading.setText(self.tr("Agent"))
        self._settings = settings
        self._runner = runner
        self._places: tuple[ModelLocation, ...] = ()
        self._has_asked = False
        self.model = QComboBox(editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        field = QLineEdit(maxLength=MAX_PATH, placeholderText=self.tr("The best one in the box"))
        field.editingFinished.connect(self._take_model)
        self.model.setLineEdit(field)
        self.model.activated.connect(self._take_model)
        self.workers = QSpinBox(minimum=1, maximum=MAX_WORKERS)
        self.workers.setFixedWidth(NARROW)
        self.workers.valueChanged.connect(self._take_workers)
        self._lay_out()

    def show_settings(self, settings: Settings) -> None:
        if not self.model.hasFocus():
            self.model.setEditText(settings.model)
        self.workers.setValue(settings.workers)
        self._tell_state()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._has_asked:
            self._has_asked = True
            self._runner.run(_known_models, self._show_models, self._show_fault, owner=self)

    def _lay_out(self) -> None:
        rows = form()
        note = self.tr("A name of the list, a folder or GGUF file, or a server's address")
        _, self.state = add_row(rows, self.tr("Model"), self.model, note, "")
        note = self.tr("Each takes memory for a model of its own")
        add_row(rows, self.tr("Inspections at a time"), self.workers, note)
        self.body.addLayout(rows)
        self.body.addWidget(plain_label(self.tr("Keys of servers"), "title"))
        text = self.tr(
            "A server's key is read from SPEC_O3_API_KEY or the system's keyring. It is kept "
            "neither here nor in sessions or exports"
        )
        self.body.addWidget(plain_label(text, "dim"))
        self.body.addStretch(1)

    def _show_models(self, places: tuple[ModelLocation, ...]) -> None:
        self._places = places
        text = self.model.currentText()
        self.model.clear()
        self.model.addItems([place.card.name for place in places])
        self.model.setEditText(text)
        self._tell_state()

    def _show_fault(self, error: WorkbenchError) -> None:
        self.state.setText(str(error))

    def _take_model(self) -> None:
        text = self.model.currentText().strip()
        if text.isprintable():
            self._settings.change(model=text)
        self._tell_state()

    def _take_workers(self, count: int) -> None:
        self._settings.change(workers=count)

    def _tell_state(self) -> None:
        self.state.setText(self._state(self.model.currentText().strip()))

    def _state(self, name: str) -> str:
        if not name or is_server(name):
            return ""
        place = next((each for each in self._places if each.card.name == name), None)
        if place is None:
            return ""
        if place.is_ready:
            return self.tr("Ready: {where}").replace("{where}", str(place.folder or ""))
        if place.missing:
            missing = ", ".join(place.missing[:3])
            return self.tr("Not complete: {files} missing").replace("{files}", missing)
        text = self.tr("Not on this machine yet: spec-o3 models get {name}")
        return text.replace("{name}", name)


def _known_models() -> tuple[ModelLocation, ...]:
    return list_models(on_fault=lambda error: None)
