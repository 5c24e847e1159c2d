"""The pages of an open session."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from tests.app.ui.whole_window import CTRL, before_window, copied, sample_file

Key = Qt.Key


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
