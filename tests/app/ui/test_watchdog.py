"""The window's own work never holds it up, while an agent inspects, a batch runs and keys go down.

A clock tells nothing on a busy machine: what is counted is the processor time that the window's
thread itself takes between two turns of its event loop.
"""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QObject, Qt, QTimer

from tests.app.ui.whole_window import CTRL, before_window, qt_is_quiet, sample_file

pytestmark = qt_is_quiet
LIMIT_MS = 50.0
KEYS = "nnanxnunlsnadmsSenbbn"
ROUNDS = 3


class Watch(QObject):
    """A heart that beats in every turn of the loop: what the thread has worked between two beats
    could not have been interrupted by a key."""

    def __init__(self) -> None:
        super().__init__()
        self.worked_ms: list[float] = []
        self._since = time.thread_time()
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now = time.thread_time()
        self.worked_ms.append(1e3 * (now - self._since))
        self._since = now

    def stop(self) -> None:
        self._timer.stop()


@pytest.fixture
def watch(qapp):
    watch = Watch()
    yield watch
    watch.stop()


def press(person, key):
    if key.isupper():
        person.press(key, Qt.KeyboardModifier.ShiftModifier)
    else:
        person.press(key)
    person.wait(lambda: person.desk.is_painted)


def test_the_watch_sees_what_holds_the_window(qtbot, watch):
    def hold():
        until = time.thread_time() + 2 * LIMIT_MS / 1e3
        while time.thread_time() < until:
            pass

    QTimer.singleShot(0, hold)
    qtbot.waitUntil(lambda: max(watch.worked_ms, default=0.0) > LIMIT_MS)


def test_the_window_is_never_held_up(qtbot, tmp_path, watch):
    """By the measured inspector here and over the list, its pictures and records, and a hand that
    walks, judges, undoes and looks."""
    with before_window(qtbot, sample_file(tmp_path, 60)) as person:
        agent = person.view.place.agent
        ended = []
        agent.ended.connect(lambda number, record: ended.append(number))
        alone = longest(person, watch, lambda: None)
        person.press("v")
        person.press("r", CTRL)
        person.wait(lambda: ended and agent.batch.done)
        together = longest(person, watch, lambda: person.press("v"))
        assert agent.batch.done and len(ended) > 1
    # A slow machine needs longer for everything.
    assert together < max(LIMIT_MS, 3 * alone)


def longest(person, watch, begin):
    """The most that was worked at a time, in ms; what is made once is made before."""
    for key in KEYS:
        press(person, key)
    watch.worked_ms.clear()
    for _ in range(ROUNDS):
        begin()
        for key in KEYS:
            press(person, key)
    assert len(watch.worked_ms) > ROUNDS
    return max(watch.worked_ms)
