"""Summaries of recent sessions, read without disturbing anyone."""

from __future__ import annotations

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.start.recent import MAX_RECENT, describe_session, forget, remember


def test_the_newest_is_first_and_none_is_twice():
    recent = remember(remember(remember((), "a"), "b"), "a")
    assert recent == ("a", "b")
    assert forget(recent, "a") == ("b",)


def test_no_more_than_fit():
    recent: tuple[str, ...] = ()
    for number in range(MAX_RECENT + 5):
        recent = remember(recent, str(number))
    assert len(recent) == MAX_RECENT
    assert recent[0] == str(MAX_RECENT + 4)


def test_a_glance_while_somebody_works(session):
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    session.record_verdict(2, Opinion(comment="not yet"))
    summary = describe_session(str(session.location), "Ada")
    assert (summary.name, summary.task) == ("night", "cataclysmic variable")
    assert (summary.done, summary.total, summary.problem) == (1, 12, "")
    assert describe_session(str(session.location), "Grace").done == 0


def test_a_glance_leaves_a_session_as_it_was(session):
    location = session.location
    session.close()
    before = location.read_bytes()
    describe_session(str(location), "Ada")
    assert location.read_bytes() == before
    with open_session(location, "Ada") as again:
        assert again.count() == 12


def test_what_is_gone_or_no_session(tmp_path):
    assert not describe_session(str(tmp_path / "gone.speco3"), "Ada").exists
    (tmp_path / "list.csv").write_text("a,b\n1,2\n")
    summary = describe_session(str(tmp_path / "list.csv"), "Ada")
    assert summary.exists
    assert "not a session" in summary.problem


def test_a_server_is_not_asked():
    summary = describe_session("postgresql://ada@nowhere.invalid/night", "Ada")
    assert (summary.exists, summary.is_file, summary.name) == (True, False, "night")
