"""Pairwise choices with keys: the sides are shuffled, and the record names the better one."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from app.ui.base.background.runner import Runner
from train.review.rating_round import open_round
from train.review.ratings_file import read_records
from train.review.window.inspection_view import TrajectoryPictures
from train.review.window.rating_room import PairsPage

Key = Qt.Key


def press(qtbot, room, key):
    qtbot.keyClick(QApplication.focusWidget() or room.page, key)


def better(record):
    return record.first.model if record.preferred == "first" else record.second.model


def test_left_right_and_tie(qtbot, room):
    qtbot.mouseClick(room.tabs["pairs"], Qt.MouseButton.LeftButton)
    page = room.page
    first, second = room.round.pairs
    assert [view.trajectory for view in page.views] == list(first.shown)
    press(qtbot, room, Key.Key_Left)
    press(qtbot, room, Key.Key_Right)
    given = list(read_records(room.round.out))
    names = first.shown[0].model.name, second.shown[1].model.name
    assert [better(each) for each in given] == [*names]
    assert page.pair is first and page.buttons["left"].isChecked()  # all done: from the start
    press(qtbot, room, Key.Key_T)
    assert room.round.choice_of(first).preferred == "tie" and room.round.chosen == 2


def test_back_and_skip(qtbot, room):
    room.show_page("pairs")
    press(qtbot, room, Key.Key_N)
    assert room.page.at == 1
    press(qtbot, room, Key.Key_B)
    assert room.page.at == 0 and not room.round.out.exists()
    assert room.page.progress.text() == "1 of 2 · chosen: 0 · Ada"


def test_both_sides_have_their_pictures_and_scroll_together(qtbot, room):
    room.show_page("pairs")
    views = room.page.views
    qtbot.waitUntil(lambda: all(p.image is not None for view in views for p in view.pictures))
    press(qtbot, room, Key.Key_PageDown)
    assert all(view.verticalScrollBar().value() > 0 for view in views)
    assert not any("secret" in label.text() for label in room.findChildren(QLabel))


def test_without_pairs_it_says_so(qtbot, material, tmp_path):
    runner = Runner()
    rating_round = open_round([material.file], "Ada", out=tmp_path / "x.jsonl")
    rating_round.pairs = []
    page = PairsPage(rating_round, TrajectoryPictures(rating_round.spectra.of, runner))
    qtbot.addWidget(page)
    page.show()
    qtbot.keyClick(page, Key.Key_Left)
    assert page.empty.isVisible() and not page.bar.isVisible() and not rating_round.out.exists()
    page.close()
    runner.close()


def test_a_note_after_the_choice_is_saved(qtbot, room):
    room.show_page("pairs")
    page = room.page
    press(qtbot, room, Key.Key_T)
    press(qtbot, room, Key.Key_B)
    qtbot.keyClicks(page.note, "both miss He II")
    qtbot.mouseClick(page.skip, Qt.MouseButton.LeftButton)
    given = list(read_records(room.round.out))
    said = [(each.preferred, each.note) for each in given]
    assert said == [("tie", ""), ("tie", "both miss He II")]
