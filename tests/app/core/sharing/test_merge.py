"""Several people's sessions in one: nothing is lost, nothing comes twice, the later word stands."""

import re
from dataclasses import replace

import pytest
from sqlalchemy import insert, select, text

from agent.tasks.catalogue import find_task, task_source
from agent.tasks.task_file import read_task
from app.core.database.database import write_facts
from app.core.database.tables import candidates, facts, inspections, log, packed_spectra
from app.core.errors import SessionError
from app.core.inspections.ratings import PREFIX, all_ratings, rate, rating_from
from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.progress import StoppedError
from app.core.session.group_acts import acts, write_act
from app.core.session.measurements import measurements_of, record_measurement, withdraw_measurement
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.session.subclass_and_fields import field_values
from app.core.sharing import merged_facts
from app.core.sharing.merge import merge
from app.core.statistics.adjudication import set_adjudicator
from app.core.statistics.agents import read_agent
from app.core.statistics.calibration import calibration_sample
from app.core.statistics.people import reviewer_agreement
from app.core.statistics.summary import statistics
from app.core.statistics.verdicts import read_verdicts
from tests.app.core.exporting.catalogues import add_list, listed
from tests.app.core.judged_sessions import A, R, inspect, say
from tests.app.core.session.test_measurements import BARE, HALPHA
from tests.app.core.session.test_rebuild import derived, moment
from tests.app.core.sessions import change
from tests.app.core.sharing.merged_sessions import (
    ACCEPT,
    REJECT,
    UNSURE,
    check,
    copy_of,
    inspected,
    log_of,
    session_at,
    verdicts,
)
from tests.app.ui.judge.agent.trajectories import record


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
        assert report.reviewers == ("Ben",) and report.conflicts == ()
        (differ,) = report.disagreements
        found = (differ.candidate_id, [each.reviewer for each in differ.judgements])
        assert found == (2, ["Ada", "Ben"])
        assert verdicts(ada) == {
            (1, "Ada"): "ACCEPT", (2, "Ada"): "ACCEPT", (2, "Ben"): "REJECT", (6, "Ben"): "UNSURE",
        }  # fmt: skip
        merged = list(ada.history())[2]
        assert (merged.seconds, dict(merged.shown)) == (2.5, {"verdict": "YES"})
        assert ada.candidate(6).path == "/home/Ben/6.fits"
        assert ada.judgements(6)[0].opinion.comment == "宽"
        lines = ada.database.rows(select(log).order_by(log.c.id))
        found = [(line.origin, line.origin_id) for line in lines]
        assert found == [*(("", None), ("", None), (ben.id, 1), (ben.id, 2))]
        check(ada)
        again = merge(ada, ben)
        assert (again.matched, again.candidates, again.lines, again.lists) == (6, 0, 0, 0)
        assert again.conflicts == () and len(again.disagreements) == 1
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
            (1, "Ada"): "REJECT", (2, "Ada"): "ACCEPT", (3, "Ada"): "UNSURE", (4, "Ada"): "UNSURE",
            (5, "Ada"): "ACCEPT",
        }  # fmt: skip
        found = {
            each.candidate_id: (each.kept.opinion.verdict, each.set_aside.opinion.verdict)
            for each in report.conflicts
        }
        assert found == {1: ("REJECT", "ACCEPT"), 2: ("ACCEPT", "REJECT")}
        assert report.conflicts[0].object_id == "J000001" and report.disagreements == ()
        assert merge(here, there).conflicts == ()
        check(here)


def test_another_task_is_refused(into, tmp_path):
    with new_session(tmp_path / "b.speco3", find_task("WD"), "Ben") as other:
        add_list(other, [{}], [], {})
        other.record_verdict(1, ACCEPT)
        with pytest.raises(SessionError, match="another task"):
            merge(into, other)
        assert verdicts(into) == {}


