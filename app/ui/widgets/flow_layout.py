"""A layout of rows: parts follow one another, and go on in the next row where room ends."""

from math import ceil

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

HORIZONTAL = Qt.Orientation.Horizontal
MAX_KEPT = 8  # Widths whose rows are kept: Qt asks for the height of several in one pass.

Row = tuple[list[QLayoutItem], list[int], int]  # the items of a row, their widths, and its height


class FlowLayout(QLayout):
    """Parts whose size policy expands share the room that is left in their row.

    Parts stand in the middle of their row, or at its top where they are aligned so. In an even
    layout all parts are equally wide, in columns, and as many of them are in each row.
    """

    def __init__(
        self, parent: QWidget | None = None, *, spacing: int = 6, is_even: bool = False
    ) -> None:
        super().__init__(parent)
        self._is_even = is_even
        self._items: list[QLayoutItem] = []
        self._kept: dict[int, list[Row]] = {}
        """Rows by width, until a part changes its size or is shown or hidden."""
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)
        self.invalidate()

    def invalidate(self) -> None:
        self._kept.clear()
        super().invalidate()

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        self._kept.clear()
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        margins = self.contentsMargins()
        rows = self._rows(width - margins.left() - margins.right())
        heights = sum(height for _, _, height in rows) + self.spacing() * max(len(rows) - 1, 0)
        return heights + margins.top() + margins.bottom()

    def sizeHint(self) -> QSize:
        """All parts in one row."""
        shown = self._shown()
        width = sum(map(_wanted, shown)) + self.spacing() * max(len(shown) - 1, 0)
        return self._with_margins(QSize(width, _highest(shown)))

    def minimumSize(self) -> QSize:
        widest = max((item.minimumSize().width() for item in self._shown()), default=0)
        return self._with_margins(QSize(widest, _highest(self._shown())))

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        inner = rect.marginsRemoved(self.contentsMargins())
        top = inner.top()
        for items, widths, height in self._rows(inner.width()):
            left = inner.left()
            for item, width in zip(items, widths, strict=True):
                own = min(_height(item, width), height)
                at_top = item.alignment() & Qt.AlignmentFlag.AlignTop
                drop = 0 if at_top else (height - own) // 2
                item.setGeometry(QRect(left, top + drop, width, own))
                left += width + self.spacing()
            top += height + self.spacing()

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _with_margins(self, size: QSize) -> QSize:
        margins = self.contentsMargins()
        wide, high = margins.left() + margins.right(), margins.top() + margins.bottom()
        return QSize(size.width() + wide, size.height() + high)

    def _rows(self, width: int) -> list[Row]:
        if width not in self._kept:
            if len(self._kept) >= MAX_KEPT:
                self._kept.clear()
            rows = self._even_rows(width) if self._is_even else self._full_rows(width)
            self._kept[width] = [(*row, max(map(_height, *row))) for row in rows]
        return self._kept[width]

    def _full_rows(self, width: int) -> list[tuple[list[QLayoutItem], list[int]]]:
        rows: list[list[QLayoutItem]] = []
        used = 0
        for item in self._shown():
            needed = _least(item) + (self.spacing() if used else 0)
            if rows and used + needed <= width:
                rows[-1].append(item)
                used += needed
            else:
                rows.append([item])
                used = _least(item)
        return [(items, self._widths(items, width)) for items in rows]

    def _even_rows(self, width: int) -> list[tuple[list[QLayoutItem], list[int]]]:
        items, gap = self._shown(), self.spacing()
        if not items:
            return []
        fitting = max((width + gap) // (max(map(_least, items)) + gap), 1)
        columns = ceil(len(items) / ceil(len(items) / fitting))
        room = max(width - gap * (columns - 1), 0)
        widths = [room * (each + 1) // columns - room * each // columns for each in range(columns)]
        starts = range(0, len(items), columns)
        rows = [items[start : start + columns] for start in starts]
        return [(row, widths[: len(row)]) for row in rows]

    def _widths(self, row: list[QLayoutItem], room: int) -> list[int]:
        widths = [min(_least(item), room) for item in row]
        left = max(room - sum(widths) - self.spacing() * (len(row) - 1), 0)
        growing = [number for number, item in enumerate(row) if _expands(item)]
        for rank, number in enumerate(growing):
            more = left // (len(growing) - rank)
            widths[number] += more
            left -= more
        return widths


def _expands(item: QLayoutItem) -> bool:
    return bool(item.expandingDirections() & HORIZONTAL)


def _wanted(item: QLayoutItem) -> int:
    return max(item.sizeHint().width(), item.minimumSize().width())


def _least(item: QLayoutItem) -> int:
    return item.minimumSize().width() if _expands(item) else _wanted(item)


def _height(item: QLayoutItem, width: int) -> int:
    return item.heightForWidth(width) if item.hasHeightForWidth() else item.sizeHint().height()


def _highest(items: list[QLayoutItem]) -> int:
    return max((item.sizeHint().height() for item in items), default=0)
