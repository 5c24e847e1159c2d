"""A session on disk: verdicts kept, undone, done again; one writer; nothing but sessions opened."""

import csv
import json
from dataclasses import replace

import pytest
from sqlalchemy import select, update

from agent.tasks.catalogue import find_task
from app.core.database.database import Database
from app.core.database.migrations import VERSION
from app.core.database.tables import judgements, lists, log
from app.core.errors import SessionError, counted_text
from app.core.exporting.export import export
from app.core.exporting.log_file import log_lines
from app.core.report.people_section import counts_section
from app.core.session import verdict_log
from app.core.session.group_acts import MAX_CANDIDATES
from app.core.session.records import Opinion, Verdict
from app.core.session.session import list_roles, new_session, open_session
from app.core.sharing.merge import merge
from app.core.statistics.summary import statistics
from tests.app.core.sessions import ACCEPT, REJECT, UNSURE, change, change_file, made
from tests.app.ui.candidates import take_sample
from tests.night import BY_NIGHT


def test_a_verdict_is_there_after_a_restart(location):
    full = Opinion(
        verdict=Verdict.ACCEPT, confidence=3, flags=("variable",), comment="Hα 宽 \U0001f31f"
    )
    with made(location) as session:
        entry = session.record_verdict(2, full, seconds=4.5, shown={"verdict": "YES"})
        assert (entry.candidate_id, entry.action, entry.reviewer) == (2, "set", "Ada")
        identity = session.id
    with open_session(location, "Ada") as session:
        assert session.judgement(2).opinion == full
        assert session.judgement(1) is None
        (line,) = session.history()
        assert line == entry
        assert (line.seconds, dict(line.shown)) == (4.5, {"verdict": "YES"})
        assert session.id == identity
        assert session.task == find_task("CV")


def test_a_newer_session_is_refused(file_location):
    made(file_location).close()
    change_file(file_location, "PRAGMA user_version = 999")
    with pytest.raises(SessionError, match="newer version"):
        open_session(file_location, "Ada")
    change_file(file_location, f"PRAGMA user_version = {VERSION}")
    open_session(file_location, "Ada").close()


def test_task_and_facts_go_with_it_and_nothing_is_overwritten(location):
    with made(location) as session:
        assert session.task.windows == find_task("CV").windows
        session.set_fact("blind", json.dumps(True))
        with pytest.raises(SessionError):
            session.record_verdict(99, ACCEPT)
        with pytest.raises(SessionError, match="no candidate 99"):
            session.candidate(99)
        assert [each.id for each in session.candidates([4, 99, 2])] == [4, 2]
    with pytest.raises(SessionError, match="already"):
        new_session(location, find_task("CV"), "Ben")
    with open_session(location, "Ada") as session:
        assert session.fact("blind") == "true"
        assert session.fact("none") is None


def test_a_database_of_no_kind_we_know():
    with pytest.raises(SessionError, match="PostgreSQL"):
        Database("mysql://host/db", "write")
    with pytest.raises(SessionError, match="neither"):
        Database("://", "write")


def test_roles_name_the_column_of_the_label_and_damaged_ones_are_left_out(tmp_path):
    with new_session(tmp_path / "night", find_task("CV"), "Ada") as session:
        take_sample(session, 2)
        assert list_roles(session)[1]["label"] == "subclass"
        for text, found in (("no JSON", {}), ("[1]", {}), ('{"ra": 1, "dec": "d"}', {"dec": "d"})):
            change(session, update(lists).values(roles=text))
            assert list_roles(session) == {1: found}


# Opinions are checked before they are stored.
def test_opinions_that_cannot_be_kept(location):
    with made(location) as session:
        for opinion in [
            Opinion(confidence=5), Opinion(confidence=-1), Opinion(comment="x" * 10_001),
            Opinion(comment="a\0b"), Opinion(flags=("",)), Opinion(flags=("a",) * 33),
        ]:  # fmt: skip
            with pytest.raises(SessionError):
                session.record_verdict(1, opinion)
            assert list(session.history()) == []


# Numbers of things.
def test_one_and_many():
    assert counted_text(1, "row") == "1 row"
    assert counted_text(0, "row") == "0 rows"
    assert counted_text(2000, "spectrum", "spectra") == "2,000 spectra"
    assert counted_text(1, "spectrum", "spectra") == "1 spectrum"


# Several candidates judged in one act: all or none of them, and one undo takes all back.
def rejected(opinion):
    return replace(opinion, verdict=Verdict.REJECT)


def verdicts(session):
    # Few of the many, which takes long one by one.
    judged = session.database.scalars(select(judgements.c.candidate_id).distinct())
    found = {n: session.judgement(n) for n in sorted(judged)}
    return {n: str(each.opinion.verdict) for n, each in found.items() if each is not None}


@pytest.fixture
def session(tmp_path):
    with made(tmp_path / "night.speco3", 600) as session:
        yield session


