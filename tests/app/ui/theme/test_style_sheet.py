"""The palette and style sheet of a theme."""

from __future__ import annotations

from PySide6.QtGui import QPalette

from app.ui.theme.style_sheet import palette
from app.ui.theme.theme import THEMES, contrast


def test_disabled_text_is_fainter_than_text():
    for theme in THEMES.values():
        made = palette(theme)
        normal = made.color(QPalette.ColorGroup.Active, QPalette.ColorRole.Text).name()
        disabled = made.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text).name()
        assert normal == theme.text
        assert contrast(disabled, theme.panel) < contrast(theme.dim, theme.panel)