def test_not_into_itself_whatever_it_is_called(tmp_path):
    location = tmp_path / "a.speco3"
    link = tmp_path / "link.speco3"
    link.symlink_to(location)
    with session_at(location) as into:
        with pytest.raises(SessionError, match="itself"):
            merge(into, into)
        for name in (location, link, tmp_path / "." / "a.speco3"):
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
def test_a_session_without_a_proper_id_is_refused(into, other, number):
    """Its lines would count as written here."""
    other.record_verdict(1, ACCEPT)
    other.set_fact("id", number)
    with pytest.raises(SessionError, match="damaged"):
        merge(into, other)
    assert log_of(into) == []


def test_what_is_settled_is_no_disagreement(into, other):
    for number in (1, 2):
        into.record_verdict(number, ACCEPT)
        other.record_verdict(number, REJECT)
    assert len(merge(into, other).disagreements) == 2
    into.reviewer = "Chief"
    into.record_verdict(1, REJECT)
    set_adjudicator(into, "Chief")
    assert [each.candidate_id for each in merge(into, other).disagreements] == [2]


def test_all_or_nothing(into, tmp_path):
    with session_at(tmp_path / "b.speco3", "Ben", 1200) as other:
        other.record_verdict(1, ACCEPT)
        told = iter([False, False, True])
        with pytest.raises(StoppedError):
            merge(into, other, should_stop=lambda: next(told))
        assert into.count() == 5 and log_of(into) == []
        assert merge(into, other).candidates == 1195


@pytest.mark.parametrize(("table", "values"), [
    (log, {"action": "judge"}), (log, {"verdict": "MAYBE"}), (log, {"flags": "{}"}),
    (log, {"shown": "["}), (log, {"at": "zzzz"}), (log, {"at": "2026-01-01T00:00:00+02:00"}),
    (log, {"before_id": 77}), (log, {"before_id": 2}), (log, {"origin": b"x"}),
    (log, {"origin": "x", "origin_id": "y"}), (inspections, {"p_yes": 3.0}),
    (inspections, {"verdict": "MAYBE"}), (inspections, {"record": b"\0"}),
    (candidates, {"row": "x"}), (candidates, {"own": "[]"}),
])  # fmt: skip
def test_a_damaged_one_brings_nothing(into, other, table, values):
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
    assert derived(into) == before and into.count() == 5


def test_sub_classes_and_fields_come_along(location, tmp_path):
    """Of one reviewer on two machines the later word stands, with all that it says."""
    given = Opinion(verdict=Verdict.ACCEPT, subclass="DN/WZ Sge", fields=field_values({"ebv": 0.5}))
    with session_at(location) as here, session_at(tmp_path / "there.speco3", "Ada") as there:
        here.record_verdict(1, Opinion(verdict=Verdict.ACCEPT, subclass="NL"))
        there.record_verdict(1, given)
        there.record_verdict(2, given)
        there.undo()
        assert merge(here, there).lines == 3
        assert here.judgement(1).opinion == given and here.judgement(2) is None
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


# What was judged in one act is known as one act after a merge, in any order, and only that.
def reject(former):
    return replace(former, verdict=Verdict.REJECT)


def alone(session):
    verdicts = read_verdicts(session).one_by_one
    pairs = zip(verdicts.candidate.tolist(), verdicts.reviewer.tolist(), strict=True)
    return {(number, verdicts.names[who]) for number, who in pairs}


def act_count(session):
    with session.database.reading() as connection:
        return sum(len(each) for each in acts(connection).values())


def test_agreement_and_calibration_leave_it_out_here_as_there(location, tmp_path):
    with session_at(location) as here, session_at(tmp_path / "there.speco3", "Ben") as there:
        say(here, "Ada", {1: R, 2: R, 3: A, 4: A})
        inspect(here, "nano", dict.fromkeys(range(1, 6), ("NO", 0.2)))
        there.record_group_act([1, 2, 3], reject, place="overview")
        say(there, "Ben", {4: A, 5: R})
        merge(here, there)
        assert act_count(here) == 1
        assert alone(here) == {*((n, "Ada") for n in range(1, 5)), (4, "Ben"), (5, "Ben")}
        (pair,) = reviewer_agreement(read_verdicts(here).one_by_one).pairs
        assert pair.every.n == 1
        assert [each.every.n for each in statistics(here).people.pairs] == [1]
        sample = calibration_sample(read_verdicts(here), read_agent(here, "nano", "ab" * 32))
        assert (len(sample.judged), sample.together) == (5, 0)
        merge(here, there)
        assert act_count(here) == 1


