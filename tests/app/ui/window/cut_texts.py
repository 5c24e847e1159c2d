"""Finds texts that are cut, and widgets that lie over one another, in what is on the screen."""

from collections.abc import Iterator
from itertools import combinations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QTreeWidget,
    QWidget,
)

from app.ui.judge.diagnostic_windows.windows_row import WindowCell
from app.ui.widgets.painted_button import PaintedButton, RowButton
from app.ui.widgets.plot_cell import PAD

SLACK_PX = 2
TAB_PADDING_PX = 18
BUTTONS = (QPushButton, QToolButton, QCheckBox, QRadioButton, PaintedButton, RowButton)

ELIDED_BY_DESIGN = {
    "Header": "names of any length; facts and note give way to them. Tooltips hold all in full"
}
"""Parents, by class, whose labels may end in an ellipsis, and why.

What the queue, recent sessions and columns of a stranger's list paint is of any length, too; it is
not seen here.
"""


def cut_texts(window: QWidget) -> list[str]:
    """What is cut or covered, as sentences that name the widget and its text."""
    shown = [each for each in window.findChildren(QWidget) if is_seen(each)]
    found = [f"{described(each)}: {why}" for each in shown for why in faults(each)]
    of_menu = menu_faults(window) if isinstance(window, QMenu) else ()
    return [*found, *overlaps(shown), *of_menu]


def is_seen(widget: QWidget) -> bool:
    # The contents of a scroll area, as of a plot, cover it whole.
    is_covered = widget.visibleRegion().isEmpty() and not isinstance(widget, QAbstractScrollArea)
    return widget.isVisible() and not is_covered


def with_parents(widget: QWidget) -> Iterator[QWidget]:
    inner: QWidget | None = widget
    while inner is not None:
        yield inner
        inner = inner.parentWidget()


def faults(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel) and widget.text() and widget.pixmap().isNull():
        yield from label_faults(widget)
    elif isinstance(widget, WindowCell):
        yield from cell_faults(widget)
    elif isinstance(widget, BUTTONS):
        yield from button_faults(widget)  # type: ignore[arg-type]
    elif isinstance(widget, QLineEdit):
        room = widget.width() - 12
        text = widget.placeholderText() if not widget.text() else ""
        is_told = widget.toolTip() == text  # an address
        if widget.fontMetrics().horizontalAdvance(text) > room + SLACK_PX and not is_told:
            yield f"“{text}” does not fit"
        if widget.fontMetrics().height() > widget.height() + SLACK_PX:
            yield f"“{text}” is too high"
    elif isinstance(widget, QComboBox):
        text = widget.currentText() or widget.placeholderText()
        if widget.fontMetrics().horizontalAdvance(text) > widget.width() - 24:
            yield f"“{text}” does not fit"
    elif isinstance(widget, QTabBar):
        yield from tab_faults(widget)
    elif isinstance(widget, QHeaderView) and widget.orientation() == Qt.Orientation.Horizontal:
        yield from header_faults(widget)
    elif isinstance(widget, QTreeWidget):
        yield from tree_faults(widget)
    elif isinstance(widget, QListWidget):
        yield from list_faults(widget)


def label_faults(label: QLabel) -> Iterator[str]:
    text, size = label.text(), label.contentsRect().size()
    metrics = QFontMetrics(getattr(label, "shown_font", label.font()))
    whole = getattr(label, "full_text", label.toolTip())
    is_elided = "…" in text and whole and "…" not in whole
    if is_elided and type(label.parentWidget()).__name__ not in ELIDED_BY_DESIGN:
        yield f"“{whole}” is shown as “{text}”"
    if label.wordWrap():
        needed = label.heightForWidth(label.width())
        if needed > label.height() + SLACK_PX:
            yield f"“{text[:60]}” needs {needed} px of height, has {label.height()}"
        return
    wide = max(metrics.horizontalAdvance(line) for line in text.split("\n"))
    if wide > size.width() + SLACK_PX:
        yield f"“{text[:60]}” needs {wide} px, has {size.width()}"
    if metrics.ascent() > label.height() + SLACK_PX:
        yield f"“{text[:60]}” is too high"
    yield from hidden_part(label, text)


