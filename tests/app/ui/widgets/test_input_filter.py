"""One filter hands events of each class to one handler: the wheel turns no slider and no box, and
tooltips are plain text."""

import os
import threading

import pytest
from PySide6.QtCore import QEvent, QPoint, QStringListModel, Qt
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QScrollArea,
    QSlider,
    QTabBar,
    QTableView,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.ui.widgets.input_filter import MAX_CHARACTERS, RICH, InputFilter, plain_html
from tests.app.ui.steps import shown_in, turn_wheel
from tests.night import BY_NIGHT


@pytest.fixture
def field(qtbot):
    return shown_in(qtbot, QLineEdit())


def note(seen, answer):
    def handle(watched, event):
        seen.append((watched, event.type()))
        return answer

    return handle


def test_handlers_get_the_events_of_their_class_and_may_keep_them(field):
    keys, presses = [], []
    handlers = {QKeyEvent: note(keys, False), QMouseEvent: note(presses, False)}
    closing = InputFilter(field, handlers)
    QTest.keyClick(field, Qt.Key.Key_A)
    assert {watched for watched, _ in keys} == {field} and not presses
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert QMouseEvent.Type.MouseButtonPress in {kind for _, kind in presses}
    assert field.text() == "a"
    closing.close()
    field.clear()
    closing = InputFilter(field, {QKeyEvent: note([], True)})
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == ""
    closing.close()
    QTest.keyClick(field, Qt.Key.Key_A)
    assert field.text() == "a"


@pytest.fixture
def page(qtbot):
    area = QScrollArea()
    column = QWidget()
    layout = QVBoxLayout(column)
    area.choice, area.box = QComboBox(), QDoubleSpinBox(value=50.0)
    area.slider = QSlider(Qt.Orientation.Horizontal, value=50)
    area.choice.addItems(["one", "two", "three"])
    for part in (area.choice, area.slider, area.box):
        layout.addWidget(part)
    layout.addSpacing(2000)
    area.setWidget(column)
    shown_in(qtbot, area, 300, 200)
    return area


def values(page):
    return page.choice.currentIndex(), page.slider.value(), page.box.value()


def test_with_the_filter_the_wheel_scrolls_the_page_and_changes_nothing(page):
    quiet = InputFilter(page, {})
    for part in (page.choice, page.slider, page.box):
        before = page.verticalScrollBar().value()
        turn_wheel(part, -2)
        assert page.verticalScrollBar().value() > before
    assert values(page) == (0, 50, 50.0)
    quiet.deleteLater()


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
def card(qtbot):
    card = QWidget()
    qtbot.addWidget(card)
    card.tooltips = InputFilter(card, {})
    QVBoxLayout(card)
    card.resize(400, 300)
    with qtbot.waitActive(card):  # Qt asks for tooltips in the active window only
        card.show()
        card.activateWindow()
    return card


def labelled(card, tip=""):
    """A label on the card with this tooltip, laid out."""
    label = QLabel("name", toolTip=tip)
    card.layout().addWidget(label)
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


def test_a_widget_a_cell_a_header_and_a_tab(card, bait):
    text = IMAGE.format(place=bait[0])
    label, table, tabs, rows = QLabel("name"), QTableView(), QTabBar(), QListWidget()
    for part in (label, table, tabs, rows):
        card.layout().addWidget(part)
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
def test_the_mouse_that_rests_on_it_shows_the_same(qtbot, other_window, card, bait):
    text = IMAGE.format(place=bait[0])
    label = labelled(card, text)
    window = card.windowHandle()  # `mouseMove` to a widget goes to whatever lies there
    for place in (QPoint(3, 3), QPoint(9, 5)):
        QTest.mouseMove(window, label.mapTo(card, place))
    qtbot.waitUntil(label.underMouse)
    qtbot.waitUntil(lambda: QToolTip.isVisible() and QToolTip.text() == plain_html(text))
    assert as_written() == plain_html(text) and bait[1] == []


def test_html_of_our_own_stays_and_odd_or_long_texts_do_no_harm(card):
    label = labelled(card, "<b>ours</b>")
    label.setProperty(RICH, True)
    assert point_at(label, QPoint(2, 2)) == "<b>ours</b>"
    label = labelled(card)
    for text in ("x" * 1_000_000, "word " * 200_000, "line\n" * 200_000):
        label.setToolTip(text)
        assert len(point_at(label, QPoint(2, 2))) < 2 * MAX_CHARACTERS
        tip = tip_on_screen()
        assert tip.width() < 700 and tip.height() < 700, text[:9]
    for text in ["\ud800", "a\0b", "\u202egpj.exe", "\u200b", "é" + "\u0301" * 500]:
        assert "end" in point_at(labelled(card, f"{text} end"), QPoint(2, 2))
    card.setToolTip("around")
    label = labelled(card)
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
