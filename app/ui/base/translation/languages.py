"""The languages of the window, and the Qt translators, installed before any widget exists."""

from importlib import resources
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QLocale, QTranslator

LANGUAGES = {"en": "English", "zh": "简体中文"}  # Languages by code, under their native names
_QT_NAMES = {"zh": "zh_CN"}
"""Suffixes of Qt's own translations, which cover standard buttons and menus."""


def language_of(chosen: str, system: QLocale | None = None) -> str:
    """The language for a setting; "system" follows the system and falls back to English."""
    if chosen in LANGUAGES:
        return chosen
    preferred = (system or QLocale.system()).uiLanguages()
    short = (name.replace("_", "-").split("-")[0].lower() for name in preferred)
    return next((each for each in short if each in LANGUAGES), "en")


def install_translators(application: QCoreApplication, language: str) -> list[QTranslator]:
    """Install our translations and Qt's for one of LANGUAGES; the application owns them."""
    if language == "en":
        return []
    qt_folder = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath))
    files = (
        translations_folder() / f"spec_o3_{language}.qm",
        qt_folder / f"qtbase_{_QT_NAMES[language]}.qm",
    )
    loaded = []
    for file in files:
        translator = QTranslator(application)
        if translator.load(str(file)):
            application.installTranslator(translator)
            loaded.append(translator)
    return loaded


def translations_folder() -> Path:
    return Path(str(resources.files("resources"))) / "translations"
