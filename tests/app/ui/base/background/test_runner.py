"""Work that is not urgent starts after a repaint; garbage goes in the thread of the window."""

import gc
import threading
import weakref
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QWidget

from agent.errors import WorkbenchError
from agent.spectra.fits.source_file import read_url
from app.ui.base.background.garbage_timer import YOUNG, GarbageTimer
from app.ui.base.background.runner import Runner
from tests.processes import LONG_S
from tests.trickling import trickling


class Painted(QWidget):
    painted = Signal()

    def paintEvent(self, event):
        self.painted.emit()


def test_work_run_soon_starts_after_painting(qtbot, runner):
    widget, order = Painted(), []
    qtbot.addWidget(widget)
    widget.show()
    qtbot.waitExposed(widget)
    widget.painted.connect(lambda: order.append("painted"))
    for _ in range(5):
        order.clear()
        runner.run_soon(lambda: order.append("work"), lambda _: order.append("done"))
        widget.update()
        qtbot.waitUntil(lambda: "done" in order)
        assert order == ["painted", "work", "done"]


def test_work_run_soon_is_dropped_on_closing(qtbot):
    runner, begun = Runner(), []
    runner.run_soon(lambda: begun.append(1))
    runner.close()
    qtbot.wait(1)
    assert not begun


def test_closing_does_not_wait_for_a_server_that_work_asks(qtbot):
    with trickling("header") as (url, began):
        runner = Runner()
        asking = runner.run(partial(read_url, url))
        assert began.wait(LONG_S)
        runner.close()
        assert "nobody waits" in str(asking.exception())


class Knot:
    def __init__(self):
        self.me = self


def test_cycles_are_collected_on_the_gui_thread(qtbot):
    garbage_timer = GarbageTimer()
    gone_in = []
    try:
        knot = Knot()
        weakref.finalize(knot, lambda: gone_in.append(threading.current_thread()))
        del knot
        worker = threading.Thread(target=lambda: [Knot() for _ in range(2 * YOUNG)])
        worker.start()
        worker.join()
        assert not gone_in
        # What else goes in the meantime counts against what came: so more comes, as in a window.
        qtbot.waitUntil(lambda: bool([Knot() for _ in range(20)] and gone_in))
        assert gone_in == [threading.main_thread()]
    finally:
        garbage_timer.stop()
    assert gc.isenabled()


def test_frozen_objects_are_not_searched(qtbot):
    garbage_timer = GarbageTimer()
    try:
        garbage_timer.freeze()
        assert gc.get_freeze_count() > 1000
    finally:
        garbage_timer.stop()
    assert gc.get_freeze_count() == 0


def test_only_the_answer_to_the_latest_question_is_told(qtbot, runner):
    owner, told, go_on = QWidget(), [], threading.Event()
    qtbot.addWidget(owner)

    def late(outcome):
        go_on.wait(60)  # far more than it takes
        if isinstance(outcome, WorkbenchError):
            raise outcome
        return outcome

    answer = runner.latest(owner)
    for outcome in ("older", WorkbenchError("older")):
        answer.ask(partial(late, outcome), told.append, told.append)
    answer.ask(lambda: "newer", told.append)
    qtbot.waitUntil(lambda: told == ["newer"])
    answer.ask(partial(late, "forgotten"), told.append)
    answer.forget()
    go_on.set()
    runner._pool.shutdown(wait=True)  # all have answered
    QApplication.processEvents()
    assert told == ["newer"]
