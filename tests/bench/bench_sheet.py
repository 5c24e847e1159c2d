"""From a key to a contact sheet of 48 that is painted, in a session of 100,000 candidates.

Painted: every cell of the new sheet has its spectrum on the screen. The sample's spectra stand for
all; each candidate is read and drawn by itself, as no two are the same to the program.
"""

from __future__ import annotations

import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.measuring import figure_line

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEventLoop, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.judge.overview.overview_page import OverviewPage
from app.ui.program.main_window import MainWindow
from tests.bench.bench_window import fill

SIZE, CELLS = 100_000, 48
WINDOW = 1920, 1080
SHEETS = 40
TARGET_MS = 100.0
LIMIT_S = 60.0
AWAKE_MS = 20


def figures() -> Iterator[dict[str, object]]:
    app = QApplication.instance() or QApplication([])
    garbage = GarbageTimer()  # as the program does; another thread may not delete a widget
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "long.speco3"
        fill(place, SIZE)
        with opened(app, place) as page:
            yield from _figures(app, page)
    garbage.stop()


@contextmanager
def opened(app: Any, place: Path) -> Iterator[OverviewPage]:
    settings = SettingsStore()
    settings.change(reviewer="Ada", sheet_size=CELLS)
    window = MainWindow(settings, CurrentTheme())
    window.resize(*WINDOW)
    window.show()
    window.opening.open_session(place)
    _wait(app, lambda: window.view is not None)
    window.commands.run("overview_page")
    assert window.view is not None
    page = window.view._pages["overview_page"]
    assert isinstance(page, OverviewPage)
    try:
        _wait(app, lambda: page.model.rowCount() == SIZE and not page.loader.is_counting)
        yield page
    finally:
        window.close()
        window.deleteLater()
        app.processEvents()


def _figures(app: Any, page: OverviewPage) -> Iterator[dict[str, object]]:
    sheet = page.sheet
    shown: list[set[int]] = [set()]

    def note(rows: list[Any], _: bool) -> None:
        shown[0] |= {row.candidate.id for row in rows}

    def is_painted() -> bool:
        wanted = sheet.queue_rows(sheet.sheet_rows)
        return len(wanted) == CELLS and {row.candidate.id for row in wanted} <= shown[0]

    def is_ahead() -> bool:
        following = range(sheet.sheet_rows.stop, sheet.sheet_rows.stop + CELLS)
        rows = sheet.queue_rows(following)
        return len(rows) == CELLS and all(sheet.pictures.of(row) is not None for row in rows)

    def timed(act: Callable[[], object]) -> float:
        shown[0] = set()
        began = time.perf_counter()
        act()
        _wait(app, is_painted)
        return 1e3 * (time.perf_counter() - began)

    def press(key: Qt.Key | str) -> Callable[[], None]:
        return lambda: QTest.keyClick(sheet, key)

    sheet.painted.connect(note)
    _wait(app, is_painted)
    ahead, cold, windows = [], [], []
    for _ in range(SHEETS):
        _wait(app, is_ahead)
        ahead.append(timed(press(Qt.Key.Key_PageDown)))
    draw = random.Random(1)
    for _ in range(SHEETS):
        row = draw.randrange(SIZE - CELLS)
        cold.append(timed(lambda row=row: sheet.go_to_row(row)))  # type: ignore[misc]
        _wait(app, is_ahead)
        windows.append(timed(press(".")))
        _wait(app, is_ahead)
    yield from _percentiles(f"key to {CELLS} of {SIZE:,} painted, drawn ahead", ahead, TARGET_MS)
    yield from _percentiles(f"key to {CELLS} of {SIZE:,} painted, not ahead", cold)
    yield from _percentiles(f"another window in {CELLS} cells", windows)


def _percentiles(
    name: str, times: list[float], target: float | None = None
) -> Iterator[dict[str, object]]:
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    for percent in (50, 95):
        more = {} if target is None else {"target": target}
        yield figure_line(f"{name}, p{percent}", cuts[percent - 1], "ms", **more)


def _wait(app: Any, is_so: Callable[[], bool]) -> None:
    """Sleeps between events, as the program does: who polls takes Python's lock from the threads
    that draw."""
    until = time.perf_counter() + LIMIT_S
    awake = QTimer(interval=AWAKE_MS)
    awake.start()
    while not is_so():
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        if time.perf_counter() > until:
            raise TimeoutError("the sheet was not painted")