@pytest.mark.parametrize("count", [2, 500 if BY_NIGHT else 100])
def test_one_undo_takes_all_back_and_one_redo_gives_them_again(session, count):
    session.record_verdict(2, Opinion(verdict=Verdict.ACCEPT, confidence=3, flags=("star",)))
    before = verdicts(session)
    changes = []
    session.changed.connect(changes.append)
    entries = session.record_group_act(range(1, count + 1), rejected, place="overview")
    assert len(entries) == count
    assert session.judgement(2).opinion == Opinion(
        verdict=Verdict.REJECT, confidence=3, flags=("star",)
    )
    assert [len(each.candidate_ids) for each in changes] == [count]
    after = verdicts(session)
    assert set(after.values()) == {"REJECT"}
    assert session.size_of_next("undo") == count
    assert session.undo().others == count - 1
    assert verdicts(session) == before
    assert session.size_of_next("redo") == count
    assert session.redo().others == count - 1
    assert verdicts(session) == after
    session.undo()
    session.undo()
    assert verdicts(session) == {}
    assert session.undo() is None


def test_only_the_act_is_undone(session):
    session.record_verdict(1, UNSURE)
    session.record_group_act([3, 4, 5], rejected, place="overview")
    session.record_verdict(6, ACCEPT)
    session.undo()
    assert verdicts(session) == {1: "UNSURE", 3: "REJECT", 4: "REJECT", 5: "REJECT"}
    session.undo()
    assert verdicts(session) == {1: "UNSURE"}
    session.redo()
    assert verdicts(session) == {1: "UNSURE", 3: "REJECT", 4: "REJECT", 5: "REJECT"}
    session.redo()
    assert verdicts(session)[6] == "ACCEPT"


def test_after_a_restart(session, tmp_path):
    session.record_group_act([3, 4, 5], rejected, place="overview")
    session.close()
    with open_session(tmp_path / "night.speco3", session.reviewer) as again:
        assert again.undo().others == 2
        assert verdicts(again) == {}


def test_two_acts_side_by_side_are_two(session):
    session.record_group_act([1, 2], rejected, place="overview")
    session.record_group_act([3, 4], rejected, place="overview")
    session.undo()
    assert set(verdicts(session)) == {1, 2}
    session.undo()
    assert verdicts(session) == {}
    session.redo()
    assert set(verdicts(session)) == {1, 2}


def test_all_or_nothing_and_not_too_many(session, monkeypatch):
    with pytest.raises(SessionError, match="no candidate 9999"):
        session.record_group_act([1, 2, 9999], rejected, place="overview")
    assert verdicts(session) == {}
    assert not list(session.history())
    assert session.size_of_next("undo") == 0
    with pytest.raises(SessionError, match="at most"):
        session.record_group_act(range(1, MAX_CANDIDATES + 2), rejected, place="overview")


def test_who_thinks_so_already_has_no_line(session):
    session.record_verdict(1, REJECT)
    entries = session.record_group_act([1, 2], rejected, place="overview")
    assert [each.candidate_id for each in entries] == [2]
    session.undo()
    assert verdicts(session) == {1: "REJECT"}
    assert session.record_group_act([1], rejected, place="overview") == []


@pytest.mark.parametrize("fact", ["", "1", "a b c", "1 999999999999999999 x", "9 1 x", "-1 5 x"])
def test_a_damaged_fact_undoes_no_more_than_there_is(session, fact):
    session.record_group_act([1, 2, 3], rejected, place="overview")
    with session.database.writing() as connection:
        last = verdict_log.history_page(connection)[-1].id
    session.set_fact(f"act:{last}", fact)
    while session.undo() is not None:
        pass
    assert verdicts(session) == {}


def test_the_order_in_which_it_was_met_stays_with_a_verdict(location, tmp_path):
    """Through flags, undo and redo, an act, a merge; told by log, export and statistics."""
    flagged = replace(ACCEPT, flags=("noisy",))
    with made(location, 5) as session:
        session.record_verdict(1, Opinion(comment="?"), order_met="list:up")
        session.record_verdict(1, ACCEPT, order_met="learned:mixed")
        session.record_verdict(1, flagged, order_met="snr:down")
        session.record_verdict(2, REJECT)
        session.record_group_act([3, 4], lambda _: REJECT, place="overview", order_met="list:up")
        session.record_verdict(1, replace(flagged, verdict=Verdict.UNSURE), order_met="random:7")
        session.undo()
        met = [each.order_met for each in session.history()]
        assert met == ["list:up", *2 * ["learned:mixed"], "", *2 * ["list:up"], "random:7", ""]
        session.redo()
        session.undo()
        with made(tmp_path / "b.speco3", 5, "Ben") as other:
            merge(other, session)
            merge(session, other)
            for each in (session, other):
                table = export(each, tmp_path / "a.csv", which="all")
                assert "order_met" in table.columns
                with (tmp_path / "a.csv").open(encoding="utf-8") as file:
                    cells = [row["order_met"] for row in csv.DictReader(file)]
                assert cells == ["learned:mixed", "", "list:up", "list:up", ""]
        assert "order learned:mixed" in list(log_lines(session, 1))[1]
        told = statistics(session).orders
        assert told.startswith("Accepted by order of the queue: learned 1 of 1, list 0 of 2; ")
        assert told in str(counts_section(statistics(session)))


def test_verdicts_of_a_list_judged_as_listed_say_nothing_of_orders(tmp_path):
    with made(tmp_path / "a.speco3", 2) as session:
        session.record_verdict(1, ACCEPT)
        assert "order_met" not in export(session, tmp_path / "a.csv", which="all").columns
        session.record_verdict(2, ACCEPT, order_met="list:up")
        assert statistics(session).orders == ""
        change(session, update(log).values(order_met='own."\x1b[1m":up'))
        assert "queue: own 2 of 2; " in statistics(session).orders
