"""Themes: colours that can be read and told apart, and the one that is applied."""

import re
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QPushButton

from app.ui.base import apply_theme
from app.ui.base.apply_theme import ThemeApplier, theme_of
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.style_sheet import palette, style_sheet
from app.ui.base.theme.theme import (
    DARK,
    LAMOST,
    LIGHT,
    THEMES,
    CurrentTheme,
    contrast,
    mixed,
    tint,
    tones,
)
from tests.app.ui.steps import heard

READABLE, VISIBLE = 4.5, 3.0
"""Contrast of text, and of shapes, that WCAG 2 asks for."""
VERDICTS = ("accept", "reject", "unsure")
COLOUR_BLIND = np.array([
    [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
     [-0.003882, -0.048116, 1.051998]],
    [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
     [-0.011820, 0.042940, 0.968881]],
])  # fmt: skip
"""Linear colours as seen without long or without middle cones: Machado et al. 2009."""
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
WHITE = np.array([0.9505, 1.0, 1.089])
TELLING = 20.0
"""In the units of CIE Lab: clearly different side by side."""


def texts(theme):
    """Every colour of text with what it is written on."""
    more = tones(theme)
    surfaces = (theme.window, theme.panel, more.hover, more.field, more.row, more.chosen)
    yield from ((theme.text, each) for each in (*surfaces, more.pressed))
    yield from ((theme.dim, each) for each in surfaces)
    yield from ((theme.accent, each) for each in (theme.window, theme.panel, more.hover))
    yield from ((theme.on_accent, each) for each in (theme.accent, more.primary_hover))
    notice = tint(theme, theme.warning, 0.12)
    yield from ((theme.warning, each) for each in (theme.window, theme.panel, notice))
    yield from ((theme.on_bar, theme.bar), (more.on_tip, more.tip))
    yield theme.on_agent, theme.agent
    yield from ((each, theme.plot) for each in (theme.axis, theme.line_text, theme.flux))
    for name in VERDICTS:
        colour = getattr(theme, name)
        surfaces = (theme.window, theme.panel, tint(theme, colour, 0.07), tint(theme, colour, 0.14))
        yield from ((colour, each) for each in surfaces)
        yield theme.on_verdict, colour


def test_every_text_can_be_read_and_every_shape_seen():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert mixed("#000000", "#ffffff", 0.5) == "#808080"
    for theme in THEMES.values():
        contrasts = {pair: round(contrast(*pair), 2) for pair in texts(theme)}
        assert {pair: each for pair, each in contrasts.items() if contrast(*pair) < READABLE} == {}
        more = tones(theme)
        shapes = (more.outline, more.handle, more.disabled, theme.accent, theme.agent)
        assert [each for each in shapes if contrast(each, theme.panel) < VISIBLE] == []
        drawn = (theme.line, theme.band, theme.template, theme.agent, theme.flux_raw)
        assert [each for each in drawn if contrast(each, theme.plot) < VISIBLE] == []
        made = palette(theme)
        normal = made.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text).name()
        disabled = made.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name()
        assert normal == theme.text
        assert contrast(disabled, theme.panel) < contrast(theme.dim, theme.panel)


def test_verdicts_differ_for_every_eye():
    for theme in THEMES.values():
        for matrix in COLOUR_BLIND:
            seen = {name: _seen(getattr(theme, name), matrix) for name in VERDICTS}
            for one in VERDICTS:
                for other in VERDICTS:
                    assert one == other or _distance(seen[one], seen[other]) > TELLING


def _seen(colour, matrix):
    channels = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
    dark, bright = channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4
    return matrix @ np.where(channels <= 0.04045, dark, bright)


def _distance(one, other):
    """Between two linear colours, in the units of CIE Lab."""
    return np.linalg.norm(_lab(one) - _lab(other))


def _lab(light):
    parts = TO_XYZ @ np.clip(light, 0.0, 1.0) / WHITE
    x, y, z = np.where(parts > 0.008856, np.cbrt(parts), 7.787 * parts + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def test_the_style_sheet_is_whole():
    for theme in THEMES.values():
        text = style_sheet(theme, 10.0)
        assert "$" not in text and text.count("{") == text.count("}")
        icons = re.findall(r'url\("([^"]+)"\)', text)
        assert icons and [icon for icon in icons if not Path(icon).is_file()] == []


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
