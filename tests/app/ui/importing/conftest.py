"""The import page."""

from __future__ import annotations

import pytest

from app.ui.importing.import_page import ImportPage
from tests.app.ui.tools import one_spectrum, sample_list, tools

__all__ = ["one_spectrum", "sample_list", "tools"]


@pytest.fixture
def page(qtbot, tools):
    page = ImportPage(*tools.all)
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    yield page
    page.stop()
