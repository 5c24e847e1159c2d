"""Merged logs: every line once, and undo still works."""

import random

import pytest

from app.core.errors import SessionError
from app.core.session import verdict_log
from app.core.session.session import open_session
from app.core.sharing.merge import merge
from tests.app.core.session.test_rebuild import moment, press
from tests.app.core.sharing.merged_sessions import (
    ACCEPT,
    REJECT,
    UNSURE,
    check,
    copy_of,
    log_of,
    session_at,
    verdicts,
)
from tests.night import seeds


def test_a_copy_that_went_on(tmp_path):
    """Ada begins, Ben works in a copy, Ada in hers: one session with one past."""
    location = tmp_path / "a.speco3"
    with session_at(location) as ada:
        for number in (1, 2, 3):
            ada.record_verdict(number, ACCEPT)
    with open_session(copy_of(location, "b"), "Ada") as there:
        there.record_verdict(1, REJECT)  # on, from what was there
        there.undo()
        there.undo()  # number 3 taken back
        there.record_verdict(4, REJECT)
        with open_session(location, "Ada") as here:
            here.record_verdict(2, UNSURE)
            here.record_verdict(4, ACCEPT)
            report = merge(here, there)
            assert report.lines == 4
            found = verdicts(here)
            assert found == {(1, "Ada"): "ACCEPT", (2, "Ada"): "UNSURE", (4, "Ada"): "ACCEPT"}
            assert [each.candidate_id for each in report.conflicts] == [4]
            check(here)
            assert merge(here, there).lines == 0


def test_corrections_of_a_verdict_from_a_clock_that_was_ahead(tmp_path, monkeypatch):
    """Three files that hold the same lines agree, and each is told of the conflict once."""
    times = [moment(86_000), moment(100), moment(200)]
    places = [tmp_path / f"{name}.speco3" for name in "abc"]
    monkeypatch.setattr(verdict_log, "now", lambda: times[0])
    with session_at(places[0]) as first:
        first.record_verdict(1, ACCEPT)
    for location in places[1:]:
        copy_of(places[0], location.stem)
    for location, opinion, at in zip(places[1:], (REJECT, UNSURE), times[1:], strict=True):
        monkeypatch.setattr(verdict_log, "now", lambda at=at: at)
        with open_session(location, "Ada") as each:
            each.record_verdict(1, opinion)
    files = [open_session(location, "Ada") for location in places]
    told = [
        [
            conflict
            for other in files
            if other is not into
            for conflict in merge(into, other).conflicts
        ]
        for into in files
    ]
    assert [verdicts(each) for each in files] == [{(1, "Ada"): "UNSURE"}] * 3
    for (conflict,) in told:
        said = conflict.kept.opinion.verdict, conflict.set_aside.opinion.verdict
        assert said == ("UNSURE", "REJECT")
    for each in files:
        check(each)
        each.close()


@pytest.mark.parametrize("differ_in", ["object", "verdict", "what it replaced"])
def test_lines_of_two_copies_at_one_place_and_time(tmp_path, monkeypatch, differ_in):
    """Copies made with `cp` go on with the same ids, here within the same millisecond, too."""
    location = tmp_path / "a.speco3"
    with session_at(location) as ada:
        ada.record_verdict(1, ACCEPT)
    there = open_session(copy_of(location, "b"), "Ada")
    here = open_session(location, "Ada")
    for each, at in ((here, 500), (there, 600)):
        monkeypatch.setattr(verdict_log, "now", lambda at=at: moment(at))
        each.record_verdict(1, REJECT if each is here else UNSURE)
    monkeypatch.setattr(verdict_log, "now", lambda: moment(900))
    here.record_verdict(2 if differ_in == "object" else 1, ACCEPT)
    there.record_verdict(1, REJECT if differ_in == "verdict" else ACCEPT)
    assert merge(here, there).lines == 2
    assert merge(there, here).lines == 2
    assert log_of(here) == log_of(there) and len(log_of(here)) == 5
    assert verdicts(here) == verdicts(there)
    for each in (here, there):
        check(each)
        each.close()


