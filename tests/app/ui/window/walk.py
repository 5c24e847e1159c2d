"""Walks through the window and says what is cut there, at each size of window and text.

`python -m tests.app.ui.window.walk LANGUAGE THEME FOLDER WIDTHxHEIGHT...` does so in a process of
its own and prints one JSON line with what it found.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from shiboken6 import isValid

from app.ui.apply_theme import ThemeApplier
from app.ui.judging_page import JudgingPage
from app.ui.keys.command_palette import CommandPalette
from app.ui.keys.keys_overlay import KeysOverlay
from app.ui.main_window import MainWindow
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import CurrentTheme
from app.ui.translation.languages import install_translators
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.whole_window import sample_file
from tests.app.ui.window.cut_texts import SLACK_PX, cut_texts

TITLE_PX = 24
SETTLE_MS = 60
WAIT_S = 60.0
PATIENCE = 5
TEXT_PT = (10, 24)
NO_MODIFIER = Qt.KeyboardModifier.NoModifier
SPECTRUM = SAMPLE / "spectra" / "000" / "spec-90000-60230-0001.fits.gz"


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
            before = set(map(id, visible_windows()))
            window.commands.run(name)
            self.settle()
            for top in visible_windows():
                if id(top) not in before:
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
        screen = popup.screen().geometry().adjusted(-SLACK_PX, -SLACK_PX, SLACK_PX, SLACK_PX)
        if not screen.contains(popup.geometry()):
            self.found.setdefault(f"{name} is partly outside the screen", []).append(self.where)
        QTest.keyClick(popup, Qt.Key.Key_Escape)
        assert not popup.isVisible()

    def look(self, name: str, window: QWidget) -> None:
        self.settle()
        self.seen += len(window.findChildren(QLabel))
        for _ in range(PATIENCE):
            if not (faults := cut_texts(window)):
                break
            self.settle()  # on a busy machine a page is laid out later
        for fault in faults:
            self.found.setdefault(f"{name}: {fault}", []).append(self.where)

    def settle(self) -> None:
        for _ in range(3):
            QTest.qWait(SETTLE_MS)

    def wait(self, is_so: Callable[[], object]) -> None:
        until = time.monotonic() + WAIT_S
        while not is_so():
            assert time.monotonic() < until, "it does not go on"
            QTest.qWait(10)


def visible_windows() -> list[QWidget]:
    # PySide may give the Python object of something gone at the same address.
    tops = [top for top in QApplication.topLevelWidgets() if isinstance(top, QWidget)]
    return [top for top in tops if isValid(top) and top.isVisible()]


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
