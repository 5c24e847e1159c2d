"""The languages of the window but English, in turn."""

from __future__ import annotations

import pytest

from app.ui.base.translation.languages import LANGUAGES
from tests.app.ui.steps import speaking

OTHERS = [name for name in LANGUAGES if name != "en"]


@pytest.fixture(params=OTHERS)
def language(request, qapp):
    with speaking(request.param):
        yield request.param
