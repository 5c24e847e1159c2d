"""Rows of a queue of any length, in blocks that are loaded as they are needed."""

import random

from PySide6.QtTest import QAbstractItemModelTester

from app.core.queue import (
    EVERYTHING,
    LIST_ORDER,
    QueuePosition,
    QueueRow,
    Sort,
    parse_filter,
    parse_sort,
)
from app.core.queue.landmarks import BLOCK
from app.core.session.records import Candidate, Verdict
from app.ui.judge.queue.queue_model import HELD, QueueBlocks
from app.ui.judge.queue.queue_panel import QueuePanel
from tests.app.ui.conftest import opened_context
from tests.app.ui.judge.queue.conftest import current_rows, names, objects, ready
from tests.app.ui.steps import painted, shown_in


def row_of(number):
    candidate = Candidate(id=number, list_id=1, line=number, object_id="", path="")
    return QueueRow(position=QueuePosition(number, number), candidate=candidate, mine=None)


def blocks_of(count, sort=LIST_ORDER):
    """Blocks of candidates 1 to count, with landmarks but no rows."""
    made = QueueBlocks(sort)
    numbers = range(count, 0, -1) if sort.descending else range(1, count + 1)
    ends = [QueuePosition(number, number) for number in list(numbers)[BLOCK - 1 :: BLOCK]]
    made.extend(ends, count % BLOCK)
    return made


def test_every_row_has_its_block():
    for count in [0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 10 * BLOCK + 5]:
        blocks = blocks_of(count)
        assert blocks.total == count
        for row in range(count):
            block = blocks.block_of_row(row)
            assert block == row // BLOCK
            assert blocks.block_of(QueuePosition(row + 1, row + 1)) == block
    blocks = blocks_of(3 * BLOCK, Sort(descending=True))
    assert blocks.block_of(QueuePosition(3 * BLOCK, 3 * BLOCK)) == 0
    assert blocks.block_of(QueuePosition(1, 1)) == 2
    for sort in [LIST_ORDER, Sort("object"), Sort("object", descending=True)]:
        blocks = QueueBlocks(sort)
        is_name = sort.key == "object"
        blocks.extend([QueuePosition("m" if is_name else BLOCK, BLOCK)], 5)
        other = QueuePosition(3 if is_name else "star", 3)
        assert blocks.index_of(other, 3) is None


def test_counting_goes_on_and_few_blocks_are_held():
    blocks = QueueBlocks(LIST_ORDER)
    blocks.extend([QueuePosition(BLOCK, BLOCK)], 5)
    blocks.fill(1, [row_of(BLOCK + 1 + at) for at in range(5)])
    blocks.extend([QueuePosition(2 * BLOCK, 2 * BLOCK)], 7)
    assert blocks.total == 2 * BLOCK + 7 and not blocks.holds(1)
    assert blocks.between(1) == (QueuePosition(BLOCK, BLOCK), QueuePosition(2 * BLOCK, 2 * BLOCK))
    assert blocks.between(2) == (QueuePosition(2 * BLOCK, 2 * BLOCK), None)
    blocks = blocks_of(100 * BLOCK)
    for block in range(100):
        blocks.fill(block, [row_of(block * BLOCK + at + 1) for at in range(BLOCK)])
    held = [block for block in range(100) if blocks.holds(block)]
    assert held == list(range(100 - HELD, 100))
    blocks = blocks_of(BLOCK)
    rows = [row_of(number) for number in range(1, BLOCK + 1)]
    blocks.fill(0, rows)
    edit = blocks.edit(0, rows[:40] + rows[41:])
    assert (edit.at, edit.removed, edit.added) == (40, 1, 0)
    edit = blocks.edit(0, rows)
    assert (edit.removed, edit.added) == (0, 0)


def test_edits_turn_what_was_shown_into_what_is_there():
    """Apply the edits as a table does: first remove rows, then add rows."""
    draw = random.Random(5)
    blocks = blocks_of(5 * BLOCK)
    known = [list(range(at * BLOCK + 1, (at + 1) * BLOCK + 1)) for at in range(5)]
    for _ in range(300):
        block = draw.randrange(5)
        numbers = [number for number in known[block] if draw.random() > 0.03]
        if draw.random() < 0.5:
            numbers = sorted({*numbers, *draw.sample(range(block * BLOCK + 1, 640), 2)})
        rows = list(blocks._ids(block))
        edit = blocks.edit(block, [row_of(number) for number in numbers])
        assert edit.removed == 0 or edit.added == 0
        del rows[edit.at : edit.at + edit.removed]
        rows[edit.at : edit.at] = [None] * edit.added
        assert len(rows) == len(numbers)
        if edit.removed:
            blocks.cut(block, edit.at, edit.removed)
        blocks.fill(block, [row_of(number) for number in numbers])
        known[block] = numbers
        assert blocks.total == sum(map(len, known))
    for block, numbers in enumerate(known):
        first = blocks.span(block).first
        for at, number in enumerate(numbers if blocks.holds(block) else []):
            assert blocks.row(first + at).candidate.id == number


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