def test_acts_of_two_people_that_overlap_both_come(into, other):
    """As on a server, where the lines of others lie between."""
    for number in range(1, 4):
        say(other, "Ben", {number: R})
        say(other, "Cyd", {number: R})
    with other.database.writing() as connection:
        for first, last in ((1, 5), (2, 6)):
            write_act(connection, first, last, "overview")
    assert alone(other) == set()
    merge(into, other)
    assert act_count(into) == 2 and alone(into) == set()


def test_by_way_of_a_third_file_and_back(tmp_path):
    first, second, third = (
        session_at(tmp_path / f"{name}.speco3", name) for name in ("Ada", "Ben", "Cyd")
    )
    with first, second, third:
        first.record_group_act([1, 2, 3], reject, place="overview")
        say(second, "Ben", {1: A})
        say(third, "Cyd", {2: A})
        merge(second, first)
        merge(third, second)
        merge(third, first)
        merge(first, third)
        for session in (first, second, third):
            assert act_count(session) == 1
            assert not [pair for pair in alone(session) if pair[1] == "Ada"]
        assert first.undo().others == 2


def test_where_an_older_program_has_merged_the_lines_the_act_comes_later(into, other):
    other.record_group_act([1, 2, 3], reject, place="overview")
    merge(into, other)
    change(into, "DELETE FROM facts WHERE key LIKE 'act:%'")
    assert len(alone(into)) == 3
    merge(into, other)
    assert alone(into) == set()


def test_no_other_session_takes_our_verdicts_out(tmp_path):
    """A copy with our lines claims that they were one act, or that more was in one than was."""
    place = tmp_path / "a.speco3"
    with session_at(place) as here:
        say(here, "Ada", {1: A, 2: A, 3: R})
    with open_session(place, "Ada") as here:
        forged = copy_of(place, "forged")
        with open_session(forged, "Ben") as other:
            say(other, "Ben", {1: A, 2: R})
            for notes in ({"act:1": "1 3 overview"}, {"act:1": "1 99 x", "act:4": "4 999999 x"}):
                with other.database.writing() as connection:
                    write_facts(connection, notes)
                merge(here, other)
        assert act_count(here) == 0 and len(alone(here)) == 5


# Measurements by hand are merged: in any order, any number of times.
def told(session):
    return sorted(
        (each.candidate_id, each.reviewer, each.at, each.measurement.line, each.is_withdrawn)
        for each in measurements_of(session, with_withdrawn=True)
    )


def test_two_machines_agree_whatever_the_order(tmp_path):
    with session_at(tmp_path / "a.speco3") as ada:
        first = record_measurement(ada, 1, HALPHA)
    copy_of(tmp_path / "a.speco3", "b")
    with open_session(tmp_path / "b.speco3", "Ben") as ben:
        record_measurement(ben, 1, HALPHA)
        withdraw_measurement(ben, record_measurement(ben, 2, BARE).id)
    with open_session(tmp_path / "a.speco3", "Ada") as ada:
        withdraw_measurement(ada, first.id)
        record_measurement(ada, 3, BARE)
    with (
        open_session(tmp_path / "a.speco3", "Ada") as ada,
        open_session(tmp_path / "b.speco3", "Ben") as ben,
    ):
        assert merge(ada, ben).measurements == 2
        assert merge(ben, ada).measurements == 1
        assert told(ada) == told(ben) and [line[0] for line in told(ada)] == [1, 1, 2, 3]
        assert [line[-1] for line in told(ada) if line[1] == "Ada"] == [True, False]
        before = told(ada)
        assert merge(ada, ben).measurements == merge(ben, ada).measurements == 0
        assert told(ada) == told(ben) == before


