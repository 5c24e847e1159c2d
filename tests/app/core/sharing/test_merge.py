"""Several people's sessions in one: nothing is lost, nothing comes twice, the later word stands."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from agent.tasks.catalogue import find_task, task_source
from agent.tasks.task_file import read_task
from app.core.database.tables import candidates, inspections, log
from app.core.errors import SessionError
from app.core.progress import StoppedError
from app.core.session.finer_values import field_values
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.sharing import merge
from app.core.statistics.adjudication import set_adjudicator
from tests.app.core.exporting.catalogues import add_list
from tests.app.core.session.test_rebuild import derived, moment
from tests.app.core.sharing.merged_sessions import (
    ACCEPT,
    REJECT,
    UNSURE,
    check,
    inspected,
    log_of,
    session_at,
    verdicts,
)


def test_two_people(location, tmp_path):
    """Ada's on a disk or a server, Ben's a file: the same objects under other folders."""
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben", 6) as ben:
        ada.record_verdict(1, ACCEPT)
        ada.record_verdict(2, ACCEPT)
        ben.record_verdict(2, REJECT, seconds=2.5, shown={"verdict": "YES"})
        ben.record_verdict(6, Opinion(verdict=Verdict.UNSURE, comment="宽", flags=("a",)))
        told: list[Change] = []
        ada.changed.connect(told.append)
        steps = []
        report = merge(ada, ben, progress=lambda *done: steps.append(done))
        assert {each.aspect for each in told} == {"list", "verdict", "inspection", "measurement"}
        assert steps[-1] == (8, 8)
        assert (report.matched, report.candidates, report.lines) == (5, 1, 2)
        assert report.reviewers == ("Ben",)
        assert report.conflicts == ()
        (differ,) = report.disagreements
        assert (differ.candidate_id, [each.reviewer for each in differ.judgements]) == (
            2,
            ["Ada", "Ben"],
        )
        assert verdicts(ada) == {
            (1, "Ada"): "ACCEPT",
            (2, "Ada"): "ACCEPT",
            (2, "Ben"): "REJECT",
            (6, "Ben"): "UNSURE",
        }
        merged = list(ada.history())[2]
        assert (merged.seconds, dict(merged.shown)) == (2.5, {"verdict": "YES"})
        assert ada.candidate(6).path == "/home/Ben/6.fits"
        assert ada.judgements(6)[0].opinion.comment == "宽"
        with ada.database.reading() as connection:
            lines = connection.execute(select(log).order_by(log.c.id)).all()
        assert [(line.origin, line.origin_id) for line in lines] == [
            *(("", None), ("", None), (ben.id, 1), (ben.id, 2))
        ]
        check(ada)
        again = merge(ada, ben)
        assert (again.matched, again.candidates, again.lines, again.lists) == (6, 0, 0, 0)
        assert again.conflicts == ()
        assert len(again.disagreements) == 1
        assert len(log_of(ada)) == 4


def test_the_later_word_of_one_person_stands(tmp_path):
    with session_at(tmp_path / "a.speco3") as here, session_at(tmp_path / "b.speco3") as there:
        here.record_verdict(1, ACCEPT)
        there.record_verdict(1, REJECT)
        there.record_verdict(2, REJECT)
        here.record_verdict(2, ACCEPT)
        there.record_verdict(3, UNSURE)
        here.record_verdict(4, UNSURE)
        there.record_verdict(4, UNSURE)
        there.record_verdict(5, REJECT)
        there.undo()
        here.record_verdict(5, ACCEPT)
        report = merge(here, there)
        assert verdicts(here) == {
            (1, "Ada"): "REJECT",
            (2, "Ada"): "ACCEPT",
            (3, "Ada"): "UNSURE",
            (4, "Ada"): "UNSURE",
            (5, "Ada"): "ACCEPT",
        }
        found = {
            each.candidate_id: (each.kept.opinion.verdict, each.set_aside.opinion.verdict)
            for each in report.conflicts
        }
        assert found == {1: ("REJECT", "ACCEPT"), 2: ("ACCEPT", "REJECT")}
        assert report.conflicts[0].object_id == "J000001"
        assert report.disagreements == ()
        assert merge(here, there).conflicts == ()
        check(here)


def test_another_task_is_refused(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        new_session(tmp_path / "b.speco3", find_task("WD"), "Ben") as other,
    ):
        add_list(other, [{}], [], {})
        other.record_verdict(1, ACCEPT)
        with pytest.raises(SessionError, match="another task"):
            merge(into, other)
        assert verdicts(into) == {}
        assert merge(into, other, any_task=True).lines == 1


def test_not_into_itself(tmp_path):
    location = tmp_path / "a.speco3"
    with session_at(location) as into, open_session(location, "Ben", read_only=True) as other:
        for same in (into, other):
            with pytest.raises(SessionError, match="itself"):
                merge(into, same)


def test_not_into_itself_whatever_it_is_called(tmp_path):
    location = tmp_path / "a.speco3"
    link = tmp_path / "link.speco3"
    link.symlink_to(location)
    with session_at(location) as into:
        for name in (link, tmp_path / "." / "a.speco3"):
            with (
                open_session(name, "Ben", read_only=True) as other,
                pytest.raises(SessionError, match="itself"),
            ):
                merge(into, other)


def test_a_team_s_not_into_itself_nor_is_a_copy_refused(cluster, tmp_path):
    first, second = cluster.new_database(), cluster.new_database()
    url = cluster.url(first)
    with session_at(url) as into:
        into.record_verdict(1, ACCEPT)
        folder = str(cluster.folder)
        for other_url in (url, f"postgresql://postgres@/{first}?host={folder}&port=5432"):
            with (
                open_session(other_url, "Ben", read_only=True) as other,
                pytest.raises(SessionError, match="itself"),
            ):
                merge(into, other)
        with session_at(cluster.url(second), "Ben") as other:
            other.record_verdict(2, REJECT)
            assert merge(into, other).lines == 1
            assert merge(into, other).lines == 0
        with session_at(tmp_path / "c.speco3", "Cy") as other:
            other.record_verdict(1, REJECT)
            report = merge(into, other)
            assert [each.candidate_id for each in report.disagreements] == [1]
            assert merge(other, into).lines == 2
            assert verdicts(other) == verdicts(into)
    cluster.drop(first)
    cluster.drop(second)


@pytest.mark.parametrize("number", ["", "x" * 200])
def test_a_session_without_a_proper_id_is_refused(tmp_path, number):
    """Its lines would count as written here."""
    with session_at(tmp_path / "a.speco3") as into, session_at(tmp_path / "b.speco3") as other:
        other.record_verdict(1, ACCEPT)
        other.set_fact("id", number)
        with pytest.raises(SessionError, match="damaged"):
            merge(into, other)
        assert log_of(into) == []


def test_what_is_settled_is_no_disagreement(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben") as other,
    ):
        for number in (1, 2):
            into.record_verdict(number, ACCEPT)
            other.record_verdict(number, REJECT)
        assert len(merge(into, other).disagreements) == 2
        into.reviewer = "Chief"
        into.record_verdict(1, REJECT)
        set_adjudicator(into, "Chief")
        assert [each.candidate_id for each in merge(into, other).disagreements] == [2]


def test_all_or_nothing(tmp_path):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben", 1200) as other,
    ):
        other.record_verdict(1, ACCEPT)
        told = iter([False, False, True])
        with pytest.raises(StoppedError):
            merge(into, other, should_stop=lambda: next(told))
        assert into.count() == 5
        assert log_of(into) == []
        assert merge(into, other).candidates == 1195


@pytest.mark.parametrize(
    ("table", "values"),
    [
        (log, {"action": "judge"}),
        (log, {"verdict": "MAYBE"}),
        (log, {"flags": "{}"}),
        (log, {"shown": "["}),
        (log, {"at": "zzzz"}),
        (log, {"at": "2026-01-01T00:00:00+02:00"}),
        (log, {"before_id": 77}),
        (log, {"before_id": 2}),
        (log, {"origin": b"x"}),
        (log, {"origin": "x", "origin_id": "y"}),
        (inspections, {"p_yes": 3.0}),
        (inspections, {"verdict": "MAYBE"}),
        (inspections, {"record": b"\0"}),
        (candidates, {"row": "x"}),
        (candidates, {"own": "[]"}),
    ],
)
def test_a_damaged_one_brings_nothing(tmp_path, table, values):
    with (
        session_at(tmp_path / "a.speco3") as into,
        session_at(tmp_path / "b.speco3", "Ben") as other,
    ):
        for number in (1, 2):
            other.record_verdict(number, ACCEPT)
            inspected(other, number, "nano", moment(5), "YES")
        before = derived(into)
        with other.database.writing() as connection:
            names = ", ".join(f"{name} = ?" for name in values)
            words = f"UPDATE {table.name} SET {names} WHERE id = 2"
            connection.exec_driver_sql(words, tuple(values.values()))
        with pytest.raises(SessionError, match="damaged"):
            merge(into, other)
        assert derived(into) == before
        assert into.count() == 5


def test_sub_classes_and_fields_come_along(location, tmp_path):
    """Of one reviewer on two machines the later word stands, with all that it says."""
    given = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge", fields=field_values({"ebv": 0.5}))
    with session_at(location) as here, session_at(tmp_path / "there.speco3", "Ada") as there:
        here.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, subclass="NL"))
        there.record_verdict(1, given)
        there.record_verdict(2, given)
        there.undo()
        assert merge(here, there).lines == 3
        assert here.judgement(1).opinion == given
        assert here.judgement(2) is None
        assert [each.opinion for each in here.history(2)] == [given, Opinion()]
        check(here)
        assert merge(here, there).lines == 0


def test_tasks_may_differ_in_their_sub_classes(tmp_path):
    """As those of a session from before there were any."""
    source = task_source(find_task("CV"))
    older = re.sub(r"\[\[subclasses\]\].*?(?=\[\[windows\]\])", "", source, flags=re.DOTALL)
    path = tmp_path / "cv.toml"
    path.write_text(re.sub(r"subclass_source.*\n", "", older), encoding="utf-8")
    with (
        session_at(tmp_path / "new.speco3") as new,
        new_session(tmp_path / "old.speco3", read_task(path), "Ben") as old,
    ):
        assert old.task.subclasses == ()
        assert old.subclasses == new.subclasses  # those of the program
        add_list(old, [{"path": "/home/Ben/1.fits"}], [], {})
        old.record_verdict(1, ACCEPT)
        assert merge(new, old).lines == 1
