"""A fault of one Qt binding release that would kill the window after a few thousand paints."""

import sys

from PySide6.QtGui import QPainter, QPen, QPixmap


def test_painter_calls_keep_the_count_of_none(qtbot):
    pixmap = QPixmap(8, 8)
    painter = QPainter(pixmap)
    pen = QPen()
    painter.setPen(pen)
    before = sys.getrefcount(None)
    for _ in range(2000):
        painter.setPen(pen)
    lost = before - sys.getrefcount(None)
    painter.end()
    assert lost < 1000, "this PySide6 drops a reference to None in every void call"
