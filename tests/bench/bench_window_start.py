"""From the start of the program to a spectrum on screen, a long session, and a quick end.

Each start is a process of its own; the first, which reads everything from the disk, is not counted.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.main_window import MainWindow
from tests.app.ui.steps import is_there
from tests.bench.bench_window import fill
from tests.bench.measuring import figure_line, seconds_of

ROOT = Path(__file__).resolve().parents[2]
SIZES = (60, 100_000)
STARTS = 5
LONG = 100_000
WAIT_S = 60.0
KEYS = "nnanxnunlsnadmsenbbn"
ROUNDS = 5
PAUSE_S = 0.05
TICK_MS = 5
MOST_MS = 50.0
BARE = """
from PySide6.QtWidgets import QApplication, QWidget
app = QApplication([])
class Bare(QWidget):
    def paintEvent(self, event):
        print("painted", flush=True)
bare = Bare()
bare.resize(1440, 900)
bare.show()
for _ in range(20):
    app.processEvents()
"""
"""The floor: Python, Qt and one empty widget."""

ALONE = """
from app.cli.window import import_program
import_program()
from tests.app.ui.window_alone import main
main()
"""
"""The program, imported as `spec-o3` does it."""


def figures() -> Iterator[dict[str, object]]:
    with tempfile.TemporaryDirectory() as folder:
        places = dict.fromkeys(("SPEC_O3_CONFIG", "XDG_DATA_HOME", "XDG_STATE_HOME"), folder)
        # As where it is installed: compiled once.
        once = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        own = {"QT_QPA_PLATFORM": "offscreen", "SPEC_O3_REVIEWER": "Ada"}
        environment = {**os.environ, **own, **places, **once}
        floor = _bare_start(environment)
        for size in SIZES:
            place = Path(folder) / f"{size}.speco3"
            fill(place, size)
            yield _start(environment, place, size, floor)
        app = QApplication.instance() or QApplication([])
        garbage = GarbageTimer()  # as the program does: no other thread may delete a widget
        yield _opening(place)
        yield _end(environment, place)
        yield from _held_up(place, garbage)
        garbage.stop()
        del app


def _bare_start(environment: dict[str, str]) -> float:
    times = []
    for _ in range(STARTS + 1):
        began = time.perf_counter()
        with _started(environment, BARE) as bare:
            assert bare.stdout is not None and bare.stdout.readline()
            times.append(time.perf_counter() - began)
    return statistics.median(times[1:])


def _start(environment: dict[str, str], place: Path, size: int, floor: float) -> dict[str, object]:
    times, loaded = [], {}
    for _ in range(STARTS + 1):
        began = time.perf_counter()
        with _started(environment, ALONE, "modules", str(place)) as running:
            _until(running, "painted")
            times.append(time.perf_counter() - began)
            loaded = _until(running, "loaded")
    seconds = statistics.median(times[1:])
    return figure_line(
        f"program started to spectrum painted, {size:,} candidates", seconds, "s",
        baseline="Python, Qt and one empty widget", baseline_s=round(floor, 2),
        ratio=round(seconds / floor, 2), target=2.0 if size != LONG else 1.5,
        modules=loaded["count"], heavy_modules=loaded["heavy"]
    )  # fmt: skip


def _window() -> MainWindow:
    window = MainWindow(SettingsStore(), CurrentTheme())
    window.settings.change(reviewer="Ada")
    window.show()
    return window


def _opened(window: MainWindow, place: Path) -> None:
    window.opening.open_session(place)
    _wait(lambda: window.view is not None and window.view.context.current.is_painted)


def _opening(place: Path) -> dict[str, object]:
    window = _window()
    times = []
    for _ in range(STARTS + 1):
        window.opening.show_welcome()
        QApplication.processEvents()
        times.append(seconds_of(partial(_opened, window, place)))
    window.close()
    title = f"session opened to spectrum painted, {LONG:,} candidates"
    return figure_line(title, statistics.median(times[1:]), "s", baseline="the limit", target=1.5)


def _end(environment: dict[str, str], place: Path) -> dict[str, object]:
    times, left = [], 0
    for _ in range(STARTS):
        with _started(environment, ALONE, "run_agent", str(place)) as running:
            worker = int(str(_until(running, "running")["worker"]))
            began = time.perf_counter()
            running.wait(WAIT_S)
            times.append(time.perf_counter() - began)
            left += is_there(worker)
    return figure_line(
        f"quit while the agent is at work, {LONG:,} candidates", statistics.median(times), "s",
        baseline="the limit", target=1.0, longest_s=round(max(times), 2), processes_left=left
    )  # fmt: skip


def _held_up(place: Path, garbage: GarbageTimer) -> Iterator[dict[str, object]]:
    """By the clock, which counts what others do on the machine, and in the thread's own time."""
    window = _window()
    _opened(window, place)
    garbage.freeze()
    _work(window)
    alone = _longest(window, lambda: None)
    assert window.view is not None
    agent = window.view.context.agent
    window.commands.run("run_agent")
    window.commands.run("run_queue")
    _wait(lambda: not agent.runs and agent.list_run.state.done > 0)
    together = _longest(window, lambda: window.commands.run("run_agent"))
    window.close()
    yield figure_line(
        "longest the window was held up, agent and list at work, keys pressed",
        together.longest_by_clock_ms, "ms", baseline="the same keys, no agent",
        baseline_ms=round(alone.longest_by_clock_ms, 1),
        ratio=round(together.longest_by_clock_ms / alone.longest_by_clock_ms, 2), target=MOST_MS,
        own_cpu_ms=round(together.longest_ms, 1), baseline_own_cpu_ms=round(alone.longest_ms, 1),
        load=round(os.getloadavg()[0], 1)
    )  # fmt: skip


