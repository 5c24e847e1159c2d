"""Clicks on the titles of the queue's columns."""

from app.core.queue import EVERYTHING, Sort
from app.ui.judge.queue.queue_model import OBJECT, P_YES, SNR, VERDICT
from tests.app.ui.judge.queue.conftest import click_title


def test_a_title_orders_up_down_and_as_listed(wide, context, qtbot):
    header = wide.table.horizontalHeader()
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=True)
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == SNR
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort(key="snr", descending=False)
    click_title(qtbot, wide, SNR)
    assert context.current.queue.sort == Sort() and not header.isSortIndicatorShown()
    click_title(qtbot, wide, SNR)
    click_title(qtbot, wide, VERDICT)
    assert context.current.queue.sort == Sort()
    click_title(qtbot, wide, SNR)

    def ratios():
        rows = [wide.model.blocks.row(number) for number in range(5)]
        return [row.candidate.snr for row in rows if row is not None]

    qtbot.waitUntil(lambda: len(ratios()) == 5 and ratios() == sorted(ratios(), reverse=True))
    context.current.set_queue(EVERYTHING, Sort())
    context.current.blind_mode.set_on(True)
    wide.header_sort.sort_requested.emit(Sort(key="p_yes", descending=True))
    assert context.current.queue.sort == Sort()
    assert not header.isSortIndicatorShown() or header.sortIndicatorSection() != P_YES


def test_names_from_a_to_z_then_back_then_as_listed(qtbot, wide, context, session):
    names = sorted(
        (session.candidate(number).object_id for number in range(1, 13)), key=str.casefold
    )

    def shown():
        rows = [wide.model.blocks.row(number) for number in range(12)]
        return [row and row.candidate.object_id for row in rows]

    as_listed = shown()
    click_title(qtbot, wide, OBJECT)
    assert context.current.queue.sort == Sort("object")
    header = wide.table.horizontalHeader()
    assert header.isSortIndicatorShown() and header.sortIndicatorSection() == OBJECT
    assert wide.filters.order.text() == "by name ▾"
    qtbot.waitUntil(lambda: shown() == names)
    click_title(qtbot, wide, OBJECT)
    assert wide.filters.order.text() == "object, falling ▾"
    qtbot.waitUntil(lambda: shown() == names[::-1])
    click_title(qtbot, wide, OBJECT)
    assert context.current.queue.sort == Sort()
    qtbot.waitUntil(lambda: shown() == as_listed)
