"""The menu of the plot, opened by a right click; a right drag still zooms."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import before_window

RIGHT = Qt.MouseButton.RightButton


@pytest.fixture
def person(qtbot, tmp_path):
    with before_window(qtbot, sample_file(tmp_path, 3)) as before:
        yield before


def opened(person):
    target = person.plot.plot.viewport()
    QTest.mouseClick(target, RIGHT, pos=target.rect().center())
    menu = person.view.judging.plot_menu.menu
    person.wait(menu.isVisible)
    entries = {each.text().split("\t")[0]: each for each in menu.actions()}
    menu.close()
    return entries


def test_it_copies_wavelength_and_flux(person):
    entries = opened(person)
    copy = next(each for text, each in entries.items() if text.startswith("Copy "))
    copy.trigger()
    text = QGuiApplication.clipboard().text()
    assert " Å" in text and "F " in text


def test_it_goes_to_a_window(person):
    opened(person)
    person.view.judging.plot_menu.windows.actions()[1].trigger()
    assert person.plot_view.window == person.session.task.windows[1].range


def test_it_has_what_the_keys_do(person):
    person.plot_view.set_window((6400.0, 6700.0))
    opened(person)["Show the whole spectrum"].trigger()
    assert person.plot_view.window is None


def test_a_right_drag_zooms_and_opens_nothing(person):
    target = person.plot.plot.viewport()
    middle = target.rect().center()
    QTest.mousePress(target, RIGHT, pos=middle)
    QTest.mouseMove(target, middle + QPoint(60, 0))
    QTest.mouseMove(target, middle + QPoint(120, 0))
    QTest.mouseRelease(target, RIGHT, pos=middle + QPoint(120, 0))
    assert person.plot_view.window is not None
    assert not person.view.judging.plot_menu.menu.isVisible()
