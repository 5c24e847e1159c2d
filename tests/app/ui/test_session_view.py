"""The pages of an open session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication, QWidget

from tests.app.ui.candidates import copied, sample_file
from tests.app.ui.whole_window import CTRL, before_window

Key = Qt.Key
MOST_MOVED = 150
"""Widgets: the guideline, made before its dock, has some hundred."""


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return sample_file(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def person(qtbot, tmp_path, sample):
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        yield before


def test_the_pages_and_back(person):
    pages = ("disagreement_page", "agreement_page", "history_page")
    for digit, page in zip("234", pages, strict=True):
        person.press(digit, CTRL)
        assert person.view.page == page
        person.press("a")
        person.press("x")
        assert person.log() == []
    person.press("1", CTRL)
    assert person.view.page == "judging_page"
    person.press("a")
    person.sees(2)


def test_undo_on_the_history_page_goes_back_to_the_object(person):
    person.press("a")
    person.sees(2)
    person.press("4", CTRL)
    person.press("z", CTRL)
    person.sees(1)
    assert person.view.page == "judging_page"
    assert person.verdicts() == {}


def test_a_candidate_loaded_behind_another_page_was_not_seen(person):
    person.press("3", CTRL)
    person.current.go_to(7)
    person.wait(lambda: person.current.spectrum is not None)
    QApplication.processEvents()
    assert not person.current.is_painted
    for menu in person.window.menuBar().actions():
        menu.menu().aboutToShow.emit()
        for entry in menu.menu().actions():
            if entry.data() in ("accept", "reject", "take_proposal", "confidence_4", "star"):
                assert not entry.isEnabled()
    person.window.commands.run("accept")
    assert person.log() == []
    person.press("1", CTRL)
    person.sees(7)
    person.press("x")
    person.sees(8)
    assert person.verdicts() == {7: "REJECT"}


class Moves(QObject):
    """The number of widgets in each that gets another parent."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, int] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ParentChange and isinstance(watched, QWidget):
            self.seen[type(watched).__name__] = len(watched.findChildren(QWidget))
        return False


def test_no_large_part_is_moved_while_the_view_is_built(qtbot, tmp_path, sample):
    """Qt styles anew all that is in a moved widget, which was a tenth of the time to start."""
    moves = Moves()
    QApplication.instance().installEventFilter(moves)
    with before_window(qtbot, copied(sample, tmp_path)) as before:
        QApplication.instance().removeEventFilter(moves)
        assert len(before.view.findChildren(QWidget)) > 2 * MOST_MOVED
    large = {name for name, size in moves.seen.items() if size > MOST_MOVED}
    assert not large, large
    assert moves.seen["GuidelinePanel"] > 50


def test_the_export_dialog_is_made_when_it_is_opened(person):
    assert "export" not in vars(person.view.dialogs)
    person.window.commands.run("pack")
    assert person.view.dialogs.export.isVisible()
    person.view.dialogs.export.close()
    assert person.window.opening.importing is None
