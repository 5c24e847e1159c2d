"""Several people's sessions in one: nothing is lost, nothing comes twice, the later word stands."""

from __future__ import annotations

import itertools
import random
import shutil
from dataclasses import replace

import pytest
from sqlalchemy import insert, select, text

from agent.tasks.catalogue import find_task
from app.core.database.tables import candidates, facts, inspections, log, packed_spectra
from app.core.errors import SessionError
from app.core.inspections.seen import SeenResult, read_seen, record_seen
from app.core.inspections.shown_opinion import show_model, shown_model
from app.core.progress import StoppedError
from app.core.session import verdict_log
from app.core.session.records import Change, Opinion, Verdict
from app.core.session.session import new_session, open_session
from app.core.sharing import merge, seen_facts
from app.core.statistics.adjudication import set_adjudicator
from app.core.statistics.repeats import record_repeat, repeats_of, withdraw_repeat
from tests.app.core.exporting.catalogues import add_list, listed
from tests.app.core.session.test_rebuild import derived, moment, press, rebuilt
from tests.night import seeds

ACCEPT, REJECT, UNSURE = (Opinion(verdict=verdict) for verdict in Verdict)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """A second later each time somebody asks."""
    seconds = itertools.count(1)
    monkeypatch.setattr(verdict_log, "now", lambda: moment(next(seconds)))


def session(place, reviewer="Ada", count=5, **more):
    rows = [{"path": f"/home/{reviewer}/{number}.fits"} for number in range(1, count + 1)]
    return listed(place, rows, reviewer=reviewer, **more)


def copy_of(place, name):
    copied = place.with_name(f"{name}.speco3")
    shutil.copy(place, copied)
    return copied


def verdicts(session, reviewer=None):
    """By candidate and reviewer."""
    found = {}
    for number in range(1, session.count() + 1):
        for each in session.judgements(number):
            if reviewer in (None, each.reviewer):
                found[number, each.reviewer] = each.opinion.verdict
    return found


def words(session):
    """Every line of the log, without numbers."""
    with session.database.reading() as connection:
        rows = connection.execute(select(log, candidates.c.object_id).join(candidates)).all()
    return sorted((row.at, row.object_id, row.action, str(row.verdict)) for row in rows)


def check(session):
    assert rebuilt(session) == derived(session)
    with session.database.reading() as connection:
        if session.database.is_file:
            assert connection.exec_driver_sql("PRAGMA foreign_key_check").all() == []
        for line in connection.execute(select(log)):
            pointers = (line.before_id, line.below_id, line.target_id)
            assert all(each is None or each < line.id for each in pointers)


def test_two_people(place, tmp_path):
    """Ada's on a disk or a server, Ben's a file: the same objects under other folders."""
    with session(place) as ada, session(tmp_path / "ben.speco3", "Ben", 6) as ben:
        ada.record_verdict(1, ACCEPT)
        ada.record_verdict(2, ACCEPT)
        ben.record_verdict(2, REJECT, seconds=2.5, shown={"verdict": "YES"})
        ben.record_verdict(6, Opinion(verdict=Verdict.UNSURE, comment="宽", flags=("a",)))
        told: list[Change] = []
        ada.changed.connect(told.append)
        steps = []
        report = merge(ada, ben, progress=lambda *done: steps.append(done))
        assert {each.aspect for each in told} == {"list", "verdict", "inspection"}
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
        assert len(words(ada)) == 4


def test_the_later_word_of_one_person_stands(tmp_path):
    with (
        session(tmp_path / "a.speco3") as here,
        session(tmp_path / "b.speco3") as there,
    ):
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


def test_a_copy_that_went_on(tmp_path):
    """Ada begins, Ben works in a copy, Ada in hers: one session with one past."""
    place = tmp_path / "a.speco3"
    with session(place) as ada:
        for number in (1, 2, 3):
            ada.record_verdict(number, ACCEPT)
    with open_session(copy_of(place, "b"), "Ada") as there:
        there.record_verdict(1, REJECT)  # on, from what was there
        there.undo()
        there.undo()  # number 3 taken back
        there.record_verdict(4, REJECT)
        with open_session(place, "Ada") as here:
            here.record_verdict(2, UNSURE)
            here.record_verdict(4, ACCEPT)
            report = merge(here, there)
            assert report.lines == 4
            assert verdicts(here) == {
                (1, "Ada"): "ACCEPT",
                (2, "Ada"): "UNSURE",
                (4, "Ada"): "ACCEPT",
            }
            assert [each.candidate_id for each in report.conflicts] == [4]
            check(here)
            assert merge(here, there).lines == 0


