"""The bubble is next to its target and inside the window, whatever their sizes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QRect, QSize

from app.ui.tour.positioning import EDGE, GAP, position_beside

BUBBLE = QSize(348, 160)
WINDOW = QSize(1280, 720)


def box(target, window=WINDOW):
    return QRect(position_beside(target, BUBBLE, window), BUBBLE)


@pytest.mark.parametrize(
    ("target", "side"),
    [
        (QRect(8, 395, 330, 292), "right"),  # the list
        (QRect(905, 395, 367, 292), "left"),  # the agent
        (QRect(1180, 30, 60, 30), "below"),  # a button in the corner
        (QRect(100, 680, 1100, 30), "above"),  # the status line
    ],
)
def test_at_the_side_where_there_is_room(target, side):
    placed = box(target)
    found = {
        "right": placed.left() == target.right() + GAP,
        "left": placed.right() == target.left() - GAP - 1,
        "below": placed.top() == target.bottom() + GAP,
        "above": placed.bottom() == target.top() - GAP - 1,
    }
    assert [name for name, is_there in found.items() if is_there] == [side]


def test_in_the_middle_without_a_target():
    assert (box(None).center() - QRect(0, 0, 1280, 720).center()).manhattanLength() <= 2


def test_within_a_target_that_fills_the_window():
    target = QRect(0, 0, 1280, 720)
    assert target.contains(box(target))


@given(
    st.integers(0, 1500),
    st.integers(0, 900),
    st.integers(1, 1500),
    st.integers(1, 900),
    st.integers(400, 2000),
    st.integers(300, 1500),
)
def test_never_outside_the_window(x, y, width, height, wide, high):
    placed = box(QRect(x, y, width, height), QSize(wide, high))
    room = QRect(0, 0, wide, high).adjusted(EDGE, EDGE, -EDGE, -EDGE)
    assert room.contains(placed)
