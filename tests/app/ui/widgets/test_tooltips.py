"""What others wrote is shown in tooltips letter by letter, and no file that it names is opened."""

import os
import threading

import pytest
from PySide6.QtCore import QEvent, QPoint, QStringListModel, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QTabBar,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.ui.widgets.input_filter import MAX_CHARACTERS, RICH, InputFilter, plain_html
from tests.night import BY_NIGHT

IMAGE = '<img src="file://{place}"> & <b>bold</b>'


@pytest.fixture
def bait(tmp_path):
    """A named pipe, and the number of times it was opened for reading; opening it never hangs."""
    place = tmp_path / "pipe"
    os.mkfifo(place)
    opened = []
    is_over = threading.Event()

    def wait():
        while not is_over.is_set():
            os.close(os.open(place, os.O_WRONLY))  # returns when somebody reads
            opened.append(place)

    waiting = threading.Thread(target=wait)
    waiting.start()
    yield place, opened
    is_over.set()
    os.close(os.open(place, os.O_RDONLY | os.O_NONBLOCK))
    waiting.join()


@pytest.fixture(params=[False, True], ids=["alone", "below another"])
def other_window(qtbot, request):
    """One that is still there, as that of a test before, where the mouse will be."""
    other = QWidget()
    qtbot.addWidget(other)
    other.resize(500, 400)
    if request.param:
        with qtbot.waitActive(other):
            other.show()
            other.activateWindow()


@pytest.fixture
def page(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    page.tooltips = InputFilter(page, {})
    QVBoxLayout(page)
    page.resize(400, 300)
    with qtbot.waitActive(page):  # Qt asks for tooltips in the active window only
        page.show()
        page.activateWindow()
    return page


def labelled(page, tip=""):
    """A label on the page with this tooltip, laid out."""
    label = QLabel("name", toolTip=tip)
    page.layout().addWidget(label)
    QApplication.processEvents()
    return label


def point_at(widget, position):
    """Ask for the tooltip there, as the application does when the mouse rests."""
    event = QHelpEvent(QEvent.Type.ToolTip, position, widget.mapToGlobal(position))
    QApplication.sendEvent(widget, event)
    return QToolTip.text()


def tip_on_screen():
    tip = next(each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel"))
    assert isinstance(tip, QLabel)
    return tip


def as_written():
    """What the tooltip on screen reads."""
    return tip_on_screen().grab() and QToolTip.text()


def test_a_widget_a_cell_a_header_and_a_tab(page, bait):
    text = IMAGE.format(place=bait[0])
    label, table, tabs, rows = QLabel("name"), QTableView(), QTabBar(), QListWidget()
    for part in (label, table, tabs, rows):
        page.layout().addWidget(part)
    label.setToolTip(text)
    table.setModel(Tips([text], table))
    tabs.setTabToolTip(tabs.addTab("one"), text)
    row = QListWidgetItem("row", rows)
    row.setToolTip(text)
    QApplication.processEvents()
    places = (
        (label, QPoint(2, 2)),
        (table.viewport(), table.visualRect(table.model().index(0, 0)).center()),
        (table.horizontalHeader().viewport(), QPoint(4, 4)),
        (tabs, tabs.tabRect(0).center()),
        (rows.viewport(), rows.visualItemRect(row).center()),
    )
    for widget, position in places:
        QToolTip.hideText()
        assert point_at(widget, position) == plain_html(text), widget
        as_written()
    assert bait[1] == []


@pytest.mark.skipif(not BY_NIGHT, reason="alone by night: after other tests Qt may not ask in time")
def test_the_mouse_that_rests_on_it_shows_the_same(qtbot, other_window, page, bait):
    text = IMAGE.format(place=bait[0])
    label = labelled(page, text)
    window = page.windowHandle()  # `mouseMove` to a widget goes to whatever lies there
    for place in (QPoint(3, 3), QPoint(9, 5)):
        QTest.mouseMove(window, label.mapTo(page, place))
    qtbot.waitUntil(label.underMouse)
    qtbot.waitUntil(lambda: QToolTip.isVisible() and QToolTip.text() == plain_html(text))
    assert as_written() == plain_html(text) and bait[1] == []


def test_html_of_our_own_stays_and_odd_or_long_texts_do_no_harm(page):
    label = labelled(page, "<b>ours</b>")
    label.setProperty(RICH, True)
    assert point_at(label, QPoint(2, 2)) == "<b>ours</b>"
    label = labelled(page)
    for text in ("x" * 1_000_000, "word " * 200_000, "line\n" * 200_000):
        label.setToolTip(text)
        assert len(point_at(label, QPoint(2, 2))) < 2 * MAX_CHARACTERS
        tip = tip_on_screen()
        assert tip.width() < 700 and tip.height() < 700, text[:9]
    for text in ["\ud800", "a\0b", "\u202egpj.exe", "\u200b", "é" + "\u0301" * 500]:
        assert "end" in point_at(labelled(page, f"{text} end"), QPoint(2, 2))
    page.setToolTip("around")
    label = labelled(page)
    QTest.mouseMove(label, QPoint(3, 3))
    event = QHelpEvent(QEvent.Type.ToolTip, QPoint(3, 3), label.mapToGlobal(QPoint(3, 3)))
    QApplication.sendEvent(label, event)
    assert QToolTip.text() == plain_html("around")


class Tips(QStringListModel):
    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        return super().data(index, Qt.ItemDataRole.DisplayRole if role == TIP else role)

    def headerData(self, section, orientation, role=Qt.ItemDataRole.DisplayRole):
        return self.stringList()[0] if role == TIP else "title"


TIP = Qt.ItemDataRole.ToolTipRole
