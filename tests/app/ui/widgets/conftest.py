"""A theme for widgets that follow it."""

from __future__ import annotations

import pytest

from app.ui.base.theme.theme import CurrentTheme


@pytest.fixture
def current_theme(qapp) -> CurrentTheme:
    return CurrentTheme()
