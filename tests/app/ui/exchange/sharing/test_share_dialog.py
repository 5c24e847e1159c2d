"""The list is shared out in a dialog, by keys and clicks."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.core.queue import MINE
from app.core.session.assignments import parts
from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.core.sharing.parts import split
from app.core.sharing.share_out import SharePlan, plan_of, share_out
from app.ui.exchange.sharing import merge_dialog, share_dialog
from app.ui.exchange.sharing.merge_dialog import MergeDialog
from app.ui.exchange.sharing.share_dialog import ShareDialog
from tests.app.core.judged_sessions import say

LEFT = Qt.MouseButton.LeftButton
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
