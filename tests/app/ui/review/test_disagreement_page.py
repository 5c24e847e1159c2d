"""Disagreements: each kind in its list, side by side, judged through the desk."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from sqlalchemy import update

from app.core.database.tables import candidates
from app.core.queue import next_unjudged
from app.core.session.records import Verdict
from app.core.session.session import open_session
from app.core.statistics.adjudication import adjudicator_of
from app.ui.review.disagreement_page import DisagreementPage
from app.ui.review.opinion_card import OpinionCard
from app.ui.widgets.labels import wrapped_label
from app.ui.widgets.page_parts import PageScrollArea
from tests.app.core.judged_sessions import A, R, say
from tests.app.ui.review.conftest import settled
from tests.app.ui.whole_window import CTRL, SHIFT, before_window, sample_file


@pytest.fixture
def page(qtbot, disputed, context, shown):
    context.current.start()
    return shown(DisagreementPage(context))


def click(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def tick(qtbot, box):
    """Click on the square: space to the right of the text does not react."""
    qtbot.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))


def choose(qtbot, page, number):
    """A click on the row of that candidate."""
    place = [each.id for each in page.found].index(number)
    rect = page.list.visualItemRect(page.list.item(place))
    qtbot.mouseClick(page.list.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    qtbot.waitUntil(lambda: page.view.details is not None and page.view.details.candidate_id == number)
    qtbot.waitUntil(lambda: all(each.isVisible() for each in page.view.findChildren(OpinionCard)))


def said(widget):
    return " ".join(each.text() for each in widget.findChildren(QLabel) if each.isVisible())


def judge(qtbot, page, context, button):
    qtbot.waitUntil(lambda: context.current.is_painted)
    click(qtbot, button)


def test_each_kind_has_its_list(qtbot, page, disputed):
    assert [each.id for each in page.found] == [3, 5]
    click(qtbot, page.sides["agent"])
    settled(qtbot, page)
    assert [each.id for each in page.found] == [8]
    click(qtbot, page.sides["agents"])
    settled(qtbot, page)
    assert [each.id for each in page.found] == [7]
    assert page.list.count() == 1
    told = "both inspected 1: same verdict on 0, opposite verdicts on 1"
    assert told in page.compared.text() and page.compared.isVisible()
    click(qtbot, page.sides["people"])
    settled(qtbot, page)
    assert not page.compared.isVisible()


def test_without_any_it_says_what_is_needed(qtbot, context, shown):
    page = shown(DisagreementPage(context))
    assert "At least two people must judge the same objects" in page.empty.text()
    assert not page.list.isVisible()
    assert not page.view.isVisible()


def test_both_opinions_stand_side_by_side(qtbot, page, context):
    choose(qtbot, page, 3)
    seen = said(page.view)
    for word in ("Ada", "✓ accepted", "Li Wei", "✕ rejected", "people disagree"):
        assert word in seen
    assert context.current.candidate.id == 3


def test_the_agents_evidence_stands_beside_them(qtbot, page):
    click(qtbot, page.sides["agents"])
    settled(qtbot, page)
    choose(qtbot, page, 7)
    seen = said(page.view)
    for word in ("Agent nano", "YES · p(YES) 0.90", "Agent measured", "NO · p(YES) 0.20", "Hα"):
        assert word in seen


def test_ones_own_verdict_is_set_here(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    judge(qtbot, page, context, page.view.reject)
    assert disputed.judgement(3).opinion.verdict is Verdict.REJECT
    assert context.current.candidate.id == 3
    settled(qtbot, page)
    qtbot.waitUntil(lambda: [each.id for each in page.found] == [5])


def test_nothing_is_judged_before_it_was_painted(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    qtbot.waitUntil(lambda: context.current.is_painted)
    context.current._painted_at = None
    click(qtbot, page.view.reject)
    assert disputed.judgement(3).opinion.verdict is Verdict.ACCEPT


def test_the_readers_word_may_decide(qtbot, page, context, disputed):
    choose(qtbot, page, 3)
    click(qtbot, page.view.settle)
    assert adjudicator_of(disputed) == "Ada"
    qtbot.waitUntil(lambda: "Settled by the adjudicator: ✓ accepted" in said(page.view))
    tick(qtbot, page.only_open)
    qtbot.waitUntil(lambda: page.found == ())
    settled(qtbot, page)
    assert not page.view.isVisible()
    tick(qtbot, page.only_open)
    qtbot.waitUntil(lambda: len(page.found) == 2)
    choose(qtbot, page, 5)
    click(qtbot, page.view.settle)
    assert adjudicator_of(disputed) is None


def test_the_desk_goes_back_to_where_it_was(qtbot, page, context):
    before = next_unjudged(context.current.session).candidate.id  # where a session begins
    assert context.current.candidate.id == page.found[0].id != before
    choose(qtbot, page, 3)
    choose(qtbot, page, 5)
    page.hide()
    assert context.current.candidate.id == before


def test_an_opened_one_stays_on_the_desk(qtbot, page, context):
    opened = []
    context.commands.add("judging_page", lambda: opened.append(True))
    choose(qtbot, page, 5)
    click(qtbot, page.view.open)
    page.hide()
    assert opened
    assert context.current.candidate.id == 5


def test_blind_mode_hides_what_agents_say(qtbot, page, context, disputed):
    context.current.blind_mode.set_on(True)
    click(qtbot, page.sides["agents"])
    settled(qtbot, page)
    assert page.found == ()
    assert "Blind mode" in page.empty.text()


def test_blind_mode_hides_the_agent_of_what_is_not_judged(qtbot, context, disputed, shown):
    """Li Wei and Grace differ on 11, which Ada has not seen yet; nano has."""
    say(disputed, "Li Wei", {11: A})
    say(disputed, "Grace", {11: R})
    context.current.blind_mode.set_on(True)
    context.current.start()
    page = shown(DisagreementPage(context))
    choose(qtbot, page, 11)
    assert "nano" not in said(page.view)
    assert "Hidden in blind mode" in said(page.view)
    click(qtbot, page.sides["agent"])
    settled(qtbot, page)
    assert 11 not in [each.id for each in page.found]
    click(qtbot, page.sides["people"])
    settled(qtbot, page)
    choose(qtbot, page, 11)
    judge(qtbot, page, context, page.view.accept)
    qtbot.waitUntil(lambda: "nano" in said(page.view))


def test_a_spectrum_that_cannot_be_read_says_why(qtbot, page, context, disputed):
    with disputed.database.writing() as connection:
        here = candidates.c.id == 5
        connection.execute(update(candidates).where(here).values(path="/nowhere/x.fits"))
    choose(qtbot, page, 5)
    qtbot.waitUntil(lambda: page.view.note.isVisible())
    assert "x.fits" in page.view.note.text()


def test_the_list_tells_whose_marks_stand_in_it(page):
    assert page.who.text() == "Ada, Li Wei"
    assert page.list.item(0).toolTip() == "Ada ✓, Li Wei ✕"


def test_nothing_is_squeezed_where_words_wrap(qtbot):
    label = wrapped_label("many words that wrap " * 40)
    inner = QWidget()
    QVBoxLayout(inner).addWidget(label)
    area = PageScrollArea(inner, max_height=500)
    qtbot.addWidget(area)
    area.resize(200, 100)
    with qtbot.waitExposed(area):
        area.show()
    qtbot.waitUntil(lambda: label.height() >= label.heightForWidth(label.width()))
    assert area.height() <= 500


@pytest.fixture
def person(qtbot, tmp_path):
    """On the page of the whole window: Ada and Li Wei differ on 3, 5 and 8."""
    place = sample_file(tmp_path)
    with open_session(place, "Ada") as made:
        say(made, "Li Wei", dict.fromkeys((3, 5, 8), R))
        say(made, "Ada", dict.fromkeys((3, 5, 8), A))
    with before_window(qtbot, place) as someone:
        someone.press("2", CTRL)
        someone.wait(lambda: len(page_of(someone).found) == 3)
        someone.sees(3)
        yield someone


def page_of(person):
    return person.view._pages["disagreement_page"]


def test_keys_judge_along_the_list(person):
    person.press("x")
    person.sees(5)
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


def test_undo_brings_the_object_back_into_the_list(person):
    person.press("x")
    person.sees(5)
    person.wait(lambda: [each.id for each in page_of(person).found] == [5, 8])
    person.press("z", CTRL)
    person.sees(3)
    assert str(person.opinion(3).verdict) == "ACCEPT"
    person.wait(lambda: [each.id for each in page_of(person).found] == [3, 5, 8])
    person.wait(lambda: page_of(person).view.shown.id == 3)
    assert page_of(person).list.currentRow() == 0


def test_next_and_previous_go_along_the_list(person):
    for key, number in (("n", 5), ("n", 8), ("b", 5), ("b", 3), ("b", 3)):
        person.press(key)
        person.sees(number)
    assert person.reads("This is the first disagreement")


def test_a_held_key_judges_one(person):
    held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_X, CTRL & ~CTRL, "x", True)
    person.press("x")
    for _ in range(5):
        QApplication.sendEvent(person.target, held)
    person.sees(5)
    assert len(person.log()) == 4 + 3


def test_on_the_judging_page_keys_are_its_own_again(person):
    person.press("1", CTRL)
    person.wait(lambda: person.number == 1)
    person.sees(1)
    person.press("a")
    person.sees(2)
    assert str(person.opinion(1).verdict) == "ACCEPT"


def test_buttons_show_their_keys(person):
    view = page_of(person).view
    assert view.accept.text() == "Accept  A"
    person.window.keymap.rebind("accept", ["J"])
    assert view.accept.text() == "Accept  J"
    assert view.accept.accessibleName() == "Accept"
