"""Buttons that paint themselves."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from app.ui.base.theme.theme import THEMES, CurrentTheme, contrast
from app.ui.widgets.painted_button import quiet_button
from tests.app.ui.steps import shown_in


@pytest.mark.parametrize("theme", THEMES)
def test_a_quiet_button_under_the_mouse_does_not_look_chosen(qtbot, theme):
    current = CurrentTheme(THEMES[theme])
    page = shown_in(qtbot, QWidget(), 200, 60)
    chip = quiet_button(current, page)
    chip.set_label("unjudged")
    chip.setCheckable(True)
    chip.show()
    at_rest = colours(chip)
    chip.setAttribute(Qt.WidgetAttribute.WA_UnderMouse)  # as Qt does when the mouse enters
    hovered = colours(chip)
    chip.setChecked(True)
    chosen = colours(chip)
    assert at_rest != hovered
    assert is_grey(hovered) and contrast(hovered.name(), chosen.name()) > 2.0


def colours(chip):
    """The fill, beside the text."""
    return QColor(chip.grab().toImage().pixelColor(5, chip.height() // 2))


def is_grey(colour):
    return max(colour.getRgb()[:3]) - min(colour.getRgb()[:3]) < 16
