"""A walk over everything that the window shows of a session full of hostile texts."""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, QPoint, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QGraphicsTextItem,
    QGraphicsView,
    QHeaderView,
    QLabel,
    QTextEdit,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from app.core.errors import SessionHeldError
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.crash_report import make_report
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.crash_watch import CrashDialog
from app.ui.program.main_window import MainWindow
from app.ui.review.disagreement_page import DisagreementPage  # and pyqtgraph with it
from app.ui.widgets.input_filter import RICH, tooltip_at
from tests.attacks.window.texts import COUNT, MAGENTA, Baits, hostile_session, texts
from tests.processes import wait_until

WIDEST_PX = 2000


class Walk:
    """The window on such a session, with every page shown and everything pointed at."""

    def __init__(self, made: list[str], baits: Baits, folder: Path) -> None:
        self.made, self.baits, self.folder = made, baits, folder
        self.faults: list[str] = []
        self.seen = {"labels": 0, "tips": 0, "documents": 0, "disputes": 0}
        self.steps: list[tuple[float, str]] = []
        """What each took of the processor."""
        self.tips: set[str] = set()
        self.pointed_at: set[tuple[int, str]] = set()
        self.was_shown = False
        sys.excepthook = lambda kind, error, trace: self.faults.append(f"{kind.__name__}: {error}")
        settings = SettingsStore()
        names = tuple(text[:3000] for text in made if "\0" not in text)
        urls = tuple(f"postgresql://ada:x@h/{text[:300]}" for text in made[:2])
        settings.change(reviewer="Ada", recent=(*names, *urls), comments=names[:3])
        self.window = MainWindow(settings, CurrentTheme())
        GarbageTimer(self.window)  # as in the program
        self.window.show()

    def everything(self, place: Path) -> None:
        self.step("start page", self.window.opening.show_welcome)
        self.step("problem", lambda: self.window.show_error(self.made[0]))
        self.step("locked", self._show_locked)
        self.step("import", self._import)
        self.window.opening.open_session(place)
        window = self.window
        self.wait(lambda: window.view is not None or window.opening.welcome.problem.isVisible())
        self.was_shown = window.view is not None
        if window.view is None:
            self.step("refused", lambda: None)
        else:
            self._session_pages()
        for name in ("keys", "help", "about", "settings"):
            self.step(name, lambda name=name: window.commands.run(name))
        self.step("crash", self._crash)
        window.close()

    def _session_pages(self) -> None:
        window, view = self.window, self.window.view
        assert view is not None
        current = view.context.current
        self.wait(lambda: current.row is not None or view.status.errors)
        for number in range(1, COUNT + 1):
            self.step(f"object {number}", lambda number=number: self._go(number))
        self.step("error", lambda: view.status.show_error(self.made[0], self.made[1]))
        self.step("errors", view.status.details.click)
        self.step("message", lambda: current.message.emit(self.made[2]))
        self.step(
            "filter",
            lambda: view.judging.docks["queue"].part.filters.edit.setText(self.made[3][:5000]),
        )
        self.step(
            "find", lambda: view.judging.docks["queue"].part.finder.edit.setText(self.made[3][:200])
        )
        self.step("disagreement", partial(view.show_page, "disagreement_page"))
        page = next(iter(view.findChildren(DisagreementPage)), None)
        if page is not None:
            self.wait(lambda: page.refresh.is_fresh)
            self.seen["disputes"] = page.list.count()
            for row in range(page.list.count()):
                self.step("dispute", lambda row=row: page.list.setCurrentRow(row))
            self.step("agents", lambda: page.show_between("agents"))
        self.step("agreement", partial(view.show_page, "agreement_page"))
        self.step("history", partial(view.show_page, "history_page"))
        self.step("judging", view.show_judging)
        for name in ("export", "report", "pack"):
            self.step(name, lambda name=name: window.commands.run(name))
        view.dialogs.export.hide()
        self.step("palette", lambda: window.commands.run("palette"))
        self.step("query", lambda: window.keys.palette.query.setText(self.made[4][:200]))
        window.keys.palette.hide()
        self.step("models", view.judging.docks["agent"].part.head.choose_model)

    def _go(self, number: int) -> None:
        view = self.window.view
        assert view is not None
        current = view.context.current
        current.go_to(number)
        self.wait(lambda: current.is_painted or current.fault or view.status.errors)

    def _show_locked(self) -> None:
        error = SessionHeldError(self.made[0], self.made[1])
        self.window.opening.locked.show_holder(Path(self.made[2].replace("\0", "")), error)
        self.window._stack.setCurrentWidget(self.window.opening.locked)

    def _import(self) -> None:
        """A list whose name, columns and cells are hostile."""
        name = self.made[0].replace("/", "\u2215").replace("\0", "")
        raw = name.encode("utf-8", "surrogatepass")[:180].decode("utf-8", "replace")
        path = self.folder / f"{raw}.csv"
        cells = ['"' + text.replace('"', '""')[:30_000] + '"' for text in self.made]
        lines = [",".join(["object_id", *(cell[:80].split("\n")[0] + '"' for cell in cells[:3])])]
        lines += [",".join([cell, "1", "2", cell]) for cell in cells]
        path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
        self.window.opening.import_lists([path])
        card = self.window.opening.importing.list
        self.wait(lambda: card.preview is not None)

    def _crash(self) -> None:
        self.dialog = CrashDialog(self.folder, self.window)
        self.dialog.show_report(make_report(ValueError, ValueError(self.made[0]), None))
        self.dialog.show()

    def step(self, name: str, act: Callable[[], object]) -> None:
        """Do this, and look at everything that is then on the screen."""
        self.timed(name, act)
        self.settle()
        for widget in QApplication.allWidgets():
            if isValid(widget) and widget.isVisible():
                look = partial(self.look, widget)
                self.timed(f"{name}: {type(widget).__name__}", look)
        for top in QApplication.topLevelWidgets():
            if top.isVisible() and max(top.width(), top.height()) > WIDEST_PX:
                self.faults.append(f"{name}: {named(top)} is larger than any screen")
                return
            if top.isVisible() and is_magenta(top):
                self.faults.append(f"{name}: the picture is shown")
        for popup in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if popup is not None:
                popup.close()
        if self.baits.taken:
            self.faults.append(f"{name}: {self.baits.taken}")
            self.baits.taken.clear()

    def timed(self, name: str, act: Callable[[], object]) -> None:
        began = time.thread_time()
        act()
        QApplication.processEvents()
        self.steps.append((time.thread_time() - began, name))

    def look(self, widget: QWidget) -> None:
        """Point at a widget, and look at what it and its tooltip show."""
        if isinstance(widget, QLabel) and not widget.inherits("QTipLabel"):
            self.seen["labels"] += 1
            if widget.textFormat() != Qt.TextFormat.PlainText and widget.text():
                self.faults.append(f"a label takes markup: {widget.text()[:60]!a}")
        if widget.whatsThis() or widget.statusTip():
            self.faults.append(f"{type(widget).__name__} has a text that no filter sees")
        for document in documents(widget):
            self.seen["documents"] += 1
            if self.is_foreign(widget) and has_markup(document):
                self.faults.append(f"{type(widget).__name__} shows markup")
        if widget.inherits("QTipLabel"):
            return
        for position in list(positions(widget)):
            if not isValid(widget):
                return
            tip, _ = tooltip_at(widget, position)
            if (id(widget), tip) not in self.pointed_at:
                self.pointed_at.add((id(widget), tip))
                QTest.mouseMove(widget, position)
                if isValid(widget):  # a page may just have been laid out anew
                    self.point_at(widget, position)

    def is_foreign(self, widget: QWidget) -> bool:
        """Whether it shows more than texts of the program."""
        return type(widget).__name__ != "GuideBrowser" and widget.objectName() != "guideline"

    def point_at(self, widget: QWidget, position: QPoint) -> None:
        event = QHelpEvent(QEvent.Type.ToolTip, position, widget.mapToGlobal(position))
        QToolTip.hideText()
        QApplication.sendEvent(widget, event)
        shown = QToolTip.text()
        # One that was shown before stays for a while, also when its widget has another by now.
        if not shown or shown in self.tips:
            return
        self.tips.add(shown)
        self.seen["tips"] += 1
        rest = shown.removeprefix("<span>").removesuffix("</span>").replace("<br>", "")
        is_ours = any(
            each.property(RICH) and each.toolTip() == shown for each in QApplication.allWidgets()
        )
        if not is_ours and ("<" in rest or rest == shown):
            self.faults.append(f"a tooltip has markup: {shown[:80]!a}")
        if len(shown) > 20_000:
            self.faults.append(f"a tooltip of {len(shown)} characters")

    def settle(self) -> None:
        """Let everything that was begun be shown."""
        for _ in range(3):
            QTest.qWait(5)

    def wait(self, is_so: Callable[[], object]) -> None:
        wait_until(is_so, rest=partial(QTest.qWait, 10))


