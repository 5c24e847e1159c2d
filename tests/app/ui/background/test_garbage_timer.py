"""Garbage is collected on the window's thread, and Python has its own way again afterwards."""

from __future__ import annotations

import gc
import threading
import weakref

from app.ui.background.garbage_timer import YOUNG, GarbageTimer


class Knot:
    def __init__(self):
        self.me = self


def test_knots_go_on_the_window_s_thread(qtbot):
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


def test_what_settled_is_searched_no_more(qtbot):
    garbage_timer = GarbageTimer()
    try:
        garbage_timer.freeze()
        assert gc.get_freeze_count() > 1000
    finally:
        garbage_timer.stop()
    assert gc.get_freeze_count() == 0
