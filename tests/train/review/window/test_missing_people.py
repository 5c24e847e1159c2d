"""The room where somebody does not answer: another audits, or takes the draft over."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

pytest.importorskip("pyarrow")

from tests.train.review.helpers import give, returned
from tests.train.review.window.at_work import CTRL, at_work, log_of, one_vote_each_way
from train.review.review_rules import Take


def second_round(pool, number):
    """Ben has revised it again; Cy has answered, Di has not."""
    returned(pool, number)
    give(pool, number, "Ben", "reviser", note="so it is")
    give(pool, number, "Cy", "auditor")


def test_a_silent_auditor_is_replaced_by_a_word_of_somebody_else(qtbot, pool, numbers):
    second_round(pool, numbers[0])
    with at_work(qtbot, pool, "Ben") as ben:
        ben.room.table.choose(numbers[0])
        ben.sees(numbers[0])
        assert not ben.room.acts.replace_button.isVisible()  # an author chooses no auditor
    with at_work(qtbot, pool, "Eve") as eve:
        eve.room.table.choose(numbers[0])
        eve.sees(numbers[0])
        acts = eve.room.acts
        assert "audited by Cy, Di" in acts.state.text() and "after 3 days" in acts.state.text()
        eve.click(acts.replace_button)
        eve.wait(acts.reason.hasFocus)  # the log wants to know why
        eve.type("Di is on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: eve.room.draft.case.role_for("Eve") == "auditor")
        eve.wait(lambda: acts.stage == "auditor")
        assert "waits no longer for Di: Di is on leave" in eve.room.history.text.text()
        assert eve.act("a").stage == "voter"
    assert log_of(pool)[-2:] == [
        ("lead", "Eve", False, False, "Di is on leave"),
        ("auditor", "Eve", True, False, ""),
    ]


def test_a_draft_is_taken_over_from_a_silent_author(qtbot, pool, numbers):
    number = numbers[0]
    returned(pool, number)
    with at_work(qtbot, pool, "Ben") as ben:  # who begins, and is heard of no more
        ben.room.table.choose(number)
        ben.sees(number)
        ben.room.view.cards[0].thought.setFocus()
        ben.type("Well. ")
    pool.store.add_take(Take(trajectory=number, by="Ben", at="2026-01-01T00:00:00+00:00"))
    with at_work(qtbot, pool, "Eve") as eve:
        eve.room.table.choose(number)
        eve.sees(number)
        acts = eve.room.acts
        assert not eve.room.view.is_editable and "take it over" in acts.state.text()
        assert "why?" not in eve.room.history.text.text()
        assert acts.take_over_button.text() == "Take it over from Ben"
        eve.click(acts.take_over_button)
        eve.wait(acts.reason.hasFocus)  # the log wants to know why
        eve.type("Ben is on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: eve.room.view.is_editable)
        eve.wait(lambda: "Di: why?" in acts.state.text())
        assert "Eve took it over from Ben: Ben is on leave" in eve.room.history.text.text()
        eve.room.acts.reason.setFocus()
        eve.type("explained")
        case = eve.act("s", CTRL)
        assert case.author == "Eve" and case.stage == "auditor"
        assert case.role_for("Eve") is None
    assert [each[:2] for each in log_of(pool)[-2:]] == [("successor", "Eve"), ("reviser", "Eve")]


def test_what_was_not_saved_is_no_new_wording_once_somebody_else_has_saved(qtbot, pool, numbers):
    number = numbers[0]
    returned(pool, number)
    with at_work(qtbot, pool, "Ben") as ben:
        ben.room.table.choose(number)
        ben.sees(number)
        ben.room.view.cards[0].thought.setFocus()
        ben.type("Well. ")
    pool.give_back(number, "Eve")
    pool.store.add_take(Take(trajectory=number, by="Ben", at="2026-01-01T00:00:00+00:00"))
    pool.take_over("Ben", "Eve", "on leave", number)
    again = pool.case(number).replies
    words = (again[0].replace("<think>", "<think>Now. "), *again[1:])
    give(pool, number, "Eve", "reviser", replies=words)
    for by in ("Cy", "Di"):
        give(pool, number, by, "auditor", approve=False, changes=True, note="still")
    pool.take_over("Eve", "Ben", "back again", number)
    with at_work(qtbot, pool, "Ben") as ben:
        ben.room.table.choose(number)
        ben.sees(number)
        view = ben.room.view
        assert view.is_editable and view.cards[0].thought.toPlainText().startswith("Now. ")
        names = [view.versions.itemText(place) for place in range(view.versions.count())]
        assert names[-1] == "what you had not saved"
        view.versions.setCurrentIndex(len(names) - 1)
        ben.click(view.differences)
        assert "Well." in view.cards[0].former.text()


def test_another_audits_where_the_vote_that_decides_is_missing(qtbot, pool, numbers):
    number = numbers[0]
    one_vote_each_way(pool, number)
    with at_work(qtbot, pool, "Eve") as eve:
        eve.room.table.choose(number)
        eve.sees(number)
        acts = eve.room.acts
        assert "another then audits it and votes" in acts.state.text()
        assert not acts.take_over_button.isVisible()  # its author has voted
        eve.click(acts.replace_button)
        eve.type("on leave")
        eve.act(Qt.Key.Key_Return)
        eve.wait(lambda: acts.stage == "auditor")
        assert eve.act("a").stage == "voter"
        eve.wait(lambda: eve.room.draft.case.id != number)
        eve.room.table.choose(number)
        eve.wait(lambda: acts.stage == "voter")
        assert eve.act("a").stage == "approved"