def test_progress_is_no_conflict(tmp_path):
    place = tmp_path / "a.speco3"
    with session(place) as ada:
        ada.record_verdict(1, ACCEPT)
        ada.record_verdict(2, ACCEPT)
    with open_session(copy_of(place, "b"), "Ada") as there, open_session(place, "Ada") as here:
        there.record_verdict(1, REJECT)
        there.record_verdict(1, UNSURE)
        here.record_verdict(2, REJECT)
        there.record_verdict(2, UNSURE)
        there.undo()
        report = merge(here, there)
        assert report.conflicts == ()
        assert verdicts(here) == {(1, "Ada"): "UNSURE", (2, "Ada"): "REJECT"}


def test_undo_goes_on_after_a_merge(tmp_path):
    with session(tmp_path / "a.speco3") as here, session(tmp_path / "b.speco3") as there:
        here.record_verdict(1, ACCEPT)
        here.record_verdict(2, ACCEPT)
        there.record_verdict(1, REJECT)
        there.record_verdict(3, REJECT)
        merge(here, there)
        assert here.undo().candidate_id == 2
        # what was said elsewhere, later, is not taken back here
        assert here.undo().opinion == REJECT
        assert here.undo() is None
        assert verdicts(here) == {(1, "Ada"): "REJECT", (3, "Ada"): "REJECT"}
        check(here)
        assert here.redo().candidate_id == 1
        assert here.redo().opinion == ACCEPT
        assert verdicts(here) == {
            (1, "Ada"): "REJECT",
            (2, "Ada"): "ACCEPT",
            (3, "Ada"): "REJECT",
        }
        here.record_verdict(1, UNSURE)
        assert here.undo().opinion == REJECT
        check(here)


def test_by_way_of_a_third(tmp_path):
    """A into B, B into C, A into C: each line once; and back into A none of its own."""
    places = [tmp_path / f"{name}.speco3" for name in "abc"]
    for place, name in zip(places, ("Ada", "Ben", "Cy"), strict=True):
        with session(place, name) as each:
            each.record_verdict(1, ACCEPT)
            each.record_verdict(2, REJECT)
    a, b, c = (open_session(place, "Dora") for place in places)
    assert merge(b, a).lines == 2
    assert merge(c, b).lines == 4
    assert merge(c, a).lines == 0
    assert merge(a, c).lines == 4
    assert words(a) == words(c)
    for each in (a, b, c):
        check(each)
        each.close()
    with open_session(copy_of(places[0], "copy"), "Eva") as copied:
        copied.record_verdict(1, REJECT)
        with open_session(places[2], "Dora") as c:
            assert merge(c, copied).lines == 1


@pytest.mark.parametrize("seed", seeds(by_day=4, by_night=8))
def test_any_histories_in_any_order(tmp_path, seed):
    chance = random.Random(seed)
    first = tmp_path / "0.speco3"
    with session(first) as each:
        press(each, chance, 10)
    places = [first, copy_of(first, "1"), copy_of(first, "2"), tmp_path / "3.speco3"]
    session(places[3], "Ben").close()
    for _ in range(6):
        with open_session(chance.choice(places), chance.choice(["Ada", "Ben", "Cy"])) as each:
            press(each, chance, 8)
    lines = set()
    for place in places:
        with open_session(place, "Ada", read_only=True) as each:
            lines |= set(words(each))
    ends = []
    for order in ([1, 2, 3], [3, 2, 1]):
        place = copy_of(first, f"end{order[0]}")
        with open_session(place, "Ada") as into:
            for number in order:
                with open_session(places[number], "Ada", read_only=True) as other:
                    merge(into, other)
                    check(into)
            assert words(into) == sorted(lines)
            for number in order:
                with open_session(places[number], "Ada", read_only=True) as other:
                    assert merge(into, other).lines == 0
            assert words(into) == sorted(lines)
            ends.append(
                {
                    (judgement.reviewer, number): (judgement.at, judgement.opinion)
                    for number in range(1, 6)
                    for judgement in into.judgements(number)
                }
            )
            press(into, chance, 30)
            check(into)
    assert ends[0] == ends[1]
    assert ends[0]


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
    with (
        listed(tmp_path / "a.speco3", here) as into,
        listed(tmp_path / "b.speco3", there) as other,
    ):
        for number in range(1, 9):
            other.record_verdict(number, Opinion(comment=f"there {number}"))
        report = merge(into, other)
        assert (report.matched, report.candidates, report.lists) == (5, 3, 0)
        said = {
            number: [each.opinion.comment for each in into.judgements(number)]
            for number in range(1, into.count() + 1)
        }
        assert said == {
            1: [],
            2: ["there 1"],
            3: ["there 2"],
            4: ["there 3"],
            5: ["there 4"],
            6: ["there 7"],
            7: ["there 5"],
            8: ["there 6"],
            9: ["there 8"],
        }
        assert merge(into, other).matched == 8


