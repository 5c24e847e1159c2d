"""A layout of rows: parts follow one another, and go on in the next row where room ends."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

HORIZONTAL = Qt.Orientation.Horizontal


class FlowLayout(QLayout):
    """Parts whose size policy expands share the room that is left in their row."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int = 6) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return HORIZONTAL

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        rows = self._rows(width - margins.left() - margins.right())
        heights = sum(_height(row) for row in rows) + self.spacing() * max(len(rows) - 1, 0)
        return heights + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        """All parts in one row."""
        shown = self._shown()
        width = sum(map(_wanted, shown)) + self.spacing() * max(len(shown) - 1, 0)
        return self._with_margins(QSize(width, _height(shown)))

    def minimumSize(self) -> QSize:
        widest = max(map(_least, self._shown()), default=0)
        return self._with_margins(QSize(widest, _height(self._shown())))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        inner = rect.marginsRemoved(self.contentsMargins())
        top = inner.top()
        for row in self._rows(inner.width()):
            self._place(row, QRect(inner.left(), top, inner.width(), _height(row)))
            top += _height(row) + self.spacing()

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        wide, high = margins.left() + margins.right(), margins.top() + margins.bottom()
        return QSize(size.width() + wide, size.height() + high)

    def _rows(self, width: int) -> list[list[QLayoutItem]]:
        rows: list[list[QLayoutItem]] = []
        left = 0
        for item in self._shown():
            needed = _least(item) + (self.spacing() if left else 0)
            if rows and left + needed <= width:
                rows[-1].append(item)
                left += needed
            else:
                rows.append([item])
                left = _least(item)
        return rows

    def _place(self, row: list[QLayoutItem], room: QRect) -> None:
        widths = [_least(item) for item in row]
        left = room.width() - sum(widths) - self.spacing() * (len(row) - 1)
        growing = [number for number, item in enumerate(row) if _expands(item)]
        for rank, number in enumerate(growing):
            more = max(left, 0) // (len(growing) - rank)
            widths[number] += more
            left -= more
        x = room.left()
        for item, width in zip(row, widths, strict=True):
            height = min(item.sizeHint().height(), room.height())
            top = room.top() + (room.height() - height) // 2
            item.setGeometry(QRect(x, top, min(width, room.width()), height))
            x += width + self.spacing()


def _expands(item: QLayoutItem) -> bool:
    return bool(item.expandingDirections() & HORIZONTAL)


def _wanted(item: QLayoutItem) -> int:
    return max(item.sizeHint().width(), item.minimumSize().width())


def _least(item: QLayoutItem) -> int:
    return item.minimumSize().width() if _expands(item) else _wanted(item)


def _height(row: list[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in row), default=0)
