"""The menu of the plot, opened by a right click; a right drag still zooms."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

RIGHT = Qt.MouseButton.RightButton


def opened(person):
    target = person.plot.plot.viewport()
    QTest.mouseClick(target, RIGHT, pos=target.rect().center())
    menu = person.view.judging.plot_menu.menu
    person.wait(menu.isVisible)
    entries = {each.text().split("\t")[0]: each for each in menu.actions()}
    menu.close()
    return entries


def test_the_menu_copies_goes_to_windows_and_does_what_keys_do(person):
    entries = opened(person)
    copy = next(each for text, each in entries.items() if text.startswith("Copy "))
    copy.trigger()
    text = QGuiApplication.clipboard().text()
    assert " Å" in text and "F " in text
    opened(person)
    person.view.judging.plot_menu.windows.actions()[1].trigger()
    assert person.plot_view.window == person.session.task.windows[1].range
    person.plot_view.set_window((6400.0, 6700.0))
    opened(person)["Show the whole spectrum"].trigger()
    assert person.plot_view.window is None
    target = person.plot.plot.viewport()
    middle = target.rect().center()
    QTest.mousePress(target, RIGHT, pos=middle)
    QTest.mouseMove(target, middle + QPoint(60, 0))
    QTest.mouseMove(target, middle + QPoint(120, 0))
    QTest.mouseRelease(target, RIGHT, pos=middle + QPoint(120, 0))
    assert person.plot_view.window is not None
    assert not person.view.judging.plot_menu.menu.isVisible()