def test_new_candidates_bring_all_they_have(tmp_path):
    columns = [{"name": "Teff", "type": "float", "unit": "K"}]
    row = {"object_id": "new", "path": "/b/n.fits", "ra": 1.5, "dec": -2.5, "score": 0.5}
    row |= {"label": "CV", "snr": 7.0, "own": {"Teff": 1.0}, "file_sha256": "ab", "fault": "bad"}
    with (
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben") as other,
    ):
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


def inspected(session, number, model, at, verdict):
    about = {"candidate_id": number, "model": model, "model_sha256": "cd", "at": at}
    said = {"verdict": verdict, "p_yes": 0.9 if verdict == "YES" else 0.1}
    more = {"stopped_by": "answer", "well_formed": True, "record": f"{{}} {at}"}
    with session.database.writing() as connection:
        connection.execute(insert(inspections).values(about | said | more))


def agents(session):
    names = ("agent_verdict", "agent_p_yes", "agent_model", "agent_stopped_by", "surprise")
    with session.database.reading() as connection:
        columns = (candidates.c[name] for name in (*names, "agents_differ"))
        return [
            tuple(row) for row in connection.execute(select(*columns).order_by(candidates.c.id))
        ]


def test_what_agents_said(tmp_path):
    with (
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben", 6) as other,
    ):
        inspected(into, 1, "nano", moment(10), "NO")
        inspected(into, 2, "nano", moment(30), "NO")
        inspected(into, 3, "nano", moment(30), "NO")
        inspected(other, 1, "nano", moment(20), "YES")
        inspected(other, 2, "nano", moment(20), "YES")
        inspected(other, 3, "large", moment(20), "YES")
        inspected(other, 6, "large", moment(20), "YES")
        show_model(into, None)
        report = merge(into, other)
        assert report.inspections == 3
        with into.database.reading() as connection:
            rows = connection.execute(select(inspections).order_by(inspections.c.id)).all()
        assert sorted((row.candidate_id, row.model, row.at) for row in rows) == [
            (1, "nano", moment(20)),
            (2, "nano", moment(30)),
            (3, "large", moment(20)),
            (3, "nano", moment(30)),
            (6, "large", moment(20)),
        ]
        found = agents(into)
        assert [each[0] for each in found] == ["YES", "NO", "NO", None, None, "YES"]
        assert [each[5] for each in found] == [False, False, True, False, False, False]
        show_model(into, shown_model(into))
        assert agents(into) == found
        assert merge(into, other).inspections == 0


def test_what_was_said_a_second_time(tmp_path):
    with (
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben") as other,
    ):
        other.record_verdict(2, ACCEPT)
        record_repeat(other, 2, REJECT, seconds=1.0)
        assert merge(into, other).repeats == 1
        assert merge(into, other).repeats == 0
        (repeat,) = repeats_of(into)
        assert repeat.candidate_id == 2
        assert repeat.reviewer == "Ben"
        assert verdicts(into) == {(2, "Ben"): "ACCEPT"}
        into.reviewer = "Ben"
        assert withdraw_repeat(into) is None


def test_another_task_is_refused(tmp_path):
    with (
        session(tmp_path / "a.speco3") as into,
        new_session(tmp_path / "b.speco3", find_task("WD"), "Ben") as other,
    ):
        add_list(other, [{}], [], {})
        other.record_verdict(1, ACCEPT)
        with pytest.raises(SessionError, match="another task"):
            merge(into, other)
        assert verdicts(into) == {}
        assert merge(into, other, any_task=True).lines == 1


