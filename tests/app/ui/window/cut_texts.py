"""Finds texts that are cut, and widgets that lie over one another, in what is on the screen.

`python -m tests.app.ui.window.cut_texts LANGUAGE THEME FOLDER WIDTHxHEIGHT...` walks through the
window in a process of its own and prints one JSON line with what it found.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QCheckBox,
    QComboBox,
    QHeaderView,
    QLabel,
    QLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QRadioButton,
    QTabBar,
    QToolButton,
    QTreeWidget,
    QWidget,
)

from app.ui.apply_theme import ThemeApplier
from app.ui.judging_page import JudgingPage
from app.ui.keys.command_palette import CommandPalette
from app.ui.keys.keys_overlay import KeysOverlay
from app.ui.main_window import MainWindow
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.languages import install_translators
from app.ui.widgets.painted_button import PaintedButton
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.whole_window import sample_file

SLACK_PX = 2
TITLE_PX = 24
TAB_PADDING_PX = 18
SETTLE_MS = 60
WAIT_S = 60.0
TEXT_PT = (10, 24)
NO_MODIFIER = Qt.KeyboardModifier.NoModifier
SPECTRUM = SAMPLE / "spectra" / "000" / "spec-90000-60230-0001.fits.gz"
BUTTONS = (QPushButton, QToolButton, QCheckBox, QRadioButton, PaintedButton)

ELIDED_BY_DESIGN = {
    "Header": "facts and note give way to the values under the mouse; tooltips hold them in full",
    "ElidedLabel": "names and states of any length, with tooltips",
    "OneLineLabel": "what was saved last, with a tooltip",
    "StateBlock": "holds such a label",
    "WindowCell": "names of windows, with tooltips",
    "RecentRow": "paths of any length, with tooltips",
    "QueuePanel": "columns leave out what does not fit, names keep their ends",
    "PreviewHeader": "columns of a stranger's list, which scrolls",
    "ExportPreview": "columns of a catalogue, which scrolls",
    "NearbyPanel": "names of strangers",
}
"""Widgets, by class, whose texts or those inside them may be cut, and why."""


def cut_texts(window: QWidget) -> list[str]:
    """What is cut or covered, as sentences that name the widget and its text."""
    shown = [each for each in window.findChildren(QWidget) if is_seen(each)]
    found = [f"{described(each)}: {why}" for each in shown for why in faults(each)]
    of_menu = menu_faults(window) if isinstance(window, QMenu) else ()
    return [*found, *overlaps(shown), *of_menu]


def is_seen(widget: QWidget) -> bool:
    # The contents of a scroll area, as of a plot, cover it whole.
    is_covered = widget.visibleRegion().isEmpty() and not isinstance(widget, QAbstractScrollArea)
    return widget.isVisible() and not is_covered and not is_allowed(widget)


def is_allowed(widget: QWidget) -> bool:
    return any(type(each).__name__ in ELIDED_BY_DESIGN for each in with_parents(widget))


def with_parents(widget: QWidget) -> Iterator[QWidget]:
    inner: QWidget | None = widget
    while inner is not None:
        yield inner
        inner = inner.parentWidget()


def faults(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, QLabel) and widget.text() and widget.pixmap().isNull():
        yield from label_faults(widget)
    elif isinstance(widget, BUTTONS):
        yield from button_faults(widget)  # type: ignore[arg-type]
    elif isinstance(widget, QLineEdit):
        room = widget.width() - 12
        text = widget.placeholderText() if not widget.text() else ""
        if widget.fontMetrics().horizontalAdvance(text) > room + SLACK_PX:
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


def label_faults(label: QLabel) -> Iterator[str]:
    text, size, metrics = label.text(), label.contentsRect().size(), label.fontMetrics()
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
    text, hint = button.text(), button.sizeHint()
    if not text:
        return
    if hint.width() > button.width() + SLACK_PX:
        yield f"“{text[:60]}” needs {hint.width()} px, has {button.width()}"
    if button.fontMetrics().height() > button.height() + SLACK_PX:
        yield f"“{text[:60]}” is too high"
    yield from hidden_part(button, text)


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
        if header.fontMetrics().horizontalAdvance(text) > header.sectionSize(section):
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


def menu_faults(menu: QMenu) -> Iterator[str]:
    for action in menu.actions():
        needed = menu.fontMetrics().horizontalAdvance(action.text().replace("\t", "  "))
        if needed > menu.actionGeometry(action).width():
            yield f"{described(menu)}: “{action.text()}” is cut"


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


class Walk:
    """Every page and dialog of the window, at each size of window and text."""

    def __init__(self, theme: str, folder: Path) -> None:
        self.settings, self.folder = SettingsStore(), folder
        self.settings.change(reviewer="Ada", told=("name", "tour"), theme=theme)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.applier = ThemeApplier(application, CurrentTheme(), self.settings)
        self.found: dict[str, list[str]] = {}
        self.seen = 0

    def at(self, width: int, height: int) -> None:
        for points in TEXT_PT:
            self.settings.change(font_pt=points)
            self.where = f"{width}x{height} at {points} pt"
            window = MainWindow(self.settings, CurrentTheme())
            window.resize(width, height - TITLE_PX)
            window.show()
            self.pages(window)
            window.close()
            window.deleteLater()
            QApplication.processEvents()

    def pages(self, window: MainWindow) -> None:
        self.look("welcome", window)
        window.import_lists([SAMPLE / "candidates.csv"])
        self.wait(lambda: window.importing.list.is_ready)
        self.look("import", window)
        window.open_spectrum(SPECTRUM)
        self.wait(lambda: window.view is not None and window.view.context.current.is_painted)
        self.look("just look", window)
        place = self.folder / "night.speco3"
        window.open_session(place if place.exists() else sample_file(self.folder))
        self.wait(lambda: window.view is not None and window.view.context.current.is_painted)
        view = window.view
        assert view is not None
        for name in ("agent", "guideline", "object"):
            view.judging.docks[name].raise_()
            self.look(f"judging, {name}", window)
        self.popups(view.judging, window)
        for name in ("disagreement_page", "agreement_page", "history_page"):
            window.commands.run(name)
            self.look(name, window)
        window.commands.run("judging_page")
        for name in ("settings", "about", "export"):
            before = {id(each) for each in QApplication.topLevelWidgets() if each.isVisible()}
            window.commands.run(name)
            self.settle()
            for top in QApplication.topLevelWidgets():
                if top.isVisible() and id(top) not in before:
                    self.look(name, top)
                    top.hide()

    def popups(self, page: JudgingPage, window: MainWindow) -> None:
        """What opens over the judging page, each with a click or a key, and goes with Escape."""
        for name, button in page.tools.buttons.items():
            self.click(button)
            self.look_at_popup(f"the tool {name}")
        bar = window.menuBar()
        for action in bar.actions():
            self.click(bar, bar.actionGeometry(action).center())
            self.look_at_popup(f"the menu {action.text()}")
        if page.has_rail:
            self.click(page.rail)
            self.look("the queue over the plot", window)
        self.click(page.queue.choose)
        self.look_at_popup("the menu of columns")
        page.sheet.close_sheet()
        for name, key in (("keys", Qt.Key.Key_Question), ("palette", Qt.Key.Key_K)):
            control = name == "palette"
            modifier = Qt.KeyboardModifier.ControlModifier if control else NO_MODIFIER
            page.focus_plot()
            QTest.keyClick(page.plot.plot, key, modifier)
            kind = CommandPalette if control else KeysOverlay
            shown = [each for each in window.findChildren(kind) if each.isVisible()]
            assert len(shown) == 1, f"{name} did not open"
            self.look(f"the {name}", shown[0])
            QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Escape)
            assert not shown[0].isVisible()

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        where = widget.rect().center() if at is None else at
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, NO_MODIFIER, where)

    def look_at_popup(self, name: str) -> None:
        popup = QApplication.activePopupWidget()
        assert popup is not None, f"{name} did not open"
        self.look(name, popup)
        if not popup.screen().geometry().contains(popup.geometry()):
            self.found.setdefault(f"{name} is partly outside the screen", []).append(self.where)
        QTest.keyClick(popup, Qt.Key.Key_Escape)
        assert not popup.isVisible()

    def look(self, name: str, window: QWidget) -> None:
        self.settle()
        self.seen += len(window.findChildren(QLabel))
        for fault in cut_texts(window):
            self.found.setdefault(f"{name}: {fault}", []).append(self.where)

    def settle(self) -> None:
        for _ in range(3):
            QTest.qWait(SETTLE_MS)

    def wait(self, is_so: Callable[[], object]) -> None:
        until = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < until, "it does not go on"
            QTest.qWait(10)


def main() -> None:
    language, theme, folder, *sizes = sys.argv[1:]
    application = QApplication([])
    translators = install_translators(application, language)
    walk = Walk(theme, Path(folder))
    for size in sizes:
        width, height = map(int, size.split("x"))
        walk.at(width, height)
    sys.stdout.write(json.dumps({"found": walk.found, "seen": walk.seen}, ensure_ascii=False))
    walk.applier.deleteLater()
    del translators


if __name__ == "__main__":
    main()
