"""From a key to the plot of the next spectrum, and to its frame with the small windows.

The floor is a bare pyqtgraph PlotWidget of the same size, in the same process, given the same
arrays. The sample's spectra stand for all.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.measuring import figure_line

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from agent.spectra.spectrum import Spectrum
from agent.tasks.catalogue import find_task
from app.core.session.records import Verdict
from app.core.session.session import new_session, open_session
from app.core.spectra.prefetch import read_by_key
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.keys.key_filter import KeyFilter
from app.ui.base.keys.keymap import Keymap
from app.ui.judge.diagnostic_windows.windows_row import WindowsRow
from app.ui.judge.plot.plot_actions import PlotActions
from app.ui.judge.plot.spectrum_panel import SpectrumPanel
from app.ui.judge.verdict.key_strip import KeyStrip, SubclassKeys
from app.ui.session.session_context import SessionContext
from app.ui.widgets.input_filter import InputFilter
from app.ui.widgets.labels import column
from tests.app.ui.candidates import take_sample
from tests.app.ui.conftest import opened_context

SIZES = (10, 100_000)
WINDOW = (1000, 804)
ROW_PX = 104  # of the small windows, as on usual pages
KEYS = 200
LOOK_S = 0.05
"""Between two keys: twenty objects a second."""
LOOKS, LONG_LOOK_S = 40, 0.7  # as quick as a person judges, with time to measure ahead
SETTLE_S = 0.01
FRAME_MS = 16.7
OBJECTS = 5000
WARM_UP = 500
LIMIT_S = 30.0
FLOOR = "a bare PlotWidget of the same size given the same arrays"


def figures() -> Iterator[dict[str, object]]:
    app = QApplication.instance() or QApplication([])
    garbage = GarbageTimer()  # as the program does; another thread may not delete a widget
    with tempfile.TemporaryDirectory() as folder:
        for size in SIZES:
            place = Path(folder) / f"{size}.speco3"
            fill(place, size)
            yield from _of_size(app, place, size)
        yield _memory(app, place)
    garbage.stop()


def _of_size(app: Any, place: Path, size: int) -> Iterator[dict[str, object]]:
    for with_prefetch in (True, False):
        with _window(place) as bench:
            if not with_prefetch:
                _without_prefetch(bench.place)
            how = f"{size:,} candidates, {'with' if with_prefetch else 'without'} prefetch"
            yield from _to_painted("N to", how, *bench.times(app, KEYS, bench.walk_key(size)))
            if with_prefetch and size > KEYS:
                times = bench.times(app, KEYS, lambda _: Qt.Key.Key_A)
                yield from _to_painted("A to written and next", how, *times)
                yield from _percentiles("the panel alone", *bench.drawing_times(app, KEYS))
                bench.filled.clear()
                bench.times(app, LOOKS, bench.walk_key(size), LONG_LOOK_S)
                share = sum(bench.filled) / len(bench.filled)
                yield figure_line("frames whose small windows have their numbers", share, "share")


def _to_painted(
    what: str, how: str, plots: list[float], frames: list[float], floor: list[float]
) -> Iterator[dict[str, object]]:
    yield from _percentiles(f"{what} painted, {how}", plots, floor)
    yield from _percentiles(f"{what} painted with its small windows, {how}", frames, floor)


def _percentiles(name: str, times: list[float], floor: list[float]) -> Iterator[dict[str, object]]:
    base = _points(floor)
    for point, value in _points(times).items():
        yield figure_line(
            f"{name}, {point}", value, "ms", baseline=FLOOR, baseline_ms=round(base[point], 2),
            ratio=round(value / base[point], 2), target=FRAME_MS
        )  # fmt: skip


def _points(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {f"p{percent}": 1e3 * cuts[percent - 1] for percent in (50, 95, 99)}


class BarePlot(pg.PlotWidget):  # type: ignore[misc]
    """The floor."""

    def __init__(self) -> None:
        super().__init__()
        self.curve = self.plot(pen=pg.mkPen("w", width=1))
        self.painted_at: float | None = None

    def draw(self, app: Any, spectrum: Spectrum) -> float:
        self.painted_at, began = None, time.perf_counter()
        self.curve.setData(spectrum.wavelength, spectrum.flux)
        _wait(app, lambda: self.painted_at is not None)
        assert self.painted_at is not None
        return self.painted_at - began

    def paintEvent(self, event: Any) -> None:
        super().paintEvent(event)
        self.painted_at = time.perf_counter()


class FrameWindow(QMainWindow):
    framed = Signal()  # everything that had changed was painted

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() == QEvent.Type.UpdateRequest:
            self.framed.emit()
        return bool(done)


class Bench:
    """The panel and the small windows in a plain window with the real keys."""

    def __init__(self, context: SessionContext) -> None:
        self.place = context
        self.window = FrameWindow()
        self.panel, page = SpectrumPanel(context), QWidget()
        self.row = WindowsRow(context, self.panel)
        self.row.setFixedHeight(ROW_PX)
        PlotActions(self.panel, context)
        column((self.panel, 1), self.row, parent=page)
        self.window.setCentralWidget(page)
        self.window.resize(*WINDOW)
        current, commands = context.current, context.commands
        strip = KeyStrip(context.current_theme, self.panel)  # open after each accept
        self.subclasses = SubclassKeys(context, strip, self.window)
        commands.key_taker = strip
        commands.add("next", current.next)
        commands.add("previous", current.previous)
        commands.add("accept", lambda: current.judge(Verdict.ACCEPT))
        self.filter = KeyFilter(
            commands, Keymap(context.settings), self.window, self.panel.setFocus
        )
        self.input_filter = InputFilter(self.window, self.filter.handlers)
        self.bare = BarePlot()
        self.seen: list[Spectrum] = []
        self.filled: list[bool] = []
        """Of each frame with a new spectrum, whether the small windows had their numbers."""
        self.plot_at: float | None = None
        self.painted_at: float | None = None
        """When the plot was painted, and when all that had changed in the window was."""
        self.panel.plot.painted.connect(self._note)
        self.window.framed.connect(self._note_frame)

    def start(self, app: Any) -> None:
        self.window.show()
        self.bare.resize(self.panel.plot.size())
        self.bare.show()
        self.place.current.start()
        _wait(app, lambda: self.painted_at is not None)

    def walk_key(self, size: int) -> Callable[[int], Qt.Key]:
        """To the end of the list and back."""
        turn = size - 1
        return lambda number: Qt.Key.Key_N if (number // turn) % 2 == 0 else Qt.Key.Key_B

    def times(
        self, app: Any, count: int, key: Callable[[int], Qt.Key], look_s: float = LOOK_S
    ) -> tuple[list[float], list[float], list[float]]:
        """Plot and frame, and after each the floor with its spectrum: as busy as the machine is."""
        plots, frames, floor = [], [], []
        for number in range(count):
            _look(app, look_s)
            plot, frame = self.press(app, key(number))
            plots.append(plot)
            frames.append(frame)
            _look(app, SETTLE_S)
            spectrum = self.place.current.spectrum
            assert spectrum is not None
            self.seen.append(spectrum)
            floor.append(self.bare.draw(app, spectrum))
        return plots, frames, floor

    def drawing_times(self, app: Any, count: int) -> tuple[list[float], list[float]]:
        """As the floor is measured: a spectrum is given, without a key, a desk and a session."""
        spectra = list(dict.fromkeys(self.seen))
        ours, floor = [], []
        for number in range(count):
            spectrum = spectra[number % len(spectra)]
            _look(app, SETTLE_S)
            paint = partial(self.place.current.spectrum_changed.emit, spectrum)
            ours.append(self._seconds_to_painted(app, paint)[0])
            _look(app, SETTLE_S)
            floor.append(self.bare.draw(app, spectrum))
        return ours, floor

    def press(self, app: Any, key: Qt.Key) -> tuple[float, float]:
        """In how many seconds the plot is painted, and the whole frame."""
        return self._seconds_to_painted(app, lambda: QTest.keyClick(self.window, key))

    def _seconds_to_painted(self, app: Any, paint: Callable[[], object]) -> tuple[float, float]:
        self.plot_at, self.painted_at = None, None
        began = time.perf_counter()
        paint()
        _wait(app, lambda: self.painted_at is not None)
        assert self.plot_at is not None and self.painted_at is not None
        return self.plot_at - began, self.painted_at - began

    def close(self) -> None:
        self.filter.close()
        self.bare.close()
        self.window.close()

    def _note(self, _: int) -> None:
        self.plot_at = self.plot_at or time.perf_counter()

    def _note_frame(self) -> None:
        if self.plot_at is not None and self.painted_at is None:
            self.painted_at = time.perf_counter()
            self.filled.append(all(cell.numbers for cell in self.row.cells if cell.is_covered))


@contextmanager
def _window(place: Path) -> Iterator[Bench]:
    with open_session(place, "Ada") as session, opened_context(session) as context:
        bench = Bench(context)
        try:
            bench.start(QApplication.instance())
            yield bench
        finally:
            bench.close()


def _without_prefetch(context: SessionContext) -> None:
    context.current.prefetch.read_ahead = lambda *_: None  # type: ignore[method-assign]
    context.current.prefetch.peek = lambda key: None  # type: ignore[method-assign]
    context.current.prefetch.get = read_by_key  # type: ignore[method-assign]


def _memory(app: Any, place: Path) -> dict[str, object]:
    with _window(place) as bench:
        for _ in range(WARM_UP):
            bench.press(app, Qt.Key.Key_N)
        before = _resident_mib()
        for _ in range(OBJECTS):
            bench.press(app, Qt.Key.Key_N)
        grown = _resident_mib() - before
    title = f"memory grown over {OBJECTS:,} objects"
    baseline = f"after {WARM_UP} objects"
    return figure_line(title, grown, "MiB", baseline=baseline, baseline_mib=round(before))


def fill(place: Path, size: int) -> None:
    """The sample over and over, written straight into the table."""
    with new_session(place, find_task("CV"), "Ada") as session:
        take_sample(session, min(size, 60))
    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        named = connection.execute("SELECT name FROM pragma_table_info('candidates')")
        others = ", ".join(f'"{name}"' for (name,) in named if name not in ("id", "line"))
        known = connection.execute("SELECT max(id) FROM candidates").fetchone()[0]
        copies = f"""
            WITH RECURSIVE more(n) AS (SELECT :from UNION ALL SELECT n + 1 FROM more WHERE n < :to)
            INSERT INTO candidates (id, line, {others})
            SELECT more.n, more.n, {others} FROM more JOIN candidates ON id = 1 + more.n % :known
        """
        if size > known:
            connection.execute(copies, {"from": known + 1, "to": size, "known": known})


def _look(app: Any, seconds: float) -> None:
    until = time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0:
        app.processEvents()
        time.sleep(min(left, 0.002))


def _wait(app: Any, is_so: Callable[[], bool]) -> None:
    until = time.perf_counter() + LIMIT_S
    while not is_so():
        app.processEvents()
        if time.perf_counter() > until:
            raise TimeoutError("the next spectrum was not painted")


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