def test_not_into_itself(tmp_path):
    place = tmp_path / "a.speco3"
    with session(place) as into, open_session(place, "Ben", read_only=True) as other:
        for same in (into, other):
            with pytest.raises(SessionError, match="itself"):
                merge(into, same)


def test_not_into_itself_whatever_it_is_called(tmp_path):
    place = tmp_path / "a.speco3"
    link = tmp_path / "link.speco3"
    link.symlink_to(place)
    with session(place) as into:
        for name in (link, tmp_path / "." / "a.speco3"):
            with (
                open_session(name, "Ben", read_only=True) as other,
                pytest.raises(SessionError, match="itself"),
            ):
                merge(into, other)


def test_a_team_s_not_into_itself_nor_is_a_copy_refused(cluster, tmp_path):
    first, second = cluster.new_database(), cluster.new_database()
    url = cluster.url(first)
    with session(url) as into:
        into.record_verdict(1, ACCEPT)
        folder = str(cluster.folder)
        for other_url in (url, f"postgresql://postgres@/{first}?host={folder}&port=5432"):
            with (
                open_session(other_url, "Ben", read_only=True) as other,
                pytest.raises(SessionError, match="itself"),
            ):
                merge(into, other)
        with session(cluster.url(second), "Ben") as other:
            other.record_verdict(2, REJECT)
            assert merge(into, other).lines == 1
            assert merge(into, other).lines == 0
        with session(tmp_path / "c.speco3", "Cy") as other:
            other.record_verdict(1, REJECT)
            report = merge(into, other)
            assert [each.candidate_id for each in report.disagreements] == [1]
            assert merge(other, into).lines == 2
            assert verdicts(other) == verdicts(into)
    cluster.drop(first)
    cluster.drop(second)


def test_what_is_settled_is_no_disagreement(tmp_path):
    with (
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben") as other,
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
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben", 1200) as other,
    ):
        other.record_verdict(1, ACCEPT)
        told = iter([False, False, True])
        with pytest.raises(StoppedError):
            merge(into, other, should_stop=lambda: next(told))
        assert into.count() == 5
        assert words(into) == []
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
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben") as other,
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


def test_no_more_people_than_bits(tmp_path):
    with (
        session(tmp_path / "a.speco3") as into,
        session(tmp_path / "b.speco3", "Ben") as other,
    ):
        for target, first in ((into, 0), (other, 40)):
            with target.database.writing() as connection:
                for number in range(first, first + 35):
                    verdict_log.reviewer_id(connection, f"person {number}")
        with pytest.raises(SessionError, match="at most 60 reviewers"):
            merge(into, other)


def test_what_was_seen_comes_along(place, tmp_path):
    """Under the numbers here; what both know is the sum of both, and a second time brings none."""
    with session(place) as ada, session(tmp_path / "ben.speco3", "Ben", 6) as ben:
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
    with open_session(place, "Ben") as session_of_ben:
        assert read_seen(session_of_ben, 6) == SeenResult(model="nano: 7b", in_blind=True)
        assert read_seen(session_of_ben, 2) == SeenResult()
        assert read_seen(session_of_ben, 1) is None


def test_many_that_were_seen(place, tmp_path, monkeypatch):
    monkeypatch.setattr(seen_facts, "MAX_IDS", 3)
    with session(place, count=8) as ada, session(tmp_path / "ben.speco3", "Ben", 8) as ben:
        record_seen(ben, {number: SeenResult(model=f"m{number}") for number in range(1, 9)})
        assert merge(ada, ben).seen == 8
    with open_session(place, "Ben") as again:
        found = [read_seen(again, number) for number in range(1, 9)]
        assert found == [SeenResult(model=f"m{number}") for number in range(1, 9)]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seen:99:Ben", "o"),
        ("seen:x:Ben", "o"),
        ("seen:1:", "o"),
        ("seen:1:Be\nn", "o"),
        ("seen:1:Ben", "o" + "m" * 300),
        ("seen:" + "9" * 30 + ":Ben", "o"),
        ("seen:1:Ben", b"o"),
    ],
)
def test_what_a_stranger_writes_of_it(place, tmp_path, key, value):
    with session(place) as ada, session(tmp_path / "ben.speco3", "Ben") as ben:
        with ben.database.writing() as connection:
            connection.execute(text("INSERT INTO facts VALUES (:k, :v)"), {"k": key, "v": value})
        with pytest.raises(SessionError, match="damaged"):
            merge(ada, ben)
        assert read_seen(ada, 1) is None
