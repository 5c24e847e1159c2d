"""The window of the guide."""

import pytest

from app.ui.program.help.guide_reader import GuideReader


@pytest.fixture
def reader(qtbot, current_theme):
    made = GuideReader("en", current_theme)
    qtbot.addWidget(made)
    made.open_at("README")
    qtbot.waitExposed(made)
    yield made
    made.close()
