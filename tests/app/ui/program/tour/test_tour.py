"""The tour on the real window, led by real keys and clicks, and where its bubble stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import DARK
from app.ui.program.tour import EDGE, GAP, position_beside
from app.ui.start.importing import ready_made_sessions
from tests.app.ui.whole_window import CTRL, LEFT, PLAIN, SHIFT, before_window

Key = Qt.Key
TITLES = ["The list", "The spectrum", "Your verdict", "The agent", "The catalogue"]


@pytest.fixture
def person(qtbot, place):
    """Before a window with the tour running."""
    with before_window(qtbot, place) as someone:
        someone.window.commands.run("tour")
        yield someone


def tour(person):
    return person.window.tour


def title(person):
    """The title in the bubble; "" if no tour is running."""
    bubble = tour(person).bubble
    return bubble.title.text() if bubble is not None and bubble.isVisible() else ""


def hole(person):
    return tour(person).spotlight.hole


def around(person, widget):
    return QRect(widget.mapTo(person.window, QPoint(0, 0)), widget.size())


def click(person, button):
    person.qtbot.mouseClick(button, LEFT)


@pytest.fixture
def data(tmp_path, monkeypatch):
    """The folder in which the session of the sample is created."""
    monkeypatch.setattr(ready_made_sessions, "user_data_path", lambda *_, **__: tmp_path / "data")
    return tmp_path / "data"


def begin_again(person):
    person.press(Key.Key_Escape)
    person.start_over()
    person.window.commands.run("tour")


def test_enter_and_buttons_lead_through_five_stops(person):
    judging, top = person.view.judging, person.view.top
    parts = (judging.dock_area.queue_place, judging.plot, judging.verdicts)
    targets = (*parts, judging.docks["agent"].part, top.export)
    for number, (words, target) in enumerate(zip(TITLES, targets, strict=True), 1):
        assert title(person) == words and tour(person).bubble.progress.text() == f"{number} of 5"
        person.wait(lambda here=target: hole(person) == around(person, here))
        assert person.window.rect().contains(tour(person).bubble.geometry())
        person.press(Key.Key_Return)
    assert title(person) == "" and not tour(person).spotlight.isVisible()
    assert tour(person).stop is None
    begin_again(person)
    person.press(Key.Key_Return)
    person.press(Key.Key_Return, SHIFT)
    assert title(person) == "The list"
    person.press(Key.Key_Return, SHIFT)
    assert title(person) == "The list"
    begin_again(person)
    for _ in range(4):
        again = QKeyEvent(QEvent.Type.KeyPress, Key.Key_Return, PLAIN, "\r", True)
        QApplication.sendEvent(person.target, again)
    assert title(person) == "The list"
    begin_again(person)
    bubble = tour(person).bubble
    assert not bubble.back.isVisible()
    click(person, bubble.next)
    click(person, bubble.next)
    assert title(person) == "Your verdict"
    click(person, bubble.back)
    assert title(person) == "The spectrum"
    click(person, bubble.end)
    assert title(person) == ""
    for stop in range(5):
        begin_again(person)
        for _ in range(stop):
            person.press(Key.Key_Return)
        assert title(person) == TITLES[stop]
        person.press(Key.Key_Escape)
        assert title(person) == ""
        person.press(Key.Key_Return)  # Enter no longer belongs to the tour
        assert title(person) == ""


def test_judging_and_writing_go_on_meanwhile(person):
    person.press("a", sees=2)
    person.press("x", sees=3)
    assert person.verdicts() == {1: "ACCEPT", 2: "REJECT"}
    person.press("z", CTRL, sees=2)
    assert title(person) == "The list"
    click(person, person.view.judging.verdicts.buttons["UNSURE"])
    person.sees(3)
    assert person.verdicts() == {1: "ACCEPT", 2: "UNSURE"}
    begin_again(person)
    person.press("c")
    person.type("broad")
    person.press(Key.Key_Return)
    assert person.opinion(1).comment == "broad" and title(person) == "The list"
    person.press("k", CTRL)  # the palette has its own Enter and Escape
    person.press(Key.Key_Escape)
    assert title(person) == "The list" and not person.window.keys.palette.isVisible()
    begin_again(person)
    person.press(Qt.Key.Key_Return)
    person.press(Qt.Key.Key_Return)
    assert "A accepts, X rejects" in tour(person).bubble.text.text()
    person.window.keymap.rebind("accept", ["J"])
    assert "J accepts, X rejects" in tour(person).bubble.text.text()
    person.window.keymap.reset_all()
    begin_again(person)
    person.press("2", CTRL)
    assert person.view.page == "disagreement_page"
    person.wait(lambda: hole(person) is None)
    person.press(Key.Key_Return)
    assert person.view.page == "judging_page"
    person.wait(lambda: hole(person) == around(person, person.plot))
    begin_again(person)
    person.window.current_theme.use(DARK)
    picture = tour(person).spotlight.grab().toImage()
    inside = picture.pixelColor(hole(person).center())
    outside = picture.pixelColor(person.window.rect().bottomRight() - QPoint(2, 2))
    assert inside != outside
    begin_again(person)
    person.press("w", CTRL)
    assert person.window.view is None and title(person) == "" and tour(person).stop is None


def test_it_follows_the_window_and_its_panels(person):
    judging = person.view.judging
    person.window.resize(1280, 720)
    person.wait(lambda: hole(person) == around(person, judging.dock_area.queue_button))
    assert tour(person).spotlight.size() == person.window.size()
    person.window.resize(1700, 800)
    person.wait(lambda: hole(person) == around(person, judging.docks["queue"].part))
    desk, docks = judging.dock_area.dock_window, judging.docks
    desk.resizeDocks([docks["queue"]], [400], Qt.Orientation.Horizontal)
    person.wait(lambda: judging.docks["queue"].part.width() > 380)
    person.wait(lambda: hole(person) == around(person, judging.docks["queue"].part))
    person.press("h")  # without panels the bubble is in the middle
    person.wait(lambda: hole(person) is None)
    assert title(person) == "The list"
    person.press(Key.Key_Return)
    person.wait(lambda: hole(person) == around(person, person.plot))
    assert person.view.judging.dock_area.shows_panels
    person.window.resize(1280, 720)
    person.window.commands.run("tour")
    assert "Q or a click here shows the list" in tour(person).bubble.text.text()
    person.window.resize(1700, 800)
    person.window.commands.run("tour")
    assert "click a row to go to it" in tour(person).bubble.text.text()


def test_ones_own_list_begins_without_it_until_it_is_asked_for(qtbot, place):
    with before_window(qtbot, place) as person:
        QApplication.processEvents()
        assert title(person) == "" and tour(person).is_new
        person.press("k", CTRL)
        person.type("tour")
        person.press(Key.Key_Return)
        assert title(person) == "The list"
        person.press(Key.Key_Escape)
        entries = person.window.menu_row._entries
        next(each for each in entries if each.data() == "tour").trigger()
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


def test_in_chinese(chinese, person):
    seen = []
    while title(person):
        seen.append(title(person))
        text = tour(person).bubble.text.text()
        assert "{" not in text and any("一" <= letter <= "鿿" for letter in text)
        assert person.window.rect().contains(tour(person).bubble.geometry())
        person.press(Key.Key_Return)
    assert len(seen) == 5 and all(words not in TITLES for words in seen)


BUBBLE = QSize(348, 160)
WINDOW = QSize(1280, 720)


def box(target, window=WINDOW):
    return QRect(position_beside(target, BUBBLE, window), BUBBLE)


def test_the_bubble_stands_beside_its_target_where_there_is_room():
    for target, side in [
        (QRect(8, 395, 330, 292), "right"),  # the list
        (QRect(905, 395, 367, 292), "left"),  # the agent
        (QRect(1180, 30, 60, 30), "below"),  # a button in the corner
        (QRect(100, 680, 1100, 30), "above"),  # the status line
    ]:
        placed = box(target)
        found = {
            "right": placed.left() == target.right() + GAP,
            "left": placed.right() == target.left() - GAP - 1,
            "below": placed.top() == target.bottom() + GAP,
            "above": placed.bottom() == target.top() - GAP - 1,
        }
        assert [name for name, is_there in found.items() if is_there] == [side]
    assert (box(None).center() - QRect(0, 0, 1280, 720).center()).manhattanLength() <= 2
    target = QRect(0, 0, 1280, 720)
    assert target.contains(box(target))


@given(
    st.integers(0, 1500), st.integers(0, 900), st.integers(1, 1500), st.integers(1, 900),
    st.integers(400, 2000), st.integers(300, 1500)
)  # fmt: skip
def test_never_outside_the_window(x, y, width, height, wide, high):
    placed = box(QRect(x, y, width, height), QSize(wide, high))
    room = QRect(0, 0, wide, high).adjusted(EDGE, EDGE, -EDGE, -EDGE)
    assert room.contains(placed)
