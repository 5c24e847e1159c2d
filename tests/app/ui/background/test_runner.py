"""Work that is not urgent starts after the next repaint."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.ui.background.runner import Runner


class Painted(QWidget):
    painted = Signal()

    def paintEvent(self, event):
        self.painted.emit()


@pytest.fixture
def runner(qapp):
    runner = Runner()
    yield runner
    runner.close()


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
