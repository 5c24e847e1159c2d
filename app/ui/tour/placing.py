"""Where the tour's words stand: beside what they are about, never outside the window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize

GAP = 12
EDGE = 8
"""Pixels to the window's edge."""


def place_beside(target: QRect | None, size: QSize, window: QSize) -> QPoint:
    """The corner of a box of that size. At the right of the target, else left, below, above, below
    first where it is small; where there is no room on any side, in the target's lower corner;
    without a target, in the middle."""
    room = QRect(0, 0, window.width(), window.height()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
    if target is None:
        return _inside(room, room.center() - QPoint(size.width() // 2, size.height() // 2), size)
    high = target.center().y() - size.height() // 2
    aside = target.center().x() - size.width() // 2
    below = QPoint(aside, target.bottom() + GAP)
    is_small = target.width() < size.width() and target.height() < size.height()
    tries = (
        *((below,) if is_small else ()),
        QPoint(target.right() + GAP, high),
        QPoint(target.left() - GAP - size.width(), high),
        below,
        QPoint(aside, target.top() - GAP - size.height()),
    )
    for corner in tries:
        moved = _inside(room, corner, size)
        if not QRect(moved, size).intersects(target):
            return moved
    lower = target.bottomRight() - QPoint(size.width() + GAP, size.height() + GAP)
    return _inside(room, lower, size)


def _inside(room: QRect, corner: QPoint, size: QSize) -> QPoint:
    right, bottom = room.right() - size.width() + 1, room.bottom() - size.height() + 1
    x = max(room.left(), min(corner.x(), right))
    return QPoint(x, max(room.top(), min(corner.y(), bottom)))
