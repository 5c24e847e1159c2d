"""Applies the theme chosen in the settings or by the system."""

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.ui.base.settings.settings import Settings
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme import style_sheet
from app.ui.base.theme.theme import DARK, LIGHT, THEMES, CurrentTheme, Theme

SYSTEM = "system"


def theme_of(chosen: str) -> Theme:
    """Return the theme of a setting; `system` means the desktop's."""
    if chosen in THEMES:
        return THEMES[chosen]
    return DARK if system_is_dark() else LIGHT


def system_is_dark() -> bool:
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


class ThemeApplier(QObject):
    """Applies the theme now and whenever the settings or the desktop's scheme change."""

    def __init__(
        self, application: QApplication, current_theme: CurrentTheme, settings: SettingsStore
    ) -> None:
        super().__init__()
        self._application, self._current_theme = application, current_theme
        self._chosen = (settings.settings.theme, settings.settings.font_pt)
        self._apply()
        settings.changed.connect(self._on_settings_changed)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_system_changed)

    def _on_settings_changed(self, settings: Settings) -> None:
        chosen = (settings.theme, settings.font_pt)
        if chosen != self._chosen:
            self._chosen = chosen
            self._apply()

    def _on_system_changed(self) -> None:
        if self._chosen[0] == SYSTEM:
            self._apply()

    def _apply(self) -> None:
        theme = theme_of(self._chosen[0])
        style_sheet.apply(self._application, theme, self._chosen[1])
        self._current_theme.use(theme)
