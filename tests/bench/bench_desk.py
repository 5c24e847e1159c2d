"""What a key costs the window's thread before anything is drawn, and the queue on screen, with 100
to 1,000,000 candidates. Nothing of it may grow with the list."""

from __future__ import annotations

import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from app.core.queue import parse_filter, parse_sort
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.judge.queue.queue_panel import QueuePanel
from app.ui.session.candidate.queue_neighbours import Queue
from app.ui.session.session_context import SessionContext
from tests.app.ui.candidates import SAMPLE
from tests.app.ui.conftest import opened_context
from tests.bench.bench_queue import figures_by_size, fill
from tests.processes import wait_until

SIZES = (100, 100_000, 1_000_000)
STEPS = 40
TIMER = 2
"""Milliseconds between two looks at whether the window's thread answers."""
WAIT_S = 30.0


def figures() -> Iterator[dict[str, object]]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    garbage = GarbageTimer()  # as the program does: no other thread may delete a widget
    with tempfile.TemporaryDirectory() as folder:
        measured = {size: dict(_measured(Path(folder), size)) for size in SIZES}
    garbage.stop()
    yield from figures_by_size(measured)
    del application


def _measured(folder: Path, size: int) -> Iterator[tuple[str, float]]:
    """Figure and milliseconds."""
    context = folder / f"{size}.speco3"
    fill(context, size)
    with closing(sqlite3.connect(context)) as connection, connection:
        connection.execute("UPDATE candidates SET path = ?", (str(_spectrum()),))
    with open_session(context, "Ada") as session, opened_context(session) as work:
        work.current.queue = Queue(tree=parse_filter(""), sort=parse_sort("score"))
        panel = QueuePanel(work)
        panel.resize(320, 600)
        panel.show()
        began = time.perf_counter()
        work.current.start()
        _until(lambda: work.current.row is not None)
        yield "once: the first candidate on the desk", 1e3 * (time.perf_counter() - began)
        _until(lambda: not panel.loader.is_counting)
        yield "once: every row of the queue has its place", 1e3 * (time.perf_counter() - began)
        yield "next, until the desk has it", _median(work, work.current.next)
        yield "previous, until the desk has it", _median(work, work.current.previous)
        yield "a verdict on the disk and the next on the desk", _median(work, _press(work))
        yield "once: longest the window did not answer in another order", _held_up(work, panel)
        panel.close()


def _spectrum() -> Path:
    """One of the sample, for all of them."""
    return sorted(SAMPLE.glob("spectra/**/*.fits.gz"))[0]


def _press(work: SessionContext) -> Callable[[], None]:
    def press() -> None:
        assert work.current.candidate is not None
        work.current.note_painted(work.current.candidate.id)
        work.current.judge(Verdict.REJECT)

    return press


def _median(work: SessionContext, step: Callable[[], None]) -> float:
    """Of steps as far apart as a person's keys are."""
    spent = []
    for _ in range(STEPS):
        _rest(60)
        _until(lambda: work.current.spectrum is not None)
        before = work.current.row
        began = time.perf_counter()
        step()
        _until(lambda before=before: work.current.row is not before)
        spent.append(1e3 * (time.perf_counter() - began))
    return statistics.median(spent)


def _held_up(work: SessionContext, panel: QueuePanel) -> float:
    """The longest gap between ticks of a timer while a queue is counted and scrolled through."""
    ticks: list[float] = []
    timer = QTimer(interval=TIMER)
    timer.timeout.connect(lambda: ticks.append(time.perf_counter()))
    timer.start()
    work.current.set_queue(parse_filter("own.mag_r<19"), parse_sort("snr"))
    _until(lambda: not panel.loader.is_counting)
    bar = panel.table.verticalScrollBar()
    for part in range(50):
        bar.setValue(part * bar.maximum() // 50)
        _rest(10)
    timer.stop()
    return 1e3 * max(after - before for before, after in pairwise(ticks))


def _until(holds: Callable[[], bool]) -> None:
    events = QEventLoop.ProcessEventsFlag.WaitForMoreEvents
    wait_until(holds, WAIT_S, partial(QApplication.processEvents, events, 5))


def _rest(ms: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(ms, loop.quit)
    loop.exec()
