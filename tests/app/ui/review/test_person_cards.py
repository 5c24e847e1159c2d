"""The cards about each person say the same as `spec-o3 stats`."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, update

from app.core.database.tables import known_answers, log
from app.core.session.records import Opinion, Verdict
from app.core.sharing.share_out import SharePlan, share_out
from app.core.statistics.summary import statistics
from app.ui.review.person_cards import KnownCard, WorkCard
from tests.app.core.judged_sessions import say
from tests.app.ui.review.conftest import visible_text
from tests.app.ui.steps import shown_in


@pytest.fixture
def card(qtbot, context):
    def show(kind):
        return shown_in(qtbot, kind(context), 620, 500)

    return show


def test_work_of_each_person(card, session):
    work = card(WorkCard)
    assert work.empty.isVisible() and not work.numbers.isVisible()
    share_out(session, SharePlan(people=("Ada", "Grace")))
    for number, (confidence, hour) in enumerate(((4, 21), (4, 22), (1, 22)), start=1):
        opinion = Opinion(verdict=Verdict.ACCEPT, confidence=confidence)
        entry = session.record_verdict(number, opinion, seconds=3.0 + number)
        with session.database.writing() as connection:
            at = f"2026-01-01T{hour}:00:00.000+00:00"
            connection.execute(update(log).where(log.c.id == entry.id).values(at=at))
    found = statistics(session).working
    work.show_work(found)
    assert [row[:2] for row in work.numbers.rows] == [("Ada", "6"), ("Grace", "6")]
    assert work.numbers.rows[0][5] == "100 %" and len(work.figures) == 1
    spoken = work.figures[0].accessibleDescription()
    first, second = (each.local_hour for each in found[0].hours)
    assert spoken == f"{first}: 1; {second}: 2"
    assert work.legend.isVisible()
    work.show_work([])
    assert work.empty.isVisible()


def test_known_answers_of_each_person(card, session):
    shown = card(KnownCard)
    assert "spec-o3 known" in visible_text(shown)
    row = {"class_name": "CV", "simulated": False, "source": "x"}
    rows = [{"candidate_id": n, "is_member": n % 2 == 1, **row} for n in range(1, 9)]
    with session.database.writing() as connection:
        connection.execute(insert(known_answers), rows)
    A, R, _ = Verdict
    say(session, "Ada", {1: A, 2: R, 3: R, 4: A, 5: A, 6: R, 7: A, 8: R})
    shown.show_known(statistics(session).known)
    assert not shown.empty.isVisible()
    assert "Ada: 3 of 4 members and 1 of 4 look-alikes accepted" in shown.counts.text()
    assert "in one act" not in shown.counts.text()
    session.reviewer = "Grace"
    session.record_group_act([1, 2, 3], lambda one: replace(one, verdict=A), place="overview")
    shown.show_known(statistics(session).known)
    told = "Grace: 2 of 2 members and 1 of 1 look-alikes accepted; 3 of them judged with others"
    assert told in shown.counts.text()
    spoken = shown.figure.accessibleDescription()
    assert "Ada · completeness: 0.75 (0.30 to 0.95)" in spoken and "Ada · purity: 0.75" in spoken
    assert not shown.drift.isVisible()


def test_a_person_who_tires_is_told(card, tmp_path, qtbot):
    from tests.app.core.sessions import made

    with made(tmp_path / "x.speco3", 40) as session:
        row = {"is_member": True, "class_name": "CV", "simulated": False, "source": "x"}
        with session.database.writing() as connection:
            rows = [{"candidate_id": number, **row} for number in range(1, 33)]
            connection.execute(insert(known_answers), rows)
        say(session, "Ada", {n: Verdict.ACCEPT if n < 17 else Verdict.REJECT for n in range(1, 33)})
        shown = card(KnownCard)
        shown.show_known(statistics(session).known)
    assert shown.drift.isVisible()
    assert shown.drift.text().startswith("Ada: 100 % correct at first, 0 % at last")
    assert len(shown.blocks) == 1
