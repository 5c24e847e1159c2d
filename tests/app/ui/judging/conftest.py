"""The parts of the window that judge, on a session."""

from __future__ import annotations

import pytest

from app.ui.judging.comment_box import CommentBox
from app.ui.judging.verdict_bar import VerdictBar
from tests.app.ui.steps import shown_in


@pytest.fixture
def bar(qtbot, context):
    return shown_in(qtbot, VerdictBar(context), 760, 110)


@pytest.fixture
def box(qtbot, context):
    return shown_in(qtbot, CommentBox(context), 640, 40)
