"""The window of a person who was given a part of the list, with known answers hidden in it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.queue import MINE, conjuncts
from app.core.session.assignments import parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.share_out import SharePlan, share_out
from app.core.statistics.known_figures import known_figures
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import CTRL, LEFT, before_window

PLAN = SharePlan(people=("Ada", "Grace"), overlap=20.0, second_when="confidence<=2")


@pytest.fixture
def place(tmp_path):
    place = sample_file(tmp_path, LIST)
    with open_session(place, "Ada") as session:
        hide(session, rate=30.0)
        share_out(session, PLAN)
    return place


def assigned(session, number):
    query = f"SELECT candidate_id FROM assignments WHERE reviewer_id = {number} ORDER BY 1"
    with session.database.reading() as connection:
        return connection.exec_driver_sql(query).scalars().all()


def test_keys_lead_through_what_is_mine_and_known_answers_are_told_after_the_verdict(qtbot, place):
    with before_window(qtbot, place) as person:
        mine, hidden = assigned(person.session, 1), known(person.session)
        filters = person.view.judging.docks["queue"].part.filters
        assert person.current.queue.tree == MINE and not filters.mine.isHidden()
        assert filters.mine.isChecked()
        line = person.view.judging.docks["queue"].part.card.note
        person.wait(lambda: line.text() == str(len(mine)))
        told = person.view.status.message
        seen = []
        for number in mine:
            assert person.number == number
            person.wait(lambda: person.current.is_painted)
            assert "known" not in told.full_text or seen[-1] in hidden
            seen.append(number)
            person.press("a" if number % 2 else "x")
            if number in hidden:
                answer = hidden[number]
                if number != mine[-1]:
                    kind = " (simulated)" if answer.is_simulated else ""
                    assert told.full_text == f"This was a known {answer.class_name}{kind}"
            if number != mine[-1]:
                person.wait(lambda now=number: person.number != now)
            told.show_text("")
        assert set(seen) & set(hidden) and parts(person.session)[0].judged == len(mine)


def test_an_act_on_many_counts_for_the_person_and_tells_how_many_were_known(qtbot, place):
    with before_window(qtbot, place) as person:
        person.window.commands.run("only_mine")
        person.press(Qt.Key.Key_5, CTRL)
        page = person.view._stack.currentWidget()
        person.wait(page.sheet.hasFocus)
        person.wait(lambda: page.model.blocks.row(LIST) is not None)
        person.press(Qt.Key.Key_A, CTRL)
        person.press("a")
        person.wait(page.confirm.hasFocus)
        person.press(Qt.Key.Key_Return)
        person.wait(lambda: len(person.verdicts()) == person.session.count())
        person.wait(lambda: not page.acts.is_busy)
        answers = known(person.session).values()
        members = sum(each.is_member for each in answers)
        told = f"Known answers among them: {len(answers)}, judged right: {members}"
        assert told in person.view.status.message.full_text
        (found,) = known_figures(person.session)
        assert (found.members_accepted, found.together) == (members, len(answers))


def test_one_press_shows_all_and_one_more_only_mine_again(qtbot, place):
    with before_window(qtbot, place) as person:
        queue, mine = person.view.judging.docks["queue"].part, assigned(person.session, 1)
        every = person.session.count()
        QTest.mouseClick(queue.filters.quick["verdict:unjudged"], LEFT)
        assert MINE in conjuncts(person.current.queue.tree)
        person.wait(lambda: queue.card.note.text() == str(len(mine)))
        QTest.mouseClick(queue.filters.mine, LEFT)
        assert MINE not in conjuncts(person.current.queue.tree)
        person.wait(lambda: queue.card.note.text() == str(every))
        QTest.mouseClick(queue.filters.quick["verdict:unjudged"], LEFT)
        person.window.commands.run("only_mine")
        person.wait(lambda: queue.card.note.text() == str(len(mine)))
        assert person.current.queue.tree == MINE


def test_what_others_judged_meanwhile_asks_for_a_second_opinion_at_the_start(qtbot, place):
    with open_session(place, "Grace") as session:
        theirs = [n for n in assigned(session, 2) if n not in assigned(session, 1)]
        first = next(number for number in theirs if number not in known(session))
        session.record_verdict(first, Opinion(verdict=Verdict.UNSURE, confidence=1))
    with before_window(qtbot, place) as person:
        person.wait(lambda: first in assigned(person.session, 1))
        person.wait(lambda: "1 second opinions" in person.view.status.message.full_text)
