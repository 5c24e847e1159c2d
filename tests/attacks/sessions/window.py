"""The window on a session that was spoilt: it is shown, or a sentence says why not."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.core.queue import EVERYTHING, Sort
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.main_window import MainWindow
from app.ui.review.disagreement_page import DisagreementPage  # and pyqtgraph with it
from tests.attacks.sessions.commands import receive
from tests.processes import wait_until

LEARNED = Sort("learned", learn="mixed")
KEYS = (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_U, Qt.Key.Key_N, Qt.Key.Key_P)


def attack(seed: int, made: str, folder: str) -> dict[str, Any]:
    """Open the session, judge, look at all pages; what was said, and what the person was asked."""
    place, what = receive(seed, Path(made), Path(folder))
    faults: list[str] = []
    sys.excepthook = lambda kind, error, trace: faults.append(f"{kind.__name__}: {error}"[:500])
    _ = QApplication.instance() or QApplication([])
    settings = SettingsStore()
    settings.change(reviewer="Ada")
    window = MainWindow(settings, CurrentTheme())
    GarbageTimer(window)  # as in the program
    window.show()
    window.opening.open_session(place)
    asked: list[QMessageBox] = []

    def is_answered() -> bool:
        asked[:] = window.findChildren(QMessageBox)
        return window.view is not None or window.opening.welcome.problem.isVisible() or bool(asked)

    _wait(is_answered)
    problem = window.opening.welcome.problem.isVisible()
    if window.view is not None:
        _use(window)
    shown = window.view is not None
    for question in asked:
        question.reject()
    window.close()
    QApplication.processEvents()
    return {"what": what, "faults": faults, "shown": shown, "problem": problem, "asked": len(asked)}


def _use(window: MainWindow) -> None:
    view = window.view
    assert view is not None
    current = view.context.current
    _wait(lambda: current.row is not None or view.status.errors)
    for key in KEYS:
        QTest.keyClick(QApplication.focusWidget() or window, key)
        _settle()
    for number in (2, 1):
        current.go_to(number)
        _settle()
    current.set_queue(EVERYTHING, LEARNED)
    _settle()
    QTest.keyClick(QApplication.focusWidget() or window, KEYS[0])  # it learns from that
    for name in (
        "overview_page",
        "disagreement_page",
        "agreement_page",
        "history_page",
        "judging_page",
    ):
        view.show_page(name)
        _settle()
        if page := next(iter(view.findChildren(DisagreementPage)), None):
            page.list.setCurrentRow(0)
    window.commands.run("export")
    _settle()
    view.dialogs.export.hide()


def _settle() -> None:
    QTest.qWait(50)


_wait = partial(wait_until, rest=partial(QTest.qWait, 2))