def named(widget: QWidget) -> str:
    """The classes of a widget and of those around it."""
    names = []
    inner: QWidget | None = widget
    while inner is not None:
        names.append(type(inner).__name__)
        inner = inner.parentWidget()
    return " in ".join(names[:4])


def positions(widget: QWidget) -> Iterator[QPoint]:
    """The middle, and of a table or a list each cell and title on the screen."""
    yield widget.rect().center()
    view = widget.parentWidget()
    if not isinstance(view, QAbstractItemView) or widget is not view.viewport():
        return
    model = view.model()
    if model is None:
        return
    if isinstance(view, QHeaderView):
        for section in range(min(view.count(), 12)):
            yield QPoint(view.sectionViewportPosition(section) + 2, 4)
        return
    columns = 1 if isinstance(model, QAbstractListModel) else min(model.columnCount(), 8)
    for row in range(min(model.rowCount(), COUNT + 2)):
        for column in range(columns):
            index = model.index(row, column)
            check_roles(index)
            if widget.rect().contains(view.visualRect(index).center()):
                yield view.visualRect(index).center()


def check_roles(index: QModelIndex) -> None:
    for role in (Qt.ItemDataRole.WhatsThisRole, Qt.ItemDataRole.StatusTipRole):
        assert not index.data(role), "a text that no filter sees"


