"""The look of the window as the settings, or the system, want it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.ui.settings.settings import Settings
from app.ui.settings.settings_keeper import SettingsKeeper
from app.ui.theme import style_sheet
from app.ui.theme.theme import DARK, LIGHT, THEMES, CurrentTheme, Theme

SYSTEM = "system"


def theme_of(chosen: str) -> Theme:
    """For a setting: `system` asks what the desktop has."""
    if chosen in THEMES:
        return THEMES[chosen]
    return DARK if system_is_dark() else LIGHT


def system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


class ThemeApplier(QObject):
    """Puts a theme on at once, and again whenever settings or desktop change."""

    def __init__(
        self,
        application: QApplication,
        current_theme: CurrentTheme,
        settings: SettingsKeeper,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._application = application
        self._current_theme = current_theme
        self._chosen = (settings.settings.theme, settings.settings.font_pt)
        self._dress()
        settings.changed.connect(self._take_settings)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._take_system)

    def _take_settings(self, settings: Settings) -> None:
        chosen = (settings.theme, settings.font_pt)
        if chosen != self._chosen:
            self._chosen = chosen
            self._dress()

    def _take_system(self) -> None:
        if self._chosen[0] == SYSTEM:
            self._dress()

    def _dress(self) -> None:
        theme = theme_of(self._chosen[0])
        style_sheet.apply(self._application, theme, self._chosen[1])
        self._current_theme.use(theme)
