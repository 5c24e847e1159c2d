"""Clicks on the titles of the queue's columns."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.core.queue import Sort
from app.core.queue.filters import EVERYTHING
from app.ui.judge.queue.queue_model import OBJECT, P_YES, SNR, VERDICT
from app.ui.judge.queue.queue_panel import QueuePanel
from tests.app.ui.steps import shown_in


@pytest.fixture
def panel(qtbot, context):
    made = shown_in(qtbot, QueuePanel(context), 500, 500)
    context.current.start()
    qtbot.waitUntil(lambda: made.model.blocks.row(2) is not None)
    return made


def click(panel, column):
    header = panel.table.horizontalHeader()
    x = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
    QTest.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 6))


def test_a_title_orders_up_down_and_as_listed(panel, context, qtbot):
    header = panel.table.horizontalHeader()
    click(panel, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=True)
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == SNR
    click(panel, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=False)
    click(panel, SNR)
    assert context.current.queue.sort == Sort() and not header.isSortIndicatorShown()
    click(panel, SNR)
    click(panel, VERDICT)
    assert context.current.queue.sort == Sort()
    click(panel, SNR)

    def ratios():
        rows = [panel.model.blocks.row(number) for number in range(5)]
        return [row.candidate.snr for row in rows if row is not None]

    qtbot.waitUntil(lambda: len(ratios()) == 5 and ratios() == sorted(ratios(), reverse=True))
    context.current.set_queue(EVERYTHING, Sort())
    context.current.blind_mode.set_on(True)
    panel.parts.header_sort.sort_requested.emit(Sort(key="p_yes", descending=True))
    assert context.current.queue.sort == Sort()
    header = panel.table.horizontalHeader()
    assert not header.isSortIndicatorShown() or header.sortIndicatorSection() != P_YES


def test_names_from_a_to_z_then_back_then_as_listed(qtbot, panel, context, session):
    names = sorted(
        (session.candidate(number).object_id for number in range(1, 13)), key=str.casefold
    )

    def shown():
        rows = [panel.model.blocks.row(number) for number in range(12)]
        return [row and row.candidate.object_id for row in rows]

    as_listed = shown()
    click(panel, OBJECT)
    assert context.current.queue.sort == Sort("object")
    header = panel.table.horizontalHeader()
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == OBJECT
    assert panel.filters.order.text() == "by name ▾"
    qtbot.waitUntil(lambda: shown() == names)
    click(panel, OBJECT)
    assert panel.filters.order.text() == "object, falling ▾"
    qtbot.waitUntil(lambda: shown() == names[::-1])
    click(panel, OBJECT)
    assert context.current.queue.sort == Sort()
    qtbot.waitUntil(lambda: shown() == as_listed)
