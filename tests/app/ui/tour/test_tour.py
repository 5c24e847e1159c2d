"""The tour on the real window, led by real keys and clicks."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.ui.importing import ready_made_sessions
from app.ui.settings.settings_store import SettingsStore
from app.ui.theme.theme import DARK
from tests.app.ui.tour.tour_user import TITLES, around, click, hole, title, tour
from tests.app.ui.whole_window import CTRL, SHIFT, before_window

Key = Qt.Key


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder in which the session of the sample is created."""
    monkeypatch.setattr(ready_made_sessions, "user_data_path", lambda *_, **__: tmp_path / "data")
    return tmp_path / "data"


def test_five_stops_at_real_widgets_with_enter(person):
    judging, top = person.view.judging, person.view.top
    targets = [
        judging.dock_area.queue_place,
        judging.plot,
        judging.verdicts,
        judging.docks["agent"].part,
        top.export,
    ]
    for number, (words, target) in enumerate(zip(TITLES, targets, strict=True), 1):
        assert title(person) == words
        assert tour(person).bubble.progress.text() == f"{number} of 5"
        person.wait(lambda here=target: hole(person) == around(person, here))
        assert person.window.rect().contains(tour(person).bubble.geometry())
        person.press(Key.Key_Return)
    assert title(person) == ""
    assert not tour(person).spotlight.isVisible()
    assert tour(person).stop is None


def test_back_with_shift_and_never_before_the_first(person):
    person.press(Key.Key_Return)
    person.press(Key.Key_Return, SHIFT)
    assert title(person) == "The list"
    person.press(Key.Key_Return, SHIFT)
    assert title(person) == "The list"


@pytest.mark.parametrize("stop", range(5))
def test_escape_ends_it_at_any_stop(person, stop):
    for _ in range(stop):
        person.press(Key.Key_Return)
    assert title(person) == TITLES[stop]
    person.press(Key.Key_Escape)
    assert title(person) == ""
    person.press(Key.Key_Return)  # Enter no longer belongs to the tour
    assert title(person) == ""


def test_a_held_key_goes_on_once(person):
    for kind in (QEvent.Type.KeyPress, *[QEvent.Type.KeyPress] * 3):
        again = QKeyEvent(kind, Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", True)
        QApplication.sendEvent(person.target, again)
    assert title(person) == "The list"


def test_judging_goes_on_meanwhile(person):
    person.press("a")
    person.sees(2)
    person.press("x")
    person.sees(3)
    assert person.verdicts() == {1: "ACCEPT", 2: "REJECT"}
    person.press("z", CTRL)
    person.sees(2)
    assert title(person) == "The list"
    click(person, person.view.judging.verdicts.buttons["UNSURE"])
    person.sees(3)
    assert person.verdicts() == {1: "ACCEPT", 2: "UNSURE"}


def test_what_is_written_is_text(person):
    person.press("c")
    person.type("broad")
    person.press(Key.Key_Return)
    assert person.opinion(1).comment == "broad"
    assert title(person) == "The list"
    person.press("k", CTRL)  # the palette has its own Enter and Escape
    person.press(Key.Key_Escape)
    assert title(person) == "The list"
    assert not person.window.keys.palette.isVisible()


def test_it_follows_the_window_and_its_panels(person):
    judging = person.view.judging
    person.window.resize(1280, 720)
    person.wait(lambda: hole(person) == around(person, judging.dock_area.rail))
    assert tour(person).spotlight.size() == person.window.size()
    person.window.resize(1700, 800)
    person.wait(lambda: hole(person) == around(person, judging.docks["queue"].part))
    desk, docks = judging.dock_area.desk, judging.docks
    desk.resizeDocks([docks["queue"]], [400], Qt.Orientation.Horizontal)
    person.wait(lambda: judging.docks["queue"].part.width() > 380)
    person.wait(lambda: hole(person) == around(person, judging.docks["queue"].part))
    person.press("h")  # without panels the bubble is in the middle
    person.wait(lambda: hole(person) is None)
    assert title(person) == "The list"
    person.press(Key.Key_Return)
    person.wait(lambda: hole(person) == around(person, person.plot))
    assert person.view.judging.dock_area.shows_panels


def test_it_comes_back_to_the_page_it_is_about(person):
    person.press("2", CTRL)
    assert person.view.page == "disagreement_page"
    person.wait(lambda: hole(person) is None)
    person.press(Key.Key_Return)
    assert person.view.page == "judging_page"
    person.wait(lambda: hole(person) == around(person, person.plot))


def test_it_ends_with_the_session(person):
    person.press("w", CTRL)
    assert person.window.view is None
    assert title(person) == ""
    assert tour(person).stop is None


def test_in_the_dark_too(person):
    person.window.current_theme.use(DARK)
    picture = tour(person).spotlight.grab().toImage()
    inside = picture.pixelColor(hole(person).center())
    outside = picture.pixelColor(person.window.rect().bottomRight() - QPoint(2, 2))
    assert inside != outside


def test_from_the_palette_and_the_menu(qtbot, place):
    with before_window(qtbot, place) as person:
        person.press("k", CTRL)
        person.type("tour")
        person.press(Key.Key_Return)
        assert title(person) == "The list"
        person.press(Key.Key_Escape)
        entry = next(
            each for each in person.window.menu_row.menus._entries if each.data() == "tour"
        )
        entry.trigger()
        assert title(person) == "The list"


def test_the_sample_begins_with_it_once(qtbot, data):
    settings = SettingsStore()
    with before_window(qtbot, None, settings) as person:
        assert person.reads("Vet rare-star candidates")
        click(person, person.window.opening.welcome.sample_button)
        person.wait(lambda: title(person) == "The list")
        assert settings.settings.told == ("tour",)
        person.press(Key.Key_Escape)
        person.press("w", CTRL)
        person.window.opening.open_sample()
        person.wait(lambda: person.window.view is not None and person.current.is_painted)
        QApplication.processEvents()
        assert title(person) == ""
        person.press("w", CTRL)
        person.window.commands.run("tour")  # without a session it opens the sample
        person.wait(lambda: title(person) == "The list")
        assert settings.settings.told == ("tour",)


def test_ones_own_list_begins_without(qtbot, place):
    with before_window(qtbot, place) as person:
        QApplication.processEvents()
        assert title(person) == ""
        assert tour(person).is_new