def test_new_candidates_bring_theirs(into, wider):
    record_measurement(wider, 6, HALPHA)
    assert merge(into, wider).measurements == 1
    assert [line[:2] for line in told(into)] == [(6, "Ben")]


# Ratings come along in a merge, under the numbers of the target; the later one counts.
ONE = record(replies=("a", "b"))


def scores(session):
    return sorted((number, each.by, each.overall) for number, each in all_ratings(session))


def test_ratings_are_merged_once(location, tmp_path):
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben", 6) as ben:
        rate(ada, 1, ONE, 5)
        rate(ben, 2, ONE, 1)
        rate(ben, 6, ONE, 3)
        rate(ben, 6, ONE, 3)  # taken back
        merge(ada, ben)
        assert scores(ada) == [(1, "Ada", 5), (2, "Ben", 1)]
        merge(ada, ben)
        assert scores(ada) == [(1, "Ada", 5), (2, "Ben", 1)]


def test_the_later_of_two_counts(location, tmp_path, monkeypatch):
    with session_at(location) as here, session_at(tmp_path / "there.speco3") as there:
        for session, score, year in ((here, 1, 2025), (there, 4, 2026)):
            monkeypatch.setattr(
                "app.core.inspections.ratings.timestamp", lambda y=year: f"{y}-01-01"
            )
            rate(session, 1, ONE, score)
        merge(here, there)
        merge(there, here)
        assert scores(here) == scores(there) == [(1, "Ada", 4)]


def test_what_is_no_rating_stays_behind(location, tmp_path):
    with session_at(location) as here, session_at(tmp_path / "there.speco3") as there:
        rate(there, 1, ONE, 2)
        text = there.fact(next(key for key in there._facts if key.startswith(PREFIX)))
        for key in ("x:y:Ada", "12345:y:Ada", f"1:{'y' * 400}:Ada"):
            there.set_fact(PREFIX + key, text)
        there.set_fact(PREFIX + "1:y:Eve", '{"kind": "rating", "by": 5}')
        merge(here, there)
        assert scores(here) == [(1, "Ada", 2)] and rating_from(text).overall == 2


# Which results reviewers had seen is merged.
def test_what_was_seen_comes_along(location, tmp_path):
    """Under the numbers here; what both know is the sum of both, and a second time brings none."""
    with session_at(location) as ada, session_at(tmp_path / "ben.speco3", "Ben", 6) as ben:
        record_seen(ada, {1: SeenResult(model="nano"), 3: SeenResult(in_blind=True)})
        record_seen(ben, {6: SeenResult(model="nano: 7b", in_blind=True), 2: SeenResult()})
        with ben.database.writing() as connection:  # Ada had sat at Ben's, too
            ours = [("seen:1:Ada", "bother"), ("seen:3:Ada", "o"), ("seen:4:Ada", "onano")]
            rows = [{"key": key, "value": value} for key, value in ours]
            connection.execute(insert(facts), rows)
        assert merge(ada, ben).seen == 4
        assert read_seen(ada, 1) == SeenResult(model="nano", in_blind=True)
        assert read_seen(ada, 3) == SeenResult(in_blind=True)
        assert read_seen(ada, 4) == SeenResult(model="nano")
        assert merge(ada, ben).seen == 0
    with open_session(location, "Ben") as session_of_ben:
        assert read_seen(session_of_ben, 6) == SeenResult(model="nano: 7b", in_blind=True)
        assert read_seen(session_of_ben, 2) == SeenResult()
        assert read_seen(session_of_ben, 1) is None


def test_two_models_seen_on_two_machines(tmp_path):
    """All files name the same one of them."""
    with session_at(tmp_path / "a.speco3") as one, session_at(tmp_path / "b.speco3") as two:
        record_seen(one, {1: SeenResult(model="nano"), 2: SeenResult(model="nano")})
        record_seen(two, {1: SeenResult(model="large"), 2: SeenResult(in_blind=True)})
        merge(one, two)
        merge(two, one)
        for session in (one, two):
            assert read_seen(session, 1) == SeenResult(model="large")
            assert read_seen(session, 2) == SeenResult(model="nano", in_blind=True)


