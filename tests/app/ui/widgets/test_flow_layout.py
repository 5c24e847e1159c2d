"""Parts flow into rows, and what expands takes the room that is left."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from app.ui.widgets.flow_layout import FlowLayout
from tests.app.ui.steps import shown_in

FIXED, GROWS = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding


def part(width, policy=FIXED, height=20):
    made = QWidget()
    made.setMinimumWidth(width)
    made.setFixedHeight(height)
    if policy == FIXED:
        made.setFixedWidth(width)
    made.setSizePolicy(policy, FIXED)
    return made


@pytest.fixture
def row(qtbot):
    page = QWidget()
    page.parts = [part(100), part(60, GROWS), part(100), part(40, GROWS)]
    strip = QWidget()
    flow = FlowLayout(strip, spacing=10)
    flow.setContentsMargins(5, 5, 5, 5)
    for each in page.parts:
        flow.addWidget(each)
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(strip)
    column.addStretch(1)
    qtbot.addWidget(page)
    page.strip = strip
    page.resize(500, 200)
    with qtbot.waitExposed(page):
        page.show()
    return page


def tops(page):
    return [each.y() for each in page.parts]


def test_parts_flow_into_rows(row, qtbot):
    assert row.strip.layout().minimumSize().width() == 110
    assert row.strip.layout().heightForWidth(110) == 4 * 20 + 3 * 10 + 10
    assert tops(row) == [5, 5, 5, 5] and row.strip.height() == 30
    _, wide, second, narrow = row.parts
    assert wide.width() - 60 == pytest.approx(narrow.width() - 40, abs=1)
    assert narrow.geometry().right() == 494 and second.x() == wide.geometry().right() + 11
    row.resize(230, 200)
    qtbot.waitUntil(lambda: row.strip.height() == 60)
    assert tops(row) == [5, 5, 35, 35]
    assert row.parts[1].geometry().right() == row.parts[3].geometry().right() == 224
    row.resize(500, 200)
    row.parts[1].hide()
    qtbot.waitUntil(lambda: row.parts[2].x() == 115)
    assert row.parts[3].geometry().right() == 494


def test_a_row_within_a_row_has_the_height_it_needs(qtbot):
    """The tools beside the title used to be drawn over the plot where they went on in a row."""
    page, inner = QWidget(), QWidget()
    page.parts = [part(150) for _ in range(3)]
    flow, outer = FlowLayout(inner, spacing=10), FlowLayout(spacing=10)
    flow.setContentsMargins(0, 0, 0, 0)
    for each in page.parts:
        flow.addWidget(each)
    inner.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    outer.addWidget(inner)
    below = part(50)
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addLayout(outer)
    column.addWidget(below)
    column.addStretch(1)
    shown_in(qtbot, page, 340, 200)
    assert page.width() == 340 and inner.height() == 50 and below.y() > 50


def test_rows_are_even_and_low_parts_in_their_middle(qtbot):
    page, flow = QWidget(), FlowLayout()
    high, middle, top = part(50, height=60), part(50), part(50)
    for each in (high, middle, top):
        flow.addWidget(each)
    flow.setAlignment(top, Qt.AlignmentFlag.AlignTop)
    page.setLayout(flow)
    shown_in(qtbot, page, 300, 100)
    assert middle.y() == high.y() + 20 and top.y() == high.y()
    # As many parts in each row, though more fit.
    for width, columns in [(900, 8), (700, 4), (400, 4), (330, 3), (90, 1)]:
        page = QWidget()
        flow = FlowLayout(page, spacing=10, is_even=True)
        flow.setContentsMargins(0, 0, 0, 0)
        parts = [part(60 + 4 * number, GROWS) for number in range(8)]
        for each in parts:
            flow.addWidget(each)
        shown_in(qtbot, page, width, 300)
        lefts = sorted({each.x() for each in parts})
        assert len(lefts) == columns
        assert len({each.width() for each in parts}) <= 2  # one pixel may be left over
        assert max(each.geometry().right() for each in parts) == width - 1
        assert flow.heightForWidth(width) == parts[-1].geometry().bottom() + 1


def test_a_part_that_grows_moves_the_others_at_the_same_width(qtbot, row):
    assert tops(row) == [5, 5, 5, 5]
    row.parts[0].setFixedWidth(350)
    qtbot.waitUntil(lambda: tops(row) == [5, 5, 35, 35])
    assert row.strip.layout().heightForWidth(500) == 60
    row.parts[2].setFixedHeight(50)
    qtbot.waitUntil(lambda: row.strip.height() == 90)


def test_a_part_that_is_taken_out_is_laid_out_no_more(qtbot, row):
    flow = row.strip.layout()
    assert flow.heightForWidth(210) == 60
    for part in row.parts[1:]:
        flow.removeWidget(part)
    assert flow.heightForWidth(210) == 30
