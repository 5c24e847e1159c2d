"""The theme of the settings, or of the desktop, is applied to the application."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QPushButton

from app.ui.base import apply_theme
from app.ui.base.apply_theme import ThemeApplier, theme_of
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import DARK, LAMOST, LIGHT, CurrentTheme
from tests.app.ui.steps import heard


def test_a_theme_is_applied_and_changed(qtbot, restyled):
    settings, current_theme = SettingsStore(), CurrentTheme()
    settings.change(theme="dark", font_pt=14)
    applier = ThemeApplier(restyled, current_theme, settings)
    button = QPushButton("Export")
    button.setProperty("role", "primary")
    qtbot.addWidget(button)
    button.show()
    assert current_theme.theme is DARK and QApplication.font().pointSize() == 14
    assert _colour_of(button) == DARK.accent
    assert heard(qtbot, current_theme.changed, lambda: settings.change(theme="lamost")) == LAMOST
    qtbot.waitUntil(lambda: _colour_of(button) == LAMOST.accent)
    applier.deleteLater()


def test_the_desktop_is_followed_where_that_is_wanted(qtbot, restyled, monkeypatch):
    schemes = [Qt.ColorScheme.Dark]
    monkeypatch.setattr(apply_theme, "system_is_dark", lambda: schemes[0] == Qt.ColorScheme.Dark)
    assert (theme_of("system"), theme_of("lamost")) == (DARK, LAMOST)
    settings, current_theme = SettingsStore(), CurrentTheme()
    applier = ThemeApplier(restyled, current_theme, settings)
    assert current_theme.theme is DARK
    schemes[0] = Qt.ColorScheme.Light
    QGuiApplication.styleHints().colorSchemeChanged.emit(schemes[0])
    assert current_theme.theme is LIGHT
    settings.change(theme="dark")
    QGuiApplication.styleHints().colorSchemeChanged.emit(schemes[0])
    assert current_theme.theme is DARK
    applier.deleteLater()


def _colour_of(button):
    image = button.grab().toImage()
    return QColor(image.pixel(6, image.height() // 2)).name()
