"""Walks through the window and says what is cut there, at each size of window and text.

`python -m tests.app.ui.window.walk LANGUAGE THEME FOLDER WIDTHxHEIGHT` does so in a process of
its own and prints one JSON line with what it found.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget, QWidget
from shiboken6 import isValid

from app.core.inspections.store import add_inspection
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.base.apply_theme import ThemeApplier
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.base.translation.languages import install_translators
from app.ui.judge.judging_page import JudgingPage
from app.ui.program.command_palette import CommandPalette
from app.ui.program.main_window import MainWindow
from app.ui.program.settings_dialog.settings_dialog import SettingsDialog
from app.ui.program.window_keys import KeysOverlay
from app.ui.review.dispute_view import DisputeView
from app.ui.review.refresh import Refresh
from tests.app.core.inspected import MEASURED, NANO, said
from tests.app.core.judged_sessions import say
from tests.app.ui.candidates import SAMPLE, sample_file
from tests.app.ui.window.cut_texts import SLACK_PX, cut_texts
from tests.processes import wait_until

TITLE_PX = 24
SETTLE_MS = 25
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
        self.theme = CurrentTheme()
        self.applier = ThemeApplier(application, self.theme, self.settings)
        self.found: dict[str, list[str]] = {}
        self.seen = 0

    def at(self, width: int, height: int) -> None:
        for points in TEXT_PT:
            self.settings.change(font_pt=points)
            self.where = f"{width}x{height} at {points} pt"
            window = MainWindow(self.settings, self.theme)
            window.resize(width, height - TITLE_PX)
            window.show()
            self.pages(window)
            if window.width() > width or window.height() > height - TITLE_PX:
                self.note(f"the window grew to {window.width()}x{window.height()}")
            window.close()
            window.deleteLater()
            QApplication.processEvents()

    def pages(self, window: MainWindow) -> None:
        self.look("welcome", window)
        window.opening.import_lists([SAMPLE / "candidates.csv"])
        self.wait(lambda: window.opening.importing.list.is_ready)
        self.look("import", window)
        window.opening.open_spectrum(SPECTRUM)
        self.wait(lambda: window.view is not None and window.view.context.current.is_painted)
        self.look("just look", window)
        place = self.folder / "night.speco3"
        window.opening.open_session(place if place.exists() else judged_file(self.folder))
        self.wait(lambda: window.view is not None and window.view.context.current.is_painted)
        view = window.view
        assert view is not None
        self.look("judging", window)
        view.context.current.go_to(7)  # judged and inspected
        self.wait(lambda: view.context.current.is_painted)
        for name in ("agent", "guideline", "object"):
            view.judging.docks[name].raise_()
            self.look(f"judging, {name}", window)
        self.popups(view.judging, window)
        self.menus(view.judging)
        for name in ("overview_page", "disagreement_page", "agreement_page", "history_page"):
            window.commands.run(name)
            self.wait(lambda: all(map(is_complete, view.findChildren(QObject))))
            self.look(name, window)
        window.commands.run("judging_page")
        self.stops(window)
        for name in ("settings", "about", "export", "help"):
            before = set(map(id, visible_windows()))
            window.commands.run(name)
            self.settle()
            for top in visible_windows():
                if id(top) not in before:
                    self.look_at_dialog(name, top)
                    top.hide()

    def stops(self, window: MainWindow) -> None:
        """The tour, from stop to stop with Enter."""
        window.commands.run("tour")
        while (stop := window.tour.stop) is not None:
            self.look(f"the tour, {stop.title}", window)
            QTest.keyClick(window, Qt.Key.Key_Return)

    def look_at_dialog(self, name: str, dialog: QWidget) -> None:
        pages = dialog.findChildren(QListWidget) if isinstance(dialog, SettingsDialog) else []
        for row in range(pages[0].count()) if pages else ():
            pages[0].setCurrentRow(row)
            self.look(f"{name}, {pages[0].item(row).text()}", dialog)
            if dialog.pages[row].horizontalScrollBar().maximum():
                self.note(f"{name}, {pages[0].item(row).text()} has to be scrolled sideways")
        if not pages:
            self.look(name, dialog)
        if not self.is_on_screen(dialog):
            self.note(f"{name} at {dialog.geometry()} is partly outside the screen")

    def popups(self, page: JudgingPage, window: MainWindow) -> None:
        """What opens over the judging page, each with a click or a key, and goes with Escape."""
        for name, button in page.tools.buttons.items():
            self.click(page.tools.buttons["links"] if button.isHidden() else button)
            if button.isHidden():
                self.click(page.tools.entries[name])
            self.look_at_popup(f"the tool {name}")
        bar = window.menuBar()
        for action in bar.actions():
            self.click(bar, bar.actionGeometry(action).center())
            self.look_at_popup(f"the menu {action.text()}")
        if page.dock_area.queue_is_folded:
            self.click(page.dock_area.queue_button)
            self.look("the queue over the plot", window)
        self.click(page.docks["queue"].part.choose)
        self.look_at_popup("the menu of columns")
        self.click(page.docks["queue"].part.filters.order)
        self.look_at_popup("the menu of orders")
        table = page.docks["queue"].part.table
        table.customContextMenuRequested.emit(table.visualRect(table.model().index(1, 0)).center())
        self.look_at_popup("the menu of a row")
        page.dock_area.queue_popup.close_popup()
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

    def menus(self, page: JudgingPage) -> None:
        """What else opens over the plot and the strip of verdicts."""
        flags, plot = page.verdicts.comment.flags, page.plot.plot.viewport()
        QTest.mouseClick(plot, Qt.MouseButton.RightButton, pos=plot.rect().center())
        self.look_at_popup("the menu of the plot")
        self.click(page.verdicts.comment.standard)
        self.look_at_popup("the menu of standard comments")
        flags.open_menu()
        self.look_at_popup("the menu of flags")

    def click(self, widget: QWidget, at: QPoint | None = None) -> None:
        where = widget.rect().center() if at is None else at
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, NO_MODIFIER, where)

    def look_at_popup(self, name: str) -> None:
        popup = QApplication.activePopupWidget()
        assert popup is not None, f"{name} did not open"
        self.look(name, popup)
        if not self.is_on_screen(popup):
            self.note(f"{name} is partly outside the screen")
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
            self.note(f"{name}: {fault}")

    def note(self, fault: str) -> None:
        self.found.setdefault(fault, []).append(self.where)

    def is_on_screen(self, top: QWidget) -> bool:
        screen = top.screen().geometry().adjusted(-SLACK_PX, -SLACK_PX, SLACK_PX, SLACK_PX)
        return screen.contains(top.geometry())

    def settle(self) -> None:
        for _ in range(3):
            QTest.qWait(SETTLE_MS)

    def wait(self, is_so: Callable[[], object]) -> None:
        wait_until(is_so, rest=partial(QTest.qWait, 10))


def judged_file(folder: Path) -> Path:
    """Twelve candidates of which two people and two agents have judged some, and differ."""
    place = sample_file(folder)
    with open_session(place, "Ada") as session:
        mine = dict.fromkeys(range(2, 9), Verdict.REJECT)
        say(session, "Ada", {**mine, 3: Verdict.ACCEPT})
        say(session, "Li Wei", {**mine, 5: Verdict.ACCEPT})
        for number in (7, 8, 11):
            add_inspection(session, number, said("YES", 0.9, model=NANO, number=number))
        add_inspection(session, 7, said("NO", 0.2, model=MEASURED, number=7))
        flags, words = ("star", "calibration", "interesting"), "wings too narrow for a CV"
        full = Opinion(verdict=Verdict.REJECT, confidence=3, flags=flags, comment=words)
        session.record_verdict(7, full)
    return place


def is_complete(part: QObject) -> bool:
    """Whether what a page computes in the background is on the page."""
    if isinstance(part, DisputeView):
        return part.isHidden() or part.details is not None
    return not isinstance(part, Refresh) or part.is_fresh or not part.parent().isVisible()


def visible_windows() -> list[QWidget]:
    # PySide may give the Python object of something gone at the same address.
    tops = [top for top in QApplication.topLevelWidgets() if isinstance(top, QWidget)]
    return [top for top in tops if isValid(top) and top.isVisible()]


def main() -> None:
    language, theme, folder, size = sys.argv[1:]
    application = QApplication([])
    GarbageTimer(application)  # as in the program
    translators = install_translators(application, language)
    walk = Walk(theme, Path(folder))
    width, height = map(int, size.split("x"))
    walk.at(width, height)
    sys.stdout.write(json.dumps({"found": walk.found, "seen": walk.seen}, ensure_ascii=False))
    walk.applier.deleteLater()
    del translators


if __name__ == "__main__":
    main()
