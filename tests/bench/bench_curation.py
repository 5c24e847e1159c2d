"""The curation room: how long a person waits for the picture and the numbers of a changed call."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QEventLoop, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.ui.base.background.garbage_timer import GarbageTimer
from app.ui.base.background.runner import Runner
from app.ui.base.theme.theme import CurrentTheme
from tests.bench.measuring import figure_line, ms_of
from tests.train.draft.spectra import write_set
from train.draft.drafting import DraftRun, draft_all
from train.draft.settings import DraftSettings
from train.review.pool import Pool, import_drafts
from train.review.review_rules import Review
from train.review.window.pool_room import PoolRoom
from train.review.window.turn_card import TurnCard

CHANGES = 40
TARGET_MS = 50.0
WIDTHS = (60.0, 150.0, 400.0, 900.0)


def figures() -> Iterator[dict[str, object]]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    application = QApplication.instance() or QApplication([])
    garbage = GarbageTimer()  # as the program does: no other thread may delete a widget
    runner = Runner()
    with tempfile.TemporaryDirectory() as folder:
        room = PoolRoom(_pool(Path(folder)), "Ada", runner, CurrentTheme())
        room.show()
        _until(lambda: room.draft is not None and room.view.is_editable)
        waits, work, checks = _change_calls(room)
        room.close()
    runner.close()
    garbage.stop()
    for name, values in (
        ("a call's range, from Return to the new picture and measurements on the screen", waits),
        ("the same, in processor time of all threads", work),
        ("a word typed, until its claims are checked (120 ms of it wait for the next)", checks),
    ):
        low, high = np.percentile(values, [50, 95])
        target = {} if values is checks else {"target": TARGET_MS}
        yield figure_line(name, float(high), "ms", p50=float(low), **target)
    del application


def _pool(folder: Path) -> Pool:
    """One draft of each task that has one, screened."""
    examples = write_set(folder / "cold.parquet")
    out, settings = folder / "d.jsonl", DraftSettings()
    run = DraftRun(sets=(examples,), out=out, teacher="measured", settings=settings)
    draft_all(run)
    pool, _ = import_drafts(folder / "pool", [run.out], [examples])
    for case in pool.cases():
        review = Review(
            trajectory=case.id, role="screener", by="Ada", approve=True, version=case.version
        )
        pool.add_review(review)
    return pool


def _change_calls(room: PoolRoom) -> tuple[list[float], list[float], list[float]]:
    rng = np.random.default_rng(4)
    waits, work, checks = [], [], []
    for number in range(CHANGES):
        if number % 10 == 0:  # another spectrum
            before = room.draft
            room.table.step(1)
            _until(lambda then=before: room.draft is not then and room.view.is_editable)
            _until(lambda: all(card.look is None or _is_drawn(card) for card in room.view.cards))
        card = room.view.cards[0]
        look = card.look
        assert look is not None
        width = float(rng.choice(WIDTHS))
        low = round(float(rng.uniform(3900.0, 8500.0 - width)))
        changes = [(look.low, low), (look.high, low + width)]
        if low >= (look.high.value or 0.0):
            changes.reverse()  # a range that ends before it begins is refused
        for box, value in changes:
            box.setFocus()
            box.selectAll()
            QTest.keyClicks(box, f"{value:g}")
            started, used = time.perf_counter(), time.process_time()
            _wait_for(look.redrawn, partial(QTest.keyClick, box, Qt.Key.Key_Return))
            look.repaint()
        waits.append(1e3 * (time.perf_counter() - started))
        work.append(1e3 * (time.process_time() - used))
        typed = partial(QTest.keyClicks, card.thought, "a")
        checks.append(ms_of(partial(_wait_for, room.view.checked, typed)))
    return waits, work, checks


def _is_drawn(card: TurnCard) -> bool:
    assert card.look is not None
    return card.look.picture.image is not None or bool(card.look.error.text())


def _wait_for(signal: Any, act: Callable[[], object]) -> None:
    """Do something, and run the event loop until it has caused this."""
    loop = QEventLoop()
    signal.connect(loop.quit)
    act()
    loop.exec()
    signal.disconnect(loop.quit)


def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
