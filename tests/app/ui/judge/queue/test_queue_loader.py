"""Rows of a queue of any length, loaded as they are needed."""

from PySide6.QtTest import QAbstractItemModelTester

from app.core.queue import EVERYTHING, parse_filter, parse_sort
from app.core.session.records import Verdict
from app.ui.judge.queue.queue_model import HELD
from app.ui.judge.queue.queue_panel import QueuePanel
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.queue.conftest import current_rows, names, objects, ready
from tests.app.ui.steps import painted, shown_in


def test_what_is_judged_leaves_the_unjudged(qtbot, panel, context, session):
    context.current.set_queue(parse_filter("verdict:unjudged"), parse_sort("list"))
    qtbot.waitUntil(lambda: panel.model.rowCount() == 12)
    painted(qtbot, context, 1)
    context.current.judge(Verdict.ACCEPT)
    qtbot.waitUntil(lambda: names(panel) == objects(session, range(2, 13)))
    assert panel.card.note.text() == "11"
    qtbot.waitUntil(lambda: current_rows(panel) == [0])
    context.current.undo()
    qtbot.waitUntil(lambda: names(panel) == objects(session, range(1, 13)))


def test_a_long_list_is_scrolled_without_holding_it_also_to_one_far_away(qtbot, long_session):
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 320, 500)
        context.current.start()
        ready(qtbot, panel)
        assert panel.model.rowCount() == 30_000
        bar = panel.table.verticalScrollBar()
        for part in (0.5, 0.1, 0.9, 1.0, 0.25):
            bar.setValue(round(part * bar.maximum()))
            ready(qtbot, panel)
            first = panel.table.rowAt(0)
            assert names(panel)[0] == f"J{first + 1:06d}"
        for part in range(100):
            bar.setValue(part * bar.maximum() // 100)
            panel.table.viewport().repaint()
        ready(qtbot, panel)
        blocks = panel.model.blocks
        assert sum(blocks.holds(block) for block in range(blocks.count)) <= HELD
        context.current.go_to(27_123)
        qtbot.waitUntil(lambda: "J027123" in names(panel))
        context.current.set_queue(EVERYTHING, parse_sort("snr"))
        qtbot.waitUntil(lambda: panel.model.blocks.sort.key == "snr")
        qtbot.waitUntil(lambda: "J027123" in names(panel))


def test_counting_in_pieces_comes_to_the_whole(qtbot, long_session, monkeypatch):
    monkeypatch.setattr("app.core.queue.landmarks.ROWS_A_CALL", 3000)
    with opened_context(long_session) as context:
        panel = shown_in(qtbot, QueuePanel(context), 320, 500)
        QAbstractItemModelTester(panel.model, panel)
        context.current.set_queue(parse_filter("snr>=50"), parse_sort("list"))
        expected = sum(n % 97 >= 50 for n in range(1, 30_001))
        qtbot.waitUntil(lambda: not panel.loader.is_counting and panel.model.rowCount() == expected)
        assert panel.card.note.text() == f"{expected:,}"
