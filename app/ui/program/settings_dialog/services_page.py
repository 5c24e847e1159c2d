"""The settings page of services: each is turned on by itself, and says what leaves the machine."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QFrame, QLineEdit, QWidget

from app.core.evidence.choice import MAX_TEXT, choice_from, is_change
from app.services.catalogues.service import Service, all_services
from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.translation.data_texts import service_text
from app.ui.program.settings_dialog.settings_parts import (
    NARROW,
    SettingsPage,
    add_row,
    form,
    plain_label,
)
from app.ui.widgets.labels import add_parts, column

INDENT_PX = 22


class ServicesPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Services"))
        self.boxes: dict[str, ServiceBox] = {}
        about = self.tr(
            "What others know of an object, in the Evidence panel. Nothing is asked of a "
            "service that is not turned on here. What is sent is what each one says, and "
            "as with every web page the service sees the address of this computer."
        )
        self.body.addWidget(plain_label(about, "dim"))
        for service in all_services().values():
            box = self.boxes[service.id] = ServiceBox(service, self)
            box.on.toggled.connect(partial(self._save_on, service.id))
            box.url.editingFinished.connect(partial(self._save_change, service.id, "url"))
            box.release.editingFinished.connect(partial(self._save_change, service.id, "release"))
            self.body.addWidget(box)
        self.body.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        choice = choice_from(settings.services, settings.service_changes)
        for name, box in self.boxes.items():
            box.show_choice(name in choice.on, dict(choice.changes.get(name, {})))

    def _save_on(self, name: str, on: bool) -> None:
        before = [each for each in self._settings.settings.services if each != name]
        chosen = {*before, name} if on else set(before)
        self._settings.change(services=tuple(each for each in all_services() if each in chosen))

    def _save_change(self, name: str, what: str) -> None:
        box, service = self.boxes[name], all_services()[name]
        field = box.url if what == "url" else box.release
        text, key = field.text().strip(), f"{name}.{what}"
        changes = dict(self._settings.settings.service_changes)
        changes.pop(key, None)
        if text and text != getattr(service, what):
            if not is_change(service, what, text):
                box.show_problem(self.tr("Not saved: an address starts with https://"))
                return
            changes[key] = text
        box.show_problem("")
        self._settings.change(service_changes=changes)


class ServiceBox(QFrame):
    """One service: whether it is asked, what it is sent, its address and its release."""

    def __init__(self, service: Service, parent: QWidget) -> None:
        super().__init__(parent)
        self._service = service
        name = service_text(service.name)
        self.on = QCheckBox(name)
        self.on.setAccessibleDescription(service_text(service.sends))
        sends = self.tr("Sends: {what}").replace("{what}", service_text(service.sends))
        self.sends = plain_label(sends, "dim")
        self.url = QLineEdit(maxLength=MAX_TEXT, placeholderText=service.url)
        self.url.setToolTip(service.url)  # a long address does not fit in large text
        self.release = QLineEdit(maxLength=40, placeholderText=service.release)
        self.release.setMaximumWidth(NARROW)
        self.problem = plain_label("", "warning")
        self.problem.hide()
        rows = form()
        rows.setVerticalSpacing(6)
        add_row(rows, self.tr("Address"), self.url)
        self.url.setAccessibleName(f"{name}: {self.tr('Address')}")
        if service.release:
            add_row(rows, self.tr("Release"), self.release)
            self.release.setAccessibleName(f"{name}: {self.tr('Release')}")
        inside = column(self.sends, rows, self.problem, spacing=4, margins=(INDENT_PX, 0, 0, 0))
        column(self.on, inside, spacing=2, margins=(0, 0, 0, 6), parent=self)

    def show_choice(self, is_on: bool, changes: dict[str, str]) -> None:
        self.on.setChecked(is_on)
        for what, field in (("url", self.url), ("release", self.release)):
            if not field.hasFocus():
                field.setText(changes.get(what, ""))

    def show_problem(self, text: str) -> None:
        self.problem.setText(text)
        self.problem.setVisible(bool(text))


class ProgramsPage(SettingsPage):
    """The settings page about other programs of this machine."""

    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Other programs"))
        self.samp = self._switch("samp", self.tr("Connect to TOPCAT and others (SAMP)"))
        rows = form()
        leaves = self.tr(
            "Nothing leaves this machine: TOPCAT, Aladin and other programs on it see the list, "
            "the spectrum and the position that you send."
        )
        comes = self.tr(
            "They can open a candidate here and send a table or a spectrum, which never closes an "
            "open session by itself."
        )
        add_row(rows, self.tr("SAMP"), self.samp, leaves, comes)
        add_parts(self.body, rows, 1)
