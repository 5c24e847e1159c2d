"""Rating with keys and the mouse: what is pressed is on the disk, blind to the model."""

from dataclasses import replace
from pathlib import Path

import pyqtgraph as pg
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QEnterEvent, QImage
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QMessageBox, QWidget

pytest.importorskip("pyarrow")

from agent.ratings.records import Rating, subject_of
from agent.ratings.rubric import MEANINGS
from agent.trajectory.trajectory import SpectrumRef
from app.rooms import rooms
from app.ui.base.background.runner import Runner
from app.ui.base.settings.settings_store import SettingsStore
from app.ui.base.theme.theme import CurrentTheme
from app.ui.program.help.pages import guide
from tests.app.ui.judge.agent.trajectories import record
from tests.app.ui.steps import shown_in
from train.review.pool import open_pool
from train.review.rating_round import add_records, open_round, read_records
from train.review.statistics import Duel
from train.review.window.figures_page import outcome_text
from train.review.window.inspection_view import DrawnPictures, TrajectoryPictures, TrajectoryView
from train.review.window.opener import opener_of
from train.review.window.rating_room import PairsPage

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


# Pairwise choices with keys: the sides are shuffled, and the record names the better one.
def better(record):
    return record.first.model if record.preferred == "first" else record.second.model


def test_left_right_and_tie(qtbot, room):
    qtbot.mouseClick(room.tabs["pairs"], Qt.MouseButton.LeftButton)
    page = room.page
    first, second = room.round.pairs
    assert [view.trajectory for view in page.views] == list(first.shown)
    press(qtbot, room, Key.Key_Left, Key.Key_Right)
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
    press(qtbot, room, Key.Key_T, Key.Key_B)
    qtbot.keyClicks(page.note, "both miss He II")
    qtbot.mouseClick(page.skip, Qt.MouseButton.LeftButton)
    given = list(read_records(room.round.out))
    said = [(each.preferred, each.note) for each in given]
    assert said == [("tie", ""), ("tie", "both miss He II")]


# The figures page draws what the functions of train/review/statistics.py count.
def given(room):
    """Two people and a model rate all; choices of both pairs."""
    for number, one in enumerate(room.round.trajectories):
        room.round.rate(one, number % 6, 5 - number % 6)
    others = [
        Rating(subject=subject_of(one), by=by, by_model=is_model, coherence=n % 4, consistency=n)
        for by, is_model in (("Ben", False), ("judge-7b", True))
        for n, one in enumerate(room.round.trajectories)
    ]
    room.round.records += others
    for pair in room.round.pairs:
        room.round.choose(pair, "left")


def test_figures_of_all_raters(qtbot, room):
    given(room)
    room.show_page("figures")
    page = room.page
    names = [figure.accessibleName() for figure in page.figures]
    assert "Coherence: histogram" in names and "Physical consistency: cumulative" in names
    assert "Agreement of raters: Coherence (Spearman)" in names
    assert "Pairwise" in names and "Pairs by score" in names
    items = page.figures[0].getPlotItem().items
    bars = [item for item in items if isinstance(item, pg.BarGraphItem)]
    assert len(bars) == 2  # one for each model
    assert sum(sum(bar.opts["height"]) for bar in bars) == pytest.approx(2.0)
    words = " ".join(label.text() for label in page.findChildren(QLabel))
    assert "● secret-seven: mean" in words and "n = 6" in words
    assert "The left one was preferred in 2 of 2 decided" in words


def test_nothing_rated_yet(qtbot, room):
    room.show_page("figures")
    assert "Nothing has been rated yet." in [e.text() for e in room.page.findChildren(QLabel)]
    given(room)
    room.show_page("rate")
    room.show_page("figures")
    assert room.page.figures


def test_what_a_row_counts():
    duel = Duel("a", "b", 3, 2, 1)
    texts = [outcome_text(duel, part) for part in range(3)]
    assert texts == ["a better than b", "a and b equal", "b better than a"]


def test_ratings_of_other_files_are_left_out(room, material, tmp_path):
    subject = subject_of(material.trajectories[0])
    stranger = Rating(subject=subject, by="Cleo", coherence=5, consistency=5)
    add_records(tmp_path / "other.jsonl", [stranger])
    object.__setattr__(stranger.subject, "trajectory", "elsewhere")
    room.round.records.append(stranger)
    room.show_page("figures")
    assert room.page.figures == []


# A trajectory is shown whole, with its pictures and without what would give it away.
@pytest.fixture
def view(qtbot):
    return shown_in(qtbot, TrajectoryView(), 500, 400)


def texts(view):
    """All texts on the cards, from the top down."""
    parts = [view._layout.itemAt(at).widget() for at in range(view._layout.count() - 1)]
    labels = [e for part in parts for e in (part.findChildren(QLabel) or [part])]
    return [label.text() for label in labels if label.text()]


def image(width=700, height=350):
    made = QImage(width, height, QImage.Format.Format_RGB888)
    made.fill(0x336699)
    return made


