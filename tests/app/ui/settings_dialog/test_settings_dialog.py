"""The dialog as a whole: it is not modal and follows the settings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest


def test_it_is_in_nobodys_way(dialog):
    assert not dialog.isModal()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_what_changes_elsewhere_is_shown(dialog):
    dialog.settings.change(theme="dark", workers=4, profile="marz", comments=("Broad Hα",))
    assert dialog.appearance.theme.currentData() == "dark"
    assert dialog.agent.workers.value() == 4
    assert dialog.keys.profile.currentData() == "marz"
    assert dialog.files.comments.toPlainText() == "Broad Hα"


def test_every_field_says_what_it_is(dialog):
    for field in (
        dialog.reviewer.name,
        dialog.reviewer.blind,
        dialog.reviewer.radius,
        dialog.appearance.theme,
        dialog.appearance.font_size,
        dialog.appearance.language,
        dialog.keys.profile,
        dialog.keys.query,
        dialog.keys.table,
        dialog.agent.model,
        dialog.agent.workers,
        dialog.files.comments,
    ):
        assert field.accessibleName()
