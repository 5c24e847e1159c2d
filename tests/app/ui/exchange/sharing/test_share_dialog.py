"""The list is shared out in a dialog, by keys and clicks, and what the whole window makes of it."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.queue import MINE, conjuncts
from app.core.session.assignments import parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.parts import split
from app.core.sharing.share_out import SharePlan, plan_of, share_out
from app.core.statistics.known_figures import known_figures
from app.ui.exchange.sharing import merge_dialog, share_dialog
from app.ui.exchange.sharing.merge_dialog import MergeDialog
from app.ui.exchange.sharing.share_dialog import ShareDialog
from tests.app.core.judged_sessions import say
from tests.app.core.sharing.hidden import LIST, hide, known
from tests.app.ui.candidates import sample_file
from tests.app.ui.whole_window import CTRL, LEFT, before_window

Key = Qt.Key


@pytest.fixture
def dialog(qtbot, context):
    made = ShareDialog(context)
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.open_again()
    ready(qtbot, made)
    return made


def ready(qtbot, dialog):
    qtbot.waitUntil(lambda: not dialog.is_busy)


def press(qtbot, dialog, button):
    QTest.mouseClick(button, LEFT)
    ready(qtbot, dialog)


def test_it_is_shared_out_by_keys(qtbot, dialog, session, context):
    assert dialog.empty.isVisible() and not dialog.share.isEnabled() and dialog.people.hasFocus()
    QTest.keyClicks(dialog.people, "Ada, Grace")
    dialog.overlap.setFocus()
    QTest.keyClick(dialog.overlap, Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClicks(dialog.overlap, "50")
    QTest.keyClick(dialog.overlap, Key.Key_Return)
    QTest.keyClicks(dialog.rule, "confidence<=2")
    press(qtbot, dialog, dialog.share)
    assert [(each.reviewer, each.assigned) for each in parts(session)] == [("Ada", 9), ("Grace", 9)]
    assert plan_of(session) == dialog.plan
    assert dialog.progress.rows == [("Ada", "9", "0", "9", "0"), ("Grace", "9", "0", "9", "0")]
    assert dialog.outcome.text() == "12 given out, 6 of them to two people"
    assert context.current.queue.tree == MINE and not dialog.empty.isVisible()


def test_what_cannot_be_is_told_and_changes_nothing(qtbot, dialog, session):
    QTest.keyClicks(dialog.people, "Ada, Ada")
    press(qtbot, dialog, dialog.share)
    assert "each person can be named only once" in dialog.problem.text and parts(session) == ()
    dialog.people.clear()
    QTest.keyClicks(dialog.people, "Ada, Grace")
    QTest.keyClicks(dialog.rule, "confidence<=")
    assert "a value is missing" in dialog.problem.text and not dialog.share.isEnabled()
    QTest.keyClick(dialog.rule, Key.Key_Return)
    QTest.keyClicks(dialog.rule, "2")
    assert dialog.problem.text == "" and parts(session) == ()
    QTest.keyClick(dialog.rule, Key.Key_Return)
    ready(qtbot, dialog)
    assert len(parts(session)) == 2


def test_opened_again_it_shows_the_plan_and_how_far_people_are(qtbot, dialog, session, context):
    QTest.keyClicks(dialog.people, "Grace")
    dialog.people.insert("，")  # QTest types ASCII only
    QTest.keyClicks(dialog.people, "Li Wei")
    QTest.keyClicks(dialog.rule, "confidence<=2")
    press(qtbot, dialog, dialog.share)
    QTest.mouseClick(dialog.close_button, LEFT)
    assert not dialog.isVisible()
    with session.database.reading() as connection:
        query = "SELECT candidate_id FROM assignments WHERE reviewer_id = 1 ORDER BY 1"
        theirs = connection.exec_driver_sql(query).scalars().all()
    say(session, "Grace", dict.fromkeys(theirs[:2], Verdict.REJECT))
    former, session.reviewer = session.reviewer, "Grace"
    session.record_verdict(theirs[2], Opinion(verdict=Verdict.UNSURE, confidence=1))
    session.reviewer = former
    dialog.open_again()
    ready(qtbot, dialog)
    assert dialog.progress.rows == [("Grace", "6", "3", "3", "0"), ("Li Wei", "7", "0", "7", "1")]


def test_one_file_for_each(qtbot, dialog, session, tmp_path, monkeypatch):
    QTest.keyClicks(dialog.people, "Ada, Grace")
    assert not dialog.split.isEnabled()
    press(qtbot, dialog, dialog.share)
    (tmp_path / "parts").mkdir()
    monkeypatch.setattr(share_dialog, "choose_folder_for_files", lambda parent: tmp_path / "parts")
    press(qtbot, dialog, dialog.split)
    assert dialog.outcome.text().startswith("2 files written")
    for path in (tmp_path / "parts").iterdir():
        with open_session(path, "Ada", read_only=True) as part:
            assert part.count() == 6
    press(qtbot, dialog, dialog.split)
    assert "already exists" in dialog.problem.text


def test_what_colleagues_judged_in_their_files_comes_back(
    qtbot, dialog, session, context, tmp_path, monkeypatch
):
    share_out(session, SharePlan(people=("Ada", "Grace"), overlap=100.0))
    (tmp_path / "parts").mkdir()
    files = {each.reviewer: each.path for each in split(session, tmp_path / "parts")}
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT))
    with open_session(files["Grace"], "Grace") as part:
        for number in (1, 2):
            part.record_verdict(number, Opinion(verdict=Verdict.REJECT))
    merging, opened = MergeDialog(context), []
    qtbot.addWidget(merging)
    merging.merged.connect(dialog.read)
    context.commands.add("disagreement_page", lambda: opened.append(True))
    monkeypatch.setattr(merge_dialog, "choose_sessions_to_merge", lambda _: [session.location])
    merging.open_again()
    press(qtbot, merging, merging.choose)
    assert "cannot be merged into itself" in merging.problem.text
    monkeypatch.setattr(merge_dialog, "choose_sessions_to_merge", lambda _: [files["Grace"]])
    press(qtbot, merging, merging.choose)
    ready(qtbot, dialog)
    told = "Files merged: 1. New entries in the log: 2. Disagreements to settle: 1."
    assert merging.outcome.text() == told
    assert dialog.progress.rows == [("Ada", "12", "1", "11", "0"), ("Grace", "12", "2", "10", "0")]
    press(qtbot, merging, merging.disputes)
    assert opened and not merging.isVisible()


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