class Turns:
    """The longest turn of the event loop, in time of the window's own thread and by the clock.

    What other programs take from a busy machine counts by the clock only.
    """

    def __init__(self) -> None:
        self.longest_ms = self.longest_by_clock_ms = 0.0
        self._last, self._last_by_clock = time.thread_time(), time.perf_counter()
        self._timer = QTimer(interval=TICK_MS)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()

    def _tick(self) -> None:
        now, clock = time.thread_time(), time.perf_counter()
        self.longest_ms = max(self.longest_ms, 1000.0 * (now - self._last))
        by_clock = 1000.0 * (clock - self._last_by_clock)
        self.longest_by_clock_ms = max(self.longest_by_clock_ms, by_clock)
        self._last, self._last_by_clock = now, clock


def _longest(window: MainWindow, begin: Callable[[], object]) -> Turns:
    turns = Turns()
    for _ in range(ROUNDS):
        begin()
        _work(window)
    turns.stop()
    return turns


def _work(window: MainWindow) -> None:
    """As fast as anybody presses."""
    for key in KEYS:
        QTest.keyClick(window, key)
        until = time.perf_counter() + PAUSE_S
        _wait(lambda until=until: time.perf_counter() > until)
        _wait(lambda: window.view is not None and window.view.context.current.is_painted)


def _started(environment: dict[str, str], code: str, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *words], cwd=ROOT, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True
    )  # fmt: skip


def _until(running: subprocess.Popen[str], word: str) -> dict[str, object]:
    assert running.stdout is not None
    for line in running.stdout:
        heard: dict[str, object] = json.loads(line)
        if heard["said"] == word:
            return heard
    raise RuntimeError(f"the program ended before it said {word!r}")


def _wait(is_so: Callable[[], object]) -> None:
    until = time.perf_counter() + WAIT_S
    while not is_so():
        QApplication.processEvents()
        if time.perf_counter() > until:
            raise TimeoutError("nothing was painted")
        time.sleep(0.0005)