def test_progress_is_no_conflict(tmp_path):
    location = tmp_path / "a.speco3"
    with session_at(location) as ada:
        ada.record_verdict(1, ACCEPT)
        ada.record_verdict(2, ACCEPT)
    with (
        open_session(copy_of(location, "b"), "Ada") as there,
        open_session(location, "Ada") as here,
    ):
        there.record_verdict(1, REJECT)
        there.record_verdict(1, UNSURE)
        here.record_verdict(2, REJECT)
        there.record_verdict(2, UNSURE)
        there.undo()
        assert merge(here, there).conflicts == ()
        assert verdicts(here) == {(1, "Ada"): "UNSURE", (2, "Ada"): "REJECT"}


def test_undo_goes_on_after_a_merge(tmp_path):
    with session_at(tmp_path / "a.speco3") as here, session_at(tmp_path / "b.speco3") as there:
        here.record_verdict(1, ACCEPT)
        here.record_verdict(2, ACCEPT)
        there.record_verdict(1, REJECT)
        there.record_verdict(3, REJECT)
        merge(here, there)
        assert here.undo().candidate_id == 2
        # what was said elsewhere, later, is not taken back here
        assert here.undo().opinion == REJECT and here.undo() is None
        assert verdicts(here) == {(1, "Ada"): "REJECT", (3, "Ada"): "REJECT"}
        check(here)
        assert here.redo().candidate_id == 1 and here.redo().opinion == ACCEPT
        assert verdicts(here) == {(1, "Ada"): "REJECT", (2, "Ada"): "ACCEPT", (3, "Ada"): "REJECT"}
        here.record_verdict(1, UNSURE)
        assert here.undo().opinion == REJECT
        check(here)


def test_by_way_of_a_third(tmp_path):
    """A into B, B into C, A into C: each line once; and back into A none of its own."""
    places = [tmp_path / f"{name}.speco3" for name in "abc"]
    for location, name in zip(places, ("Ada", "Ben", "Cy"), strict=True):
        with session_at(location, name) as each:
            each.record_verdict(1, ACCEPT)
            each.record_verdict(2, REJECT)
    a, b, c = (open_session(location, "Dora") for location in places)
    assert merge(b, a).lines == 2
    assert merge(c, b).lines == 4
    assert merge(c, a).lines == 0
    assert merge(a, c).lines == 4
    assert log_of(a) == log_of(c)
    for each in (a, b, c):
        check(each)
        each.close()
    with open_session(copy_of(places[0], "copy"), "Eva") as copied:
        copied.record_verdict(1, REJECT)
        with open_session(places[2], "Dora") as c:
            assert merge(c, copied).lines == 1


@pytest.mark.parametrize("seed", seeds(by_day=2, by_night=8))
def test_any_histories_in_any_order(tmp_path, seed):
    chance = random.Random(seed)
    first = tmp_path / "0.speco3"
    with session_at(first) as each:
        press(each, chance, 10)
    places = [first, copy_of(first, "1"), copy_of(first, "2"), tmp_path / "3.speco3"]
    session_at(places[3], "Ben").close()
    for _ in range(6):
        with open_session(chance.choice(places), chance.choice(["Ada", "Ben", "Cy"])) as each:
            press(each, chance, 8)
    lines = set()
    for location in places:
        with open_session(location, "Ada", read_only=True) as each:
            lines |= set(log_of(each))
    ends = []
    for order in ([1, 2, 3], [3, 2, 1]):
        location = copy_of(first, f"end{order[0]}")
        with open_session(location, "Ada") as into:
            for number in order:
                with open_session(places[number], "Ada", read_only=True) as other:
                    merge(into, other)
                    check(into)
            assert log_of(into) == sorted(lines)
            for number in order:
                with open_session(places[number], "Ada", read_only=True) as other:
                    assert merge(into, other).lines == 0
            assert log_of(into) == sorted(lines)
            ends.append(
                {
                    (judgement.reviewer, number): (judgement.at, judgement.opinion)
                    for number in range(1, 6)
                    for judgement in into.judgements(number)
                }
            )
            press(into, chance, 30)
            check(into)
    assert ends[0] == ends[1] and ends[0]


def test_no_more_people_than_bits(into, other):
    for target, first in ((into, 0), (other, 40)):
        with target.database.writing() as connection:
            for number in range(first, first + 35):
                verdict_log.reviewer_id(connection, f"person {number}")
    with pytest.raises(SessionError, match="at most 60 reviewers"):
        merge(into, other)
