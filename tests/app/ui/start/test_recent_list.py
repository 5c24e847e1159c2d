"""Recent sessions: read without disturbing anyone, a row each, in the list of the welcome page."""

import threading
from datetime import datetime, timedelta
from functools import reduce
from pathlib import Path

from app.core.session.records import Opinion, Verdict
from app.core.session.session import open_session
from app.ui.base.theme.theme import CurrentTheme
from app.ui.start import recent_list
from app.ui.start.recent_list import (
    MAX_RECENT,
    RecentRow,
    RecentSession,
    describe_session,
    remember,
    short_date,
    short_folder,
)
from tests.app.ui.steps import click, heard, shown_in


def test_the_newest_is_first_none_is_twice_and_no_more_than_fit():
    recent = remember(remember(remember((), "a"), "b"), "a")
    assert recent == ("a", "b")
    recent = reduce(remember, map(str, range(MAX_RECENT + 5)), ())
    assert len(recent) == MAX_RECENT and recent[0] == str(MAX_RECENT + 4)


def test_a_glance_leaves_a_session_to_those_who_work(session):
    session.record_verdict(1, Opinion(verdict=Verdict.ACCEPT))
    session.record_verdict(2, Opinion(comment="not yet"))
    summary = describe_session(str(session.location), "Ada")
    assert (summary.name, summary.task) == ("night", "cataclysmic variable")
    assert (summary.done, summary.total, summary.problem) == (1, 12, "")
    assert describe_session(str(session.location), "Grace").done == 0
    location = session.location
    session.close()
    before = location.read_bytes()
    describe_session(str(location), "Ada")
    assert location.read_bytes() == before
    with open_session(location, "Ada") as again:
        assert again.count() == 12


def test_what_is_gone_no_session_or_on_a_server(tmp_path):
    assert not describe_session(str(tmp_path / "gone.speco3"), "Ada").exists
    (tmp_path / "list.csv").write_text("a,b\n1,2\n")
    summary = describe_session(str(tmp_path / "list.csv"), "Ada")
    assert summary.exists and "not a session" in summary.problem
    summary = describe_session("postgresql://ada@nowhere.invalid/night", "Ada")
    assert (summary.exists, summary.is_file, summary.name) == (True, False, "night")


def test_a_row_says_its_session_and_opens_only_one_that_exists(qtbot):
    row = RecentRow(RecentSession(location="/data/night.speco3"), CurrentTheme())
    qtbot.addWidget(row)
    assert row.state_text() == ""
    row.show_session(RecentSession(location="/data/night.speco3", task="CV", done=3, total=1200))
    assert row.accessibleName() == "night, 3 of 1,200 judged"
    row.show_session(RecentSession(location="/data/night.speco3", problem="not a session"))
    assert (row.state_text(), row.toolTip()) == ("cannot be opened", "not a session")
    row.show_session(RecentSession(location="postgresql://host/night"))
    assert row.state_text() == "team database"
    row = shown_in(qtbot, RecentRow(RecentSession(location="/data/night.speco3"), CurrentTheme()))
    assert heard(qtbot, row.opened, lambda: click(qtbot, row)) == "/data/night.speco3"
    row.show_session(RecentSession(location="/data/night.speco3", exists=False))
    with qtbot.assertNotEmitted(row.opened):
        click(qtbot, row)
    beside = str(Path.home() / "lists" / "night.speco3")
    assert short_folder(RecentSession(location=beside)) == "~/lists"
    assert short_folder(RecentSession(location="/data/night.speco3")) == "/data"
    now = datetime.now()
    assert ":" in short_date(now) and ":" not in short_date(now - timedelta(days=40))


def test_recent_sessions_tell_how_far_one_came_and_are_taken_off(qtbot, page, tools, made):
    assert page.recent.empty.isVisible()
    gone = str(made.with_name("gone.speco3"))
    tools.settings.change(recent=(str(made), gone))
    row, lost = page.recent.rows[str(made)], page.recent.rows[gone]
    qtbot.waitUntil(lambda: row.session.task != "" and not lost.session.exists)
    assert row.state_text() == "3 of 12 judged" and lost.state_text() == "file not found"
    assert not page.recent.empty.isVisible()
    assert heard(qtbot, page.session_chosen, lambda: click(qtbot, row)) == made
    with qtbot.assertNotEmitted(page.session_chosen):
        click(qtbot, lost)
    tools.settings.change(recent=(str(made), "/other.speco3"))
    click(qtbot, page.recent.rows[str(made)].remove_button)
    assert tools.settings.settings.recent == ("/other.speco3",)
    assert list(page.recent.rows) == ["/other.speco3"] and made.exists()
    tools.settings.change(recent=(str(made),))
    qtbot.waitUntil(lambda: page.recent.rows[str(made)].session.done == 3)
    made.unlink()
    page.problem.show_problem("something old")
    page.refresh()
    qtbot.waitUntil(lambda: not page.recent.rows[str(made)].session.exists)
    assert not page.problem.isVisible()


def test_an_older_answer_that_comes_late_does_not_hide_a_newer_one(
    qtbot, page, tools, made, monkeypatch
):
    begun, go_on = threading.Event(), threading.Event()

    def describe(location: str, reviewer: str) -> RecentSession:
        summary = describe_session(location, reviewer)
        if summary.exists:
            begun.set()
            go_on.wait(60)
        return summary

    monkeypatch.setattr(recent_list, "describe_session", describe)
    tools.settings.change(recent=(str(made),))
    assert begun.wait(60)  # far more than it takes
    (older,) = page.recent._pending
    made.unlink()
    page.refresh()
    qtbot.waitUntil(lambda: not page.recent.rows[str(made)].session.exists)
    given, later = threading.Event(), []
    older.add_done_callback(lambda _: given.set())  # after the runner's own
    go_on.set()
    assert given.wait(60)
    tools.runner.run(lambda: None, later.append)
    qtbot.waitUntil(lambda: bool(later))
    assert page.recent.rows[str(made)].state_text() == "file not found"
