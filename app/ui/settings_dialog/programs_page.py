"""The settings page about other programs of this machine."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox

from app.ui.settings.settings import Settings
from app.ui.settings.settings_store import SettingsStore
from app.ui.settings_dialog.settings_parts import SettingsPage, add_row, form


class ProgramsPage(SettingsPage):
    def __init__(self, settings: SettingsStore) -> None:
        super().__init__(settings)
        self.heading.setText(self.tr("Other programs"))
        self.samp = QCheckBox(self.tr("Connect to TOPCAT and others (SAMP)"))
        self.samp.toggled.connect(partial(self._save, "samp"))
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
        self.body.addLayout(rows)
        self.body.addStretch(1)

    def show_settings(self, settings: Settings) -> None:
        self.samp.setChecked(settings.samp)
