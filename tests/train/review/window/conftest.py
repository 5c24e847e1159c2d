"""What every test of a window has, and a room on files of inspections."""

from __future__ import annotations

import pytest

from tests.app.ui.conftest import modules_known, nothing_left, older_is_frozen, qtbot
from tests.train.review.window.rated import material, room

__all__ = ["material", "modules_known", "nothing_left", "numbers", "older_is_frozen"]
__all__ += ["qtbot", "room"]


@pytest.fixture
def numbers(pool):
    return [case.id for case in pool.cases()]
