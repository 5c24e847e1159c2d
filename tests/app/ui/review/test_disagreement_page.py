"""The disagreement page: its lists, and judging along them."""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from app.core.queue import next_unjudged
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.review import disagreement_page, dispute_view
from app.ui.review.disagreement_page import DisagreementPage
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.ui.candidates import sample_file
from tests.app.ui.late_answer import LateAnswer
from tests.app.ui.review.conftest import choose, settled, show_side
from tests.app.ui.steps import click
from tests.app.ui.whole_window import CTRL, SHIFT, before_window


def test_each_kind_has_its_list_and_blind_mode_hides_what_agents_say(
    qtbot, page, disputed, context
):
    assert [each.id for each in page.found] == [3, 5]
    show_side(qtbot, page, "agent")
    assert [each.id for each in page.found] == [8]
    show_side(qtbot, page, "agents")
    assert [each.id for each in page.found] == [7] and page.list.count() == 1
    told = "both inspected 1: same verdict on 0, opposite verdicts on 1"
    assert told in page.compared.text() and page.compared.isVisible()
    show_side(qtbot, page, "people")
    assert not page.compared.isVisible()
    context.current.blind_mode.set_on(True)
    show_side(qtbot, page, "agents")
    assert page.found == () and "Blind mode" in page.empty.reason.text()


def test_one_person_begins_with_the_list_that_has_entries(qtbot, context, session, shown):
    say(session, "Ada", {1: A, 2: R})
    inspect(session, "nano", {1: ("NO", 0.1), 2: ("NO", 0.1)})
    page = shown(DisagreementPage(context))
    assert [each.id for each in page.found] == [1] and page.sides["agent"].isChecked()
    show_side(qtbot, page, "people")  # which the person chose
    assert page.found == () and page.sides["people"].isChecked()


def test_without_any_it_says_what_is_needed(qtbot, context, shown):
    page = shown(DisagreementPage(context))
    assert "No disagreement on any object that two people" in page.empty.reason.text()
    assert not page.list.isVisible() and not page.view.isVisible()


def test_an_older_list_that_comes_late_is_not_shown(qtbot, page, disputed, context, monkeypatch):
    lists, show = [], page.list.show_disputes
    monkeypatch.setattr(page.list, "show_disputes", lambda found: lists.append(show(found)))
    late = LateAnswer(monkeypatch, disagreement_page, "disputes_between")
    page.show_between("agents")
    late.wait_until_known(qtbot)
    context.current.blind_mode.set_on(True)
    qtbot.waitUntil(lambda: "Blind mode" in page.empty.reason.text())
    late.arrive(qtbot, context.runner)
    assert page.found == () and "Blind mode" in page.empty.reason.text()
    page.show_between("people")
    qtbot.waitUntil(lambda: [each.id for each in page.found] == [3, 5])
    assert len(lists) == 2


def test_older_opinions_that_come_late_do_not_hide_newer_ones(
    qtbot, page, disputed, context, monkeypatch
):
    late = LateAnswer(monkeypatch, dispute_view, "dispute_details")
    page.list.setCurrentRow(1)
    late.wait_until_known(qtbot)
    # Which the answer on its way does not know.
    disputed.record_verdict(5, Opinion(verdict=Verdict.UNSURE))

    def verdicts():
        judged = page.view.details.dispute.judgements if page.view.details else ()
        return [each.opinion.verdict for each in judged]

    qtbot.waitUntil(lambda: Verdict.UNSURE in verdicts())
    late.arrive(qtbot, context.runner)
    assert Verdict.UNSURE in verdicts()


def test_the_former_candidate_becomes_current_again_unless_one_is_opened(qtbot, page, context):
    before = next_unjudged(context.current.session).candidate.id  # where a session begins
    assert context.current.candidate.id == page.found[0].id != before
    choose(qtbot, page, 3)
    choose(qtbot, page, 5)
    page.hide()
    assert context.current.candidate.id == before
    page.show()
    settled(qtbot, page)
    opened = []
    context.commands.add("judging_page", lambda: opened.append(True))
    choose(qtbot, page, 5)
    click(qtbot, page.view.open)
    page.hide()
    assert opened and context.current.candidate.id == 5


@pytest.fixture
def person(qtbot, tmp_path):
    """The page in the whole window, with Ada and Li Wei differing on 3, 5 and 8."""
    position = sample_file(tmp_path)
    with open_session(position, "Ada") as made:
        say(made, "Li Wei", dict.fromkeys((3, 5, 8), R))
        say(made, "Ada", dict.fromkeys((3, 5, 8), A))
    with before_window(qtbot, position) as someone:
        someone.press("2", CTRL)
        someone.wait(lambda: len(page_of(someone).found) == 3)
        someone.sees(3)
        yield someone


def page_of(person):
    return person.view._pages["disagreement_page"]


def test_keys_judge_along_the_list(person):
    person.press("x", sees=5)
    person.press("a")  # as before: that is an answer, too
    person.sees(8)
    person.press("u", SHIFT)
    assert person.number == 8
    found = {number: str(person.opinion(number).verdict) for number in (3, 5, 8)}
    assert found == {3: "REJECT", 5: "ACCEPT", 8: "UNSURE"}
    person.wait(lambda: [each.id for each in page_of(person).found] == [5, 8])
    person.press("u")
    assert person.number == 8
    person.wait(lambda: person.reads("This was the last disagreement"))


def test_next_and_previous_go_along_the_list_and_other_pages_have_their_own(person):
    for key, number in (("n", 5), ("n", 8), ("b", 5), ("b", 3), ("b", 3)):
        person.press(key, sees=number)
    assert person.reads("This is the first disagreement")
    view = page_of(person).view
    buttons = view.buttons
    assert buttons[Verdict.ACCEPT].key == "A"
    person.window.keymap.rebind("accept", ["J"])
    assert buttons[Verdict.ACCEPT].key == "J" and buttons[Verdict.ACCEPT].text() == "Accept"
    person.window.keymap.reset_all()
    assert buttons[Verdict.ACCEPT].isEnabled()
    person.press("1", CTRL, sees=1)
    person.press("a", sees=2)
    assert str(person.opinion(1).verdict) == "ACCEPT"
    person.press("2", CTRL, sees=3)
    person.wait(lambda: buttons[Verdict.ACCEPT].isEnabled() and buttons[Verdict.REJECT].isEnabled())
    assert buttons[Verdict.UNSURE].isEnabled() and view.shown.id == 3
    person.press("x", sees=5)
    assert str(person.opinion(3).verdict) == "REJECT"


def test_a_held_key_judges_one_and_undo_brings_it_back_into_the_list(person):
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, CTRL & ~CTRL, "x", True)
    person.press("x")
    for _ in range(5):
        QApplication.sendEvent(person.target, held)
    person.sees(5)
    assert len(person.log()) == 4 + 3
    person.wait(lambda: [each.id for each in page_of(person).found] == [5, 8])
    person.press("z", CTRL, sees=3)
    assert str(person.opinion(3).verdict) == "ACCEPT"
    person.wait(lambda: [each.id for each in page_of(person).found] == [3, 5, 8])
    person.wait(lambda: page_of(person).view.shown.id == 3)
    assert page_of(person).list.currentRow() == 0