def test_many_that_were_seen(location, tmp_path, monkeypatch):
    monkeypatch.setattr(merged_facts, "MAX_IDS", 3)
    with session_at(location, count=8) as ada, session_at(tmp_path / "ben.speco3", "Ben", 8) as ben:
        record_seen(ben, {number: SeenResult(model=f"m{number}") for number in range(1, 9)})
        assert merge(ada, ben).seen == 8
    with open_session(location, "Ben") as again:
        found = [read_seen(again, number) for number in range(1, 9)]
        assert found == [SeenResult(model=f"m{number}") for number in range(1, 9)]


@pytest.mark.parametrize(("key", "value"), [
    ("seen:99:Ben", "o"), ("seen:x:Ben", "o"), ("seen:1:", "o"), ("seen:1:Be\nn", "o"),
    ("seen:1:Ben", "o" + "m" * 300), ("seen:" + "9" * 30 + ":Ben", "o"), ("seen:1:Ben", b"o"),
])  # fmt: skip
def test_what_a_stranger_writes_of_it(into, other, key, value):
    change(other, text("INSERT INTO facts VALUES (:k, :v)"), {"k": key, "v": value})
    with pytest.raises(SessionError, match="damaged"):
        merge(into, other)
    assert read_seen(into, 1) is None


# Candidates of two sessions are matched by object and file.
def test_who_is_who(tmp_path):
    """By object and file name, whatever the folder; else by the file's hash; else it is new."""
    here = [
        {"object_id": "A", "path": "/x/1.fits"},
        {"object_id": "A", "path": "/x/1.fits", "row": 5},
        {"object_id": "B", "path": "/x/2.fits", "file_sha256": "aa"},
        {"object_id": "C", "path": "/x/3.fits"},
        {"object_id": "C", "path": "/x/3.fits"},
        {"object_id": "", "path": "/x/same.fits"},
    ]
    there = [
        {"object_id": "A", "path": "C:\\y\\1.fits", "row": 5},
        {"object_id": "other name", "path": "/z/copy.fits", "file_sha256": "aa"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "C", "path": "/y/3.fits"},
        {"object_id": "D", "path": "/x/1.fits"},
        {"object_id": "", "path": "/q/same.fits"},
        {"object_id": "A", "path": "/x/1.fits", "row": 6},
    ]
    with listed(tmp_path / "a.speco3", here) as into, listed(tmp_path / "b.speco3", there) as other:
        for number in range(1, 9):
            other.record_verdict(number, Opinion(comment=f"there {number}"))
        report = merge(into, other)
        assert (report.matched, report.candidates, report.lists) == (5, 3, 0)
        said = {
            number: [each.opinion.comment for each in into.judgements(number)]
            for number in range(1, into.count() + 1)
        }
        assert said == {
            1: [], 2: ["there 1"], 3: ["there 2"], 4: ["there 3"], 5: ["there 4"], 6: ["there 7"],
            7: ["there 5"], 8: ["there 6"], 9: ["there 8"],
        }  # fmt: skip
        assert merge(into, other).matched == 8


def test_new_candidates_bring_all_they_have(into, other):
    columns = [{"name": "Teff", "type": "float", "unit": "K"}]
    row = {"object_id": "new", "path": "/b/n.fits", "ra": 1.5, "dec": -2.5, "score": 0.5}
    row |= {"label": "CV", "snr": 7.0, "own": {"Teff": 1.0}, "file_sha256": "ab", "fault": "bad"}
    add_list(other, [row], columns, {"score": "p"}, path="/b/other.csv")
    with other.database.writing() as connection:
        values = {"candidate_id": 6, "sha256": "x", "content": b"abc"}
        connection.execute(insert(packed_spectra).values(values))
    report = merge(into, other)
    assert (report.candidates, report.lists) == (1, 1)
    assert into.candidate(6) == replace(other.candidate(6), list_id=2, fault="")
    with into.database.reading() as connection:
        packed = connection.execute(select(packed_spectra)).one()
    assert (packed.candidate_id, packed.content) == (6, b"abc")
    assert merge(into, other).lists == 0
