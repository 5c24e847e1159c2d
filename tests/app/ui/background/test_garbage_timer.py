"""Garbage is collected on the GUI thread; afterwards Python collects automatically again."""

from __future__ import annotations

import gc
import threading
import weakref

from app.ui.background.garbage_timer import YOUNG, GarbageTimer


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
