"""The whole window on a session, used through keys and visible text."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.core.queue.filters import EVERYTHING
from app.core.queue.sorts import LIST_ORDER
from app.core.session.records import LogEntry, Opinion
from app.core.session.session import Session
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.program.main_window import MainWindow
from app.ui.program.session_view import SessionView
from app.ui.session.candidate.current import CurrentCandidate
from app.ui.session.candidate.view_options import View, ViewOptions
from tests.app.ui.steps import activated
from tests.processes import LONG_S

LONG_MS = round(1000 * LONG_S)
"""Longer than anything here takes on a busy machine."""
PLAIN = Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
LEFT = Qt.MouseButton.LeftButton


class Person:
    """Sends keys to the focused widget."""

    def __init__(self, qtbot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self._log_from = 0

    @property
    def view(self) -> SessionView:
        assert self.window.view is not None
        return self.window.view

    @property
    def session(self) -> Session:
        return self.view.session

    @property
    def current(self) -> CurrentCandidate:
        return self.view.context.current

    @property
    def plot_view(self) -> View:
        return self.view.context.view

    @property
    def options(self) -> ViewOptions:
        return self.plot_view.options

    @property
    def plot(self) -> SpectrumPanel:
        return self.view.judging.plot

    @property
    def number(self) -> int:
        """Id of the current candidate."""
        assert self.current.candidate is not None
        return self.current.candidate.id

    def press(
        self, key: Qt.Key | str, held: Qt.KeyboardModifier = PLAIN, sees: int | None = None
    ) -> None:
        """Press a key; `sees` is the candidate that it brings on the screen."""
        QTest.keyClick(self.target, key, held)
        if sees is not None:
            self.sees(sees)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.target, text)

    @property
    def target(self) -> QWidget:
        popup = QApplication.activePopupWidget()
        shown = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
        if shown == [self.window] and not self.window.isActiveWindow():
            # The offscreen platform gives the focus to a list that pops up, and to nobody after.
            activated(self.qtbot, self.window)
        return popup or QApplication.focusWidget() or self.window

    def wait(self, is_so: Callable[[], object]) -> None:
        self.qtbot.waitUntil(lambda: bool(is_so()), timeout=LONG_MS)

    def sees(self, number: int) -> None:
        """Wait until this candidate is painted."""
        self.wait(lambda: self.current.is_painted and self.number == number)

    def go(self, number: int) -> None:
        if not (self.current.is_painted and self.number == number):
            self.current.go_to(number)
            self.sees(number)

    def opinion(self, number: int) -> Opinion | None:
        found = self.session.judgement(number)
        return None if found is None else found.opinion

    def verdicts(self) -> dict[int, str]:
        every = ((number, self.opinion(number)) for number in range(1, self.session.count() + 1))
        return {number: str(each.verdict) for number, each in every if each and each.verdict}

    def log(self) -> list[LogEntry]:
        return list(self.session.history())[self._log_from :]

    def start_over(self) -> None:
        """As it was opened: nothing judged, the first candidate, the usual view, an empty log."""
        self.view.show_judging()
        self.current.go_to(1)  # which saves a comment that was typed
        while self.session.undo() is not None:
            pass
        usual = {each.name: each.default for each in fields(ViewOptions)}
        self.plot_view.change(**usual)
        self.window.commands.run("reset")
        if (self.current.queue.tree, self.current.queue.sort) != (EVERYTHING, LIST_ORDER):
            self.current.set_queue(EVERYTHING, LIST_ORDER)
        self.current.go_to(1)
        self.sees(1)
        self._log_from += len(self.log())

    def reads(self, words: str) -> bool:
        """Whether any visible label shows this text."""
        labels = self.window.findChildren(QLabel)
        return any(words in label.text() for label in labels if label.isVisible())


@contextmanager
def before_window(
    qtbot, place: Path | None, settings: SettingsStore | None = None
) -> Iterator[Person]:
    """Open a window on this session, its first candidate painted; None: on the welcome page."""
    keeper = settings or SettingsStore()
    if not keeper.settings.reviewer:
        keeper.change(reviewer="Ada")
    window = MainWindow(keeper, CurrentTheme())
    window.show()
    window.activateWindow()
    qtbot.waitExposed(window)
    person = Person(qtbot, window)
    try:
        if place is not None:
            window.opening.open_session(place)
            person.wait(lambda: window.view is not None and person.current.row is not None)
            person.wait(lambda: person.current.is_painted or person.current.fault)
        yield person
    finally:
        if window.view is not None:
            window.view.context.agent.list_run.stop()  # else the window asks
        window.close()
        window.deleteLater()
        QApplication.processEvents()
