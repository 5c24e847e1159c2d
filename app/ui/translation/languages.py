"""The window in other languages: which there are, and how Qt is told before the window is made."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

LANGUAGES = {"en": "English", "zh": "简体中文"}
"""As their speakers write them."""
_QT_NAMES = {"zh": "zh_CN"}
"""Of Qt's own translations, for its standard buttons and menus."""


def language_of(chosen: str, system: QLocale | None = None) -> str:
    """One of LANGUAGES for a setting: `system` asks the system, and English is for everybody."""
    if chosen in LANGUAGES:
        return chosen
    wanted = (system or QLocale.system()).uiLanguages()
    for name in wanted:
        short = name.replace("_", "-").split("-")[0].lower()
        if short in LANGUAGES:
            return short
    return "en"


def speak(application: QCoreApplication, language: str) -> list[QTranslator]:
    """Load the translations of one of LANGUAGES: ours and Qt's. The application keeps them."""
    if language == "en":
        return []
    qt_folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    files = (
        translations() / f"spec_o3_{language}.qm",
        qt_folder / f"qtbase_{_QT_NAMES[language]}.qm",
    )
    loaded = []
    for file in files:
        translator = QTranslator(application)
        if translator.load(str(file)):
            application.installTranslator(translator)
            loaded.append(translator)
    return loaded


def translations() -> Path:
    """The folder they lie in."""
    return Path(str(resources.files("resources"))) / "translations"
