from __future__ import annotations

import pytest

from app.ui.exchange.sharing.share_dialog import ShareDialog


@pytest.fixture
def dialog(qtbot, context):
    made = ShareDialog(context)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.open_again()
    qtbot.waitUntil(lambda: not made.is_busy)
    return made