def button_faults(button: QAbstractButton) -> Iterator[str]:
    text, needed = button.text(), button.sizeHint().width()
    if not text:
        return
    if isinstance(button, PaintedButton):  # some have a width of their own
        needed = max(needed, button.width_of(button.mark, text, button.key))
    if button.hasHeightForWidth():  # it wraps
        high, needed = button.heightForWidth(button.width()), 0
        if high > button.height() + SLACK_PX:
            yield f"“{text[:60]}” needs {high} px of height, has {button.height()}"
    if needed > button.width() + SLACK_PX:
        yield f"“{text[:60]}” needs {needed} px, has {button.width()}"
    if button.fontMetrics().height() > button.height() + SLACK_PX:
        yield f"“{text[:60]}” is too high"
    yield from hidden_part(button, text)


def cell_faults(cell: WindowCell) -> Iterator[str]:
    metrics, room = QFontMetrics(cell.text_font), cell.width() - 2 * PAD
    name, key = cell.title
    for text in (f"{name} {key}".rstrip(), cell.number):
        if metrics.horizontalAdvance(text) > room + SLACK_PX:
            yield f"“{text}” does not fit"


def hidden_part(widget: QWidget, text: str) -> Iterator[str]:
    """Whether a part lies outside its parent, where nothing can scroll it into view."""
    if any(isinstance(each, QAbstractScrollArea) for each in with_parents(widget)):
        return
    seen = widget.visibleRegion().boundingRect()
    if seen.width() < widget.width() - SLACK_PX or seen.height() < widget.height() - SLACK_PX:
        yield f"“{text[:60]}” is partly outside"


def tab_faults(tabs: QTabBar) -> Iterator[str]:
    for number in range(tabs.count()):
        text = tabs.tabText(number)
        needed = tabs.fontMetrics().horizontalAdvance(text) + TAB_PADDING_PX
        if needed > tabs.tabRect(number).width():
            yield f"the tab “{text}” is cut"


def header_faults(header: QHeaderView) -> Iterator[str]:
    model = header.model()
    for section in range(header.count()):
        text = str(model.headerData(section, header.orientation()) or "")
        if header.isSectionHidden(section) or not text:
            continue
        wide = max(map(header.fontMetrics().horizontalAdvance, text.split("\n")))
        if wide > header.sectionSize(section):
            yield f"the column “{text}” is cut"
    if header.count() and header.fontMetrics().height() > header.height() + SLACK_PX:
        yield "its titles are too high"


def tree_faults(tree: QTreeWidget) -> Iterator[str]:
    for row in range(tree.topLevelItemCount()):
        item = tree.topLevelItem(row)
        for column in range(tree.columnCount()):
            needed = tree.sizeHintForIndex(tree.indexFromItem(item, column)).width()
            if needed > tree.columnWidth(column) + SLACK_PX:
                yield f"the row “{item.text(column)}” is cut"


def list_faults(items: QListWidget) -> Iterator[str]:
    for row in range(items.count()):
        needed = items.sizeHintForIndex(items.model().index(row, 0)).width()
        if needed > items.viewport().width() + SLACK_PX:
            yield f"the row “{items.item(row).text()}” is cut"


def menu_faults(menu: QMenu) -> Iterator[str]:
    for action in menu.actions():
        needed = menu.fontMetrics().horizontalAdvance(action.text().replace("\t", "  "))
        if needed > menu.actionGeometry(action).width():
            yield f"{described(menu)}: “{action.text()}” is cut"
        if menu.actionGeometry(action).right() > menu.rect().right():
            yield f"{described(menu)}: “{action.text()}” is outside"


def overlaps(shown: list[QWidget]) -> Iterator[str]:
    """Pairs of siblings that lie over one another: of texts and fields, and of laid out parts."""
    kinds = (QLabel, QAbstractButton, QLineEdit, QComboBox)
    by_parent: dict[int, list[QWidget]] = {}
    for each in shown:
        parent = each.parentWidget()
        layout = None if parent is None else parent.layout()
        if isinstance(each, kinds) or (layout is not None and holds(layout, each)):
            by_parent.setdefault(id(each.parentWidget()), []).append(each)
    for siblings in by_parent.values():
        for first, second in combinations(siblings, 2):
            shared = first.geometry().intersected(second.geometry())
            if shared.width() > SLACK_PX and shared.height() > SLACK_PX:
                yield f"{described(first)} lies over {described(second)}"


def holds(layout: QLayout, widget: QWidget) -> bool:
    inner = [layout.itemAt(number).layout() for number in range(layout.count())]
    return layout.indexOf(widget) >= 0 or any(each and holds(each, widget) for each in inner)


def described(widget: QWidget) -> str:
    names = [type(each).__name__ for each in with_parents(widget)][:4]
    text = getattr(widget, "text", str)() if isinstance(widget, QLabel | QAbstractButton) else ""
    return " in ".join(names) + (f" “{text[:40]}”" if text else "")