def documents(widget: QWidget) -> Iterator[QTextDocument]:
    if isinstance(widget, QTextEdit):
        yield widget.document()
    if isinstance(widget, QGraphicsView) and widget.scene() is not None:
        for item in widget.scene().items():
            if isinstance(item, QGraphicsTextItem):
                yield item.document()


def has_markup(document: QTextDocument) -> bool:
    block = document.begin()
    while block.isValid():
        each = block.begin()
        while not each.atEnd():
            kind = each.fragment().charFormat()
            if kind.isImageFormat() or kind.isAnchor():
                return True
            each += 1
        block = block.next()
    return False


def is_magenta(widget: QWidget) -> bool:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    if image.isNull():
        return False
    raw = np.frombuffer(image.constBits(), dtype=np.uint32) & 0xFFFFFF
    return bool((raw == int(MAGENTA[1:], 16)).any())


def vet(seed: int) -> dict[str, Any]:
    """One session full of texts, from its opening to its closing."""
    application = QApplication([])
    QGuiApplication.setQuitOnLastWindowClosed(False)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "baits").mkdir()
        baits = Baits(folder / "baits")
        made = texts(seed, baits)
        session = hostile_session(folder, made, is_refused=seed % 4 == 3)
        walk = Walk(made, baits, folder)
        walk.everything(session)
        application.processEvents()
    took, name = max(walk.steps)
    return {
        "faults": sorted(set(walk.faults))[:20],
        "seen": walk.seen,
        "slowest": [took / sum(each for each, _ in walk.steps), name],
        "shown": walk.was_shown,
        "texts": len(made),
    }
