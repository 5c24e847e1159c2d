"""The window is never blocked while the agent inspects, a list runs and keys are pressed.

A clock alone says little on a busy machine. Between two turns of the event loop this measures the
processor time of the GUI thread, and the elapsed time without that in which our threads waited for
a processor: what remains are locks, the disk and the GIL.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QTimer

from agent.inspection.inspector_factory import MEASURED, default_model
from app.ui.background.garbage_timer import GarbageTimer
from app.ui.settings.settings_store import SettingsStore
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import CTRL, before_window
from tests.night import BY_NIGHT

LIMIT_MS = 50.0
THREADS = Path("/proc/self/task")
"""Linux: `schedstat` of each thread gives the ns on a processor and those waiting for one."""
KEYS = "nnanxnunlsnadmsSenbbn"
ROUNDS = 3


class Watch(QObject):
    """Measures each turn of the event loop, during which no key press is handled."""

    def __init__(self) -> None:
        super().__init__()
        self.worked_ms: list[float] = []
        self.held_ms: list[float] = []
        self._since, self._free_since = time.thread_time(), free_time()
        self._timer = QTimer(self, interval=1)  # a zero timer would fire only when the loop is idle
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now, free_now = time.thread_time(), free_time()
        self.worked_ms.append(1e3 * (now - self._since))
        self.held_ms.append(1e3 * (free_now - self._free_since))
        self._since, self._free_since = now, free_now

    def clear(self) -> None:
        self.worked_ms.clear()
        self.held_ms.clear()

    def stop(self) -> None:
        self._timer.stop()


def free_time():
    """Elapsed seconds without those spent waiting for a processor; elsewhere the CPU time."""
    if not THREADS.exists():
        return time.thread_time()
    return time.perf_counter() - sum(map(waited_s, THREADS.iterdir()))


def waited_s(thread):
    try:
        return int((thread / "schedstat").read_text().split()[1]) / 1e9
    except OSError:  # the thread has just ended
        return 0.0


@pytest.fixture
def watch(qapp):
    """A watch with garbage collection as in the program.

    Objects left by other tests are frozen, as searching them would take 0.2 s.
    """
    garbage_timer = GarbageTimer()
    garbage_timer.freeze()
    watch = Watch()
    yield watch
    watch.stop()
    garbage_timer.stop()
    gc.freeze()


def press(person, key):
    if key.isupper():
        person.press(key, Qt.KeyboardModifier.ShiftModifier)
    else:
        person.press(key)
    person.wait(lambda: person.current.is_painted)


def test_the_watch_sees_work_that_blocks_the_window(qtbot, watch):
    def hold():
        until = time.thread_time() + 2 * LIMIT_MS / 1e3
        while time.thread_time() < until:
            pass

    QTimer.singleShot(0, hold)
    qtbot.waitUntil(lambda: max(watch.worked_ms, default=0.0) > LIMIT_MS)


def test_the_watch_sees_waits_that_block_the_window(qtbot, watch):
    if not THREADS.exists():
        pytest.skip("the system does not tell what a thread waits for")
    QTimer.singleShot(0, lambda: time.sleep(2 * LIMIT_MS / 1e3))  # as a lock or a disk does
    qtbot.waitUntil(lambda: max(watch.held_ms, default=0.0) > LIMIT_MS)
    assert max(watch.worked_ms) < LIMIT_MS


@pytest.mark.parametrize("model", [MEASURED, default_model("CV")][: 2 if BY_NIGHT else 1])
def test_the_window_is_never_blocked(qtbot, tmp_path, watch, model):
    """Not by the inspector, a list run, pictures, records, verdicts or moving."""
    settings = SettingsStore()
    settings.change(model=model)
    with before_window(qtbot, sample_file(tmp_path, 60), settings) as person:
        agent = person.view.context.agent
        ended = []
        agent.finished.connect(lambda number, record: ended.append(number))
        alone = longest(person, watch, lambda: None)
        person.press("v")
        person.press("r", CTRL)
        person.wait(lambda: ended and agent.list_run.state.done)
        together = longest(person, watch, lambda: person.press("v"))
        assert agent.list_run.state.done and len(ended) > 1
    # A slow machine needs longer for everything.
    (worked, held), (worked_alone, held_alone) = together, alone
    assert worked < max(LIMIT_MS, 3 * worked_alone)
    assert held < max(LIMIT_MS, 3 * held_alone)


def longest(person, watch, begin):
    """Return the longest work and the longest block (ms), the latter of the best round.

    What blocks the window does so in each round, other programs only in some. A first round is not
    counted, as it builds widgets.
    """
    for key in KEYS:
        press(person, key)
    worked, held = [], []
    for _ in range(ROUNDS):
        watch.clear()
        begin()
        for key in KEYS:
            press(person, key)
        assert len(watch.worked_ms) > ROUNDS
        worked.append(max(watch.worked_ms))
        held.append(max(watch.held_ms))
    return max(worked), min(held)
