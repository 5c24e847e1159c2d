"""The templates of the style sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.ui.theme.style_sheet import style_sheet
from app.ui.theme.theme import THEMES


@pytest.mark.parametrize("theme", THEMES.values(), ids=lambda theme: theme.name)
def test_the_style_sheet_is_whole(theme):
    text = style_sheet(theme, 10.0)
    assert "$" not in text
    assert text.count("{") == text.count("}")
    icons = re.findall(r'url\("([^"]+)"\)', text)
    assert icons
    assert [icon for icon in icons if not Path(icon).is_file()] == []
