"""The parts of the window that judge, on a session."""

from __future__ import annotations

import pytest

from app.ui.judging.comment_box import CommentBox
from app.ui.judging.verdict_bar import VerdictBar
from tests.app.ui.judging.desk import Desk
from tests.app.ui.steps import shown_in


@pytest.fixture
def bar(qtbot, context):
    return shown_in(qtbot, VerdictBar(context), 760, 110)


@pytest.fixture
def box(qtbot, context):
    return shown_in(qtbot, CommentBox(context), 640, 40)


@pytest.fixture
def desk(qtbot, context):
    """The parts that judge, with their keys, on the first candidate."""
    desk = shown_in(qtbot, Desk(context), 900, 400)
    qtbot.waitUntil(desk.isActiveWindow)
    desk.plot.setFocus()
    context.current.go_to(1)
    yield desk
    desk.stop_keys()
