"""Rating with keys and the mouse: what is pressed is on the disk, blind to the model."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QLabel

from agent.ratings.rubric import MEANINGS
from train.review.ratings_file import read_records

Key = Qt.Key


def press(qtbot, room, *keys):
    for key in keys:
        qtbot.keyClick(QApplication.focusWidget() or room.page, key)


def scores(room):
    return [(each.coherence, each.consistency) for each in read_records(room.round.out)]


def test_two_digits_rate_and_enter_goes_on(qtbot, room):
    page = room.rating
    first = page.trajectory
    press(qtbot, room, Key.Key_4)
    assert scores(room) == [] and not page.bar.next.isEnabled()
    press(qtbot, room, Key.Key_Return)
    assert page.trajectory is first  # half a rating is none
    press(qtbot, room, Key.Key_2)
    assert scores(room) == [(4, 2)]
    press(qtbot, room, Key.Key_Return)
    assert page.trajectory is not first and page.bar.grid.scores["coherence"] is None
    assert page.progress.text() == "2 of 4 · rated: 1 · Ada"
    (record,) = read_records(room.round.out)
    assert record.subject.model == first.model.name and record.by == "Ada" and not record.by_model


def test_going_back_shows_what_was_given_and_changes_it(qtbot, room):
    press(qtbot, room, Key.Key_5, Key.Key_5, Key.Key_Right, Key.Key_Left)
    assert room.rating.bar.grid.scores == {"coherence": 5, "consistency": 5}
    press(qtbot, room, Key.Key_Tab, Key.Key_0)
    assert scores(room) == [(5, 5), (5, 0)]
    assert room.round.rating_of(room.rating.trajectory).consistency == 0


def test_digits_above_five_and_held_keys_do_nothing(qtbot, room):
    press(qtbot, room, Key.Key_6, Key.Key_9)
    assert room.rating.bar.grid.scores == {"coherence": None, "consistency": None}


def test_typing_a_note_does_not_rate(qtbot, room):
    press(qtbot, room, Key.Key_3, Key.Key_C)
    assert QApplication.focusWidget() is room.rating.bar.note
    qtbot.keyClicks(room.rating.bar.note, "4 lines are invented")
    assert room.rating.bar.grid.scores["consistency"] is None
    press(qtbot, room, Key.Key_Return)
    assert QApplication.focusWidget() is not room.rating.bar.note
    press(qtbot, room, Key.Key_1)
    (record,) = read_records(room.round.out)
    assert (record.coherence, record.consistency, record.note) == (3, 1, "4 lines are invented")


def test_the_mouse_rates_too_and_the_rubric_is_said_on_hover(qtbot, room):
    bar = room.rating.bar
    button = bar.grid.buttons["consistency"][2]
    assert button.toolTip() == ""  # the words are beside it, and would hide its neighbours
    assert button.accessibleDescription() == MEANINGS["consistency"][2]
    middle = QPointF(5, 5)
    QApplication.sendEvent(button, QEnterEvent(middle, middle, middle))
    assert bar.grid.meaning.text() == f"Physical consistency 2: {MEANINGS['consistency'][2]}"
    QApplication.sendEvent(button, QEvent(QEvent.Type.Leave))
    assert "Does each step follow" in bar.grid.meaning.text()
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.grid.buttons["coherence"][4], Qt.MouseButton.LeftButton)
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    assert scores(room) == [(4, 2)] and room.rating.at == 1


def test_it_is_blind_and_shows_the_whole_trajectory(qtbot, room):
    page = room.rating
    qtbot.waitUntil(lambda: all(each.image is not None for each in page.view.pictures))
    assert len(page.view.pictures) == 1 + len(page.trajectory.looks)
    words = " ".join(label.text() for label in room.findChildren(QLabel))
    assert "secret" not in words and page.trajectory.reasons[:40] not in ("",)
    press(qtbot, room, Key.Key_Space)
    assert page.view.verticalScrollBar().value() > 0


def test_after_the_last_one_it_goes_to_what_is_left(qtbot, room):
    press(qtbot, room, Key.Key_Right, Key.Key_Right, Key.Key_Right)
    assert room.rating.at == 3
    press(qtbot, room, Key.Key_5, Key.Key_5, Key.Key_Return)
    assert room.rating.at == 0


def test_a_full_disk_is_told(qtbot, room):
    room.round.out.mkdir()
    press(qtbot, room, Key.Key_4, Key.Key_4)
    assert room.rating.problem.isVisible() and "cannot write" in room.rating.problem.text()
    assert room.rating.progress.text().startswith("1 of 4 · rated: 0")
    press(qtbot, room, Key.Key_Return)
    assert room.rating.at == 0  # it stays on the screen until it is on the disk
    room.round.out.rmdir()
    press(qtbot, room, Key.Key_Return)
    assert room.rating.at == 1 and scores(room) == [(4, 4)]
    assert not room.rating.problem.isVisible()


def test_a_note_after_the_scores_is_saved_whichever_way_one_goes(qtbot, room):
    bar = room.rating.bar
    press(qtbot, room, Key.Key_3, Key.Key_3, Key.Key_C)
    qtbot.keyClicks(bar.note, "slow start")
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    press(qtbot, room, Key.Key_2, Key.Key_2, Key.Key_C)
    qtbot.keyClicks(bar.note, "invented")
    room.close()
    records = list(read_records(room.round.out))
    assert [each.note for each in records] == ["", "slow start", "", "invented"]