def test_everything_said_is_there_in_order_plain_and_bounded(view):
    view.show_trajectory(record())
    text = "\n".join(texts(view))
    parts = (
        "cataclysmic", "At first sight a hot star", "Look 1", "Hα is broad", "Look 2",
        "Broad Hα;",
    )  # fmt: skip
    places = [text.index(part) for part in parts]
    assert places == sorted(places) and "spec-o3-7b" not in text and "0.93" not in text
    assert len(view.pictures) == 3
    view.show_trajectory(record(spectrum=SpectrumRef(object_id="one", z=0.1)))
    assert "6450 – 6750 Å" in texts(view)  # as in its words and on the axis of its picture
    long = "<b>bold</b> " * 200_000
    steps = tuple(record().steps)
    view.show_trajectory(record(steps=(replace(steps[0], text=long), *steps[1:]), task="<i>x</i>"))
    said = next(text for text in texts(view) if "bold" in text)
    assert said.startswith("<b>bold</b>") and len(said) < 21_000 and texts(view)[0] == "<i>x</i>"
    view.show_trajectory(record(steps=record().steps[:2], verdict=None))
    assert "The inspection ended without an answer" in texts(view)


def test_pictures_shrink_with_the_view_and_are_never_cut(qtbot, view):
    view.show_trajectory(record(), DrawnPictures((image(), image(), image())))
    first = view.pictures[0]
    qtbot.waitUntil(lambda: first.height() == round(first.width() / 2))
    assert first.width() < 500
    view.resize(900, 400)
    qtbot.waitUntil(lambda: first.height() == 350)


def test_why_there_are_no_pictures(view):
    view.show_trajectory(record())
    view.show_pictures(DrawnPictures(fault="the spectrum has changed"))
    assert "Pictures not shown: the spectrum has changed" in texts(view)
    assert not any(each.isVisible() for each in view.pictures)
    view.show_trajectory(record(), DrawnPictures((image(),)))
    assert not view.fault.isVisible()


# Rooms are opened from the menu, close with the window, and tell what they cannot open.
class Host(QWidget):
    """What the main window lends."""

    closing = Signal()

    def __init__(self):
        super().__init__()
        self.runner, self.settings, self.current_theme = Runner(), SettingsStore(), CurrentTheme()
        self.told, self.pages = [], []

    def show_guide(self, page=""):
        self.pages.append(page)

    def show_error(self, text):
        self.told.append(text)


@pytest.fixture
def host(qtbot):
    made = Host()
    qtbot.addWidget(made)
    made.settings.change(reviewer="Grace")
    yield made
    made.closing.emit()
    made.runner.close()


@pytest.fixture
def opener(host):
    return opener_of(host)


def go_on(qtbot, host, room, says):
    """Open the room by its command: it says what it is for before it asks for files."""
    rooms()[room].load()(host)
    (told,) = (each for each in host.findChildren(QMessageBox) if each.isVisible())
    assert says in told.informativeText()
    qtbot.keyClick(told, Qt.Key.Key_Return)


def chosen(monkeypatch, *files):
    names = [str(file) for file in files]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: (names, ""))


def test_the_folder_of_a_pool_is_asked_for(qtbot, host, opener, pool, monkeypatch):
    given = lambda *_: str(pool.place)  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", given)
    with qtbot.waitSignal(opener.opened):
        go_on(qtbot, host, "curation_room", "folder of a pool")
    (room,) = opener.rooms
    assert room.isVisible() and room.by == "Grace"
    opener.open_pool(Path(pool.place))  # once more: it comes to the front
    assert opener.rooms == [room]
    qtbot.keyClick(room, Qt.Key.Key_F1)
    assert host.pages == ["cold-start"]
    assert {"cold-start", "rating"} <= {page.name for page in guide("en")}
    host.closing.emit()
    assert opener.rooms == []


def test_a_reviewer_may_be_named(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened) as opened:
        opener.open_pool(pool.place, "Ada")
    assert opened.args[0].by == "Ada"


def test_what_is_no_pool_is_told(qtbot, host, opener, tmp_path):
    with qtbot.waitSignal(opener.failed):
        opener.open_pool(tmp_path)
    assert "is not a pool" in host.told[0] and opener.rooms == []


def test_a_pool_that_is_asked_for_twice_at_once_is_opened_once(qtbot, opener, pool):
    with qtbot.waitSignal(opener.opened):
        opener.open_pool(Path(pool.place))
    (room,) = opener.rooms
    opener._show_pool("Grace", open_pool(pool.place))  # what was read for the second click
    assert opener.rooms == [room]


def test_chosen_files_of_inspections_open_a_room_of_their_own(
    qtbot, host, opener, material, monkeypatch
):
    chosen(monkeypatch, material.file)
    with qtbot.waitSignal(opener.opened):
        go_on(qtbot, host, "rating_room", "files of inspections")
    (room,) = opener.rooms
    assert room.isVisible() and room.round.by == "Grace" and len(room.round.trajectories) == 4
    qtbot.keyClick(room, Qt.Key.Key_F1)
    assert host.pages == ["rating"]
    host.closing.emit()
    assert opener.rooms == []


def test_nothing_chosen_opens_nothing(opener, monkeypatch):
    chosen(monkeypatch)
    opener._choose_inspections()
    assert opener.rooms == []


def test_a_file_that_is_none_is_told(qtbot, host, opener, tmp_path, monkeypatch):
    (tmp_path / "x.jsonl").write_text("{}\n")
    chosen(monkeypatch, tmp_path / "x.jsonl")
    opener._choose_inspections()
    qtbot.waitUntil(lambda: len(host.told) == 1)
    assert "x.jsonl, line 1" in host.told[0] and opener.rooms == []
