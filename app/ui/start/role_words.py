"""What the columns of a list can be taken for, in words."""

from __future__ import annotations

from PySide6.QtCore import QT_TRANSLATE_NOOP, QCoreApplication

ROLE_WORDS = {
    "path": QT_TRANSLATE_NOOP("roles", "Spectrum file"),
    "row": QT_TRANSLATE_NOOP("roles", "Row in the file"),
    "object_id": QT_TRANSLATE_NOOP("roles", "Object"),
    "ra": QT_TRANSLATE_NOOP("roles", "RA"),
    "dec": QT_TRANSLATE_NOOP("roles", "Dec"),
    "score": QT_TRANSLATE_NOOP("roles", "Score"),
    "label": QT_TRANSLATE_NOOP("roles", "Label"),
    "snr": QT_TRANSLATE_NOOP("roles", "S/N"),
}
"""In the order they are shown; the same roles as app.core.importing.roles.ROLES."""


def role_words(role: str) -> str:
    return QCoreApplication.translate("roles", str(ROLE_WORDS[role]))
