"""Positions the bubble of the tour next to its target, inside the window."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize

GAP = 12
EDGE = 8
"""Pixels between the bubble and the edge of the window."""


def position_beside(target: QRect | None, size: QSize, window: QSize) -> QPoint:
    """The top left corner of a box of `size`, in window coordinates.

    Tries right, left, below and above the target (below first if the target is small), then its
    lower right corner. Without a target the box is centred.
    """
    room = QRect(0, 0, window.width(), window.height()).adjusted(EDGE, EDGE, -EDGE, -EDGE)
    if target is None:
        return _inside(room, room.center() - QPoint(size.width() // 2, size.height() // 2), size)
    y = target.center().y() - size.height() // 2
    x = target.center().x() - size.width() // 2
    below = QPoint(x, target.bottom() + GAP)
    is_small = target.width() < size.width() and target.height() < size.height()
    tries = (
        *((below,) if is_small else ()),
        QPoint(target.right() + GAP, y),
        QPoint(target.left() - GAP - size.width(), y),
        below,
        QPoint(x, target.top() - GAP - size.height()),
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
